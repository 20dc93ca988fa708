// SPDX-License-Identifier: MIT
// How data is brought to a common scale. What a data set comes with is done before samples are dealt out, over all samples, those held
// out included:
//   unit-max   divided by the largest magnitude
//   lee-seung  each sample moved and stretched to mean 1/4 and standard deviation 1/4, then clipped to [0, 1] (Lee and Seung
//              1999, for faces); a flat sample becomes 1/4 everywhere. A sparse matrix becomes dense.
// What is estimated from samples comes from training samples only, in every trial anew (make_data):
//   tf-idf     counts times ln((1 + n) / (1 + f)) + 1, f the training documents of n that have the word, then documents of length 1.
//              A word of no training document has f = 0: the largest weight, ln(1 + n) + 1. Sparse stays sparse. Single
//              entries that are held out (data.held_out_entries) are taken away afterwards and do count. Counts over all
//              parties are the simulation's: no protocol sends them. With data.idf = "own" none are needed.
// Tests: tests/core/data/formats_test.cpp, tests/core/data/dataset_test.cpp
#pragma once

#include <span>

#include "core/data/data_options.h"
#include "core/data/samples.h"

namespace sotto {

/// unit-max and lee-seung; other scales leave samples as they are.
Samples scaled(const Samples& samples, Scale scale);

/// ln((1 + n) / (1 + f)) + 1 of every feature.
Vector word_weights(const Samples& training);
/// Every feature times its weight, then samples of length 1.
Samples tf_idf(const Samples& samples, const Vector& weights);
/// Every party's samples by weights of its own. `sizes`: samples of each party, one after the other.
Samples own_tf_idf(const Samples& samples, std::span<const Index> sizes);

}  // namespace sotto
