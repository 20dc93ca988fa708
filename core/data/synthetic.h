// SPDX-License-Identifier: MIT
// Data drawn from a seed, new in each trial.
//   synthetic-nmf         Z = X Y + noise, X and Y exponential: the paper's experiment 1. Noise may make entries negative;
//                         they stay.
//   synthetic-ratings     users x items, sparse: 3.5 + a low-rank Gaussian taste + noise, rounded to 1 ... 5, where rated
//   synthetic-regression  as synthetic-pca but for the last feature, which is a linear response to the others + noise
//   synthetic-pca         directions of decaying deviation + noise
// Tests: tests/core/data/dataset_test.cpp
#pragma once

#include "base/random_stream.h"
#include "core/data/data_options.h"
#include "core/data/samples.h"

namespace sotto {

Samples synthetic_data(const DataOptions& options, Index samples, RandomStream& random);
/// Whether a source draws entries on both sides of zero by nature, not by a little noise.
bool synthetic_is_signed(DataSource source);
bool synthetic_is_sparse(DataSource source);

}  // namespace sotto
