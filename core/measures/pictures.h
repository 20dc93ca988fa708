// SPDX-License-Identifier: MIT
// Contact sheets as PNG, where samples are pictures (the paper's figure of faces):
//   images-<method>.png  the samples of output.images above their reconstructions X-bar y, y refitted
//   basis-<method>.png   the columns of X-bar, each from 0 (black) to its own largest entry (white)
// Tests: tests/core/data/dataset_test.cpp
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/data/dataset.h"

namespace sotto {

/// Names and contents of both sheets. `numbers`: samples of the data set, from 1.
std::vector<std::pair<std::string, std::string>> contact_sheets(const Dataset& data,
                                                                const std::vector<FactorView>& views,
                                                                const std::vector<std::int64_t>& numbers,
                                                                const std::string& method);

}  // namespace sotto
