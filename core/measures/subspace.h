// SPDX-License-Identifier: MIT
// What applications of orthonormal bases share.
// Tests: tests/core/algorithms/pd_svd_test.cpp
#pragma once

#include "core/measures/application.h"

namespace sotto {

namespace figures {

inline constexpr Figure subspace_error{
    "subspace_error",
    "",
    "sine of the largest angle between a party's basis and the leading singular vectors of all data",
    Better::lower,
    Scope::final,
    "subspace_err",
    "{:.2e}"};

}  // namespace figures

/// How far the bases are from the leading directions of all data, centered where they are of centered data.
double subspace_error(const std::vector<FactorView>& views, const TrialData& data);
/// Such an application is measured on samples that nobody trained on.
void require_held_out(const ApplicationCheck& check, std::string_view name);

}  // namespace sotto
