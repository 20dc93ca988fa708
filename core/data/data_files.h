// SPDX-License-Identifier: MIT
// From the files that [data] names to a Dataset: found, read, hashed, checked, scaled (tf-idf: make_data).
// Tests: tests/core/data/dataset_test.cpp
#pragma once

#include <string>
#include <vector>

#include "base/input_file.h"
#include "core/data/dataset.h"

namespace sotto {

/// `nonnegative_for`: the algorithm that takes no negative numbers; empty: none is that way. Files that were read are added
/// to `inputs`. ScenarioError names the file and the place in it.
Dataset load_dataset(const DataOptions& options, const std::string& folder, const SettingPlaces& places,
                     const std::string& nonnegative_for, std::vector<InputFile>& inputs);

}  // namespace sotto
