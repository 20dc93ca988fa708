// SPDX-License-Identifier: MIT
// Euclidean projection onto the probability simplex {x >= 0, sum x = 1}: L. Condat, "Fast projection onto the simplex
// and the l1 ball", Math. Program. 158 (2016), algorithm of section 3. Linear time in practice, no sorting; + - * / only,
// so the same bits everywhere.
// Tests: tests/core/factorization/rri_test.cpp
#pragma once

#include "base/matrix.h"

namespace sotto {

/// x <- argmin_{y >= 0, sum y = 1} |y - x|, that is max(x - tau, 0). x is not empty.
void project_onto_simplex(Vector& x);

}  // namespace sotto
