// SPDX-License-Identifier: MIT
// How data is brought to a common scale before it is dealt out. Over all samples, those held out included: it is what a
// data set comes with, not something that agents compute.
//   unit-max   divided by the largest magnitude
//   lee-seung  each sample moved and stretched to mean 1/4 and standard deviation 1/4, then clipped to [0, 1] (Lee and Seung
//              1999, for faces); a flat sample becomes 1/4 everywhere. A sparse matrix becomes dense.
//   tf-idf     counts times ln((1 + n) / (1 + samples with the word)) + 1, then samples of length 1; sparse stays sparse
// Tests: tests/core/data/formats_test.cpp
#pragma once

#include "core/data/data_options.h"
#include "core/data/samples.h"

namespace sotto {

Samples scaled(const Samples& samples, Scale scale);

}  // namespace sotto
