// SPDX-License-Identifier: MIT
// Errors of factors, at every observed iteration.
//
//   nmse             mean over agents of |Z_i - X_i Y_i| / |Z_i|: the paper's. It rewards LACK of consensus (purely
//                    local factors score best), so never read it alone.
//   nmse_mean_x      the same with X-bar, the mean of all X_i, and Y_i refitted to it by 300 sweeps of HALS
//   nmse_held_out    |Z - X-bar Y| / |Z| on samples that nobody trained on, Y fitted by 600 sweeps
//   consensus_error  max_i |X_i - X-bar| / |X-bar|
//   objective        1/2 sum_i |Z_i - X-bar Y_i|^2, refitted
//
// Orthonormal bases: samples are projected onto them. X-bar is the common basis then (common_basis below): `nmse` is of what every
// agent has, all other figures are of the common basis on everybody's data; consensus_error is the sine of the largest angle to it.
// Where only stored entries count (algorithm.weights = "observed"), errors and refits are over those (by the updates of rri.h).
// Tests: tests/core/algorithms/ppdnmf_test.cpp, tests/core/algorithms/pd_svd_test.cpp
#pragma once

#include "core/measures/measure.h"

namespace sotto {

namespace figures {

inline constexpr Figure nmse{
    "nmse", "", "mean over agents of |Z_i - X_i Y_i| / |Z_i|", Better::lower, Scope::trace, "nmse", "{:.4f}"};
inline constexpr Figure nmse_mean_x{
    "nmse_mean_x", "",           "the same with the mean of all left factors, right factors refitted",
    Better::lower, Scope::trace, "nmse_mean_x",
    "{:.4f}"};
inline constexpr Figure nmse_held_out{"nmse_held_out", "", "the same on samples that nobody trained on",
                                      Better::lower, Scope::trace};
inline constexpr Figure consensus_error{
    "consensus_error", "",           "largest distance of an agent's left factor from the mean, relative",
    Better::lower,     Scope::trace, "consensus_err",
    "{:.2e}"};
inline constexpr Figure objective{"objective", "", "1/2 sum_i |Z_i - X-bar Y_i|^2, refitted", Better::lower,
                                  Scope::trace};

}  // namespace figures

/// X-bar: the mean of all agents' left factors.
Matrix mean_left_factor(const std::vector<FactorView>& views);

/// One basis for agents who may have different ones: the leading directions of the mean of their projections X_i X_i', as many as the
/// largest basis has; and the mean of their means. Equal bases give that basis to the bit.
FactorView common_basis(const std::vector<FactorView>& views);

/// Y fitted to a finished X, from a Y at hand: argmin_{Y >= 0} |Z - X Y| over the entries that count.
Matrix refitted_right_factor(const Samples& Z, const Matrix& X, const Matrix& Y, CountedEntries entries);
/// |Z - X Y| over the entries that count.
double counted_residual(const Samples& Z, const Matrix& X, const Matrix& Y, CountedEntries entries);

/// |Z - mean 1' - X X' (Z - mean 1')|.
double projection_residual(const Samples& Z, const FactorView& basis);

}  // namespace sotto
