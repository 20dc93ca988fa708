// SPDX-License-Identifier: MIT
// application.kind = "lra": low-rank approximation, |Z - X X' Z| on all training data; a party's error is that of ITS basis on the
// samples held out.
// Tests: tests/core/algorithms/pd_svd_test.cpp
#include <cmath>

#include "core/measures/factor_errors.h"
#include "core/measures/subspace.h"

namespace sotto {

namespace {

constexpr std::string_view approximation_name = "lra";
constexpr const Figure* approximation_figure_table[] = {&figures::frobenius, &figures::subspace_error};

void evaluate_approximation(const ApplicationInput& in, ApplicationResult& to) {
  double squares = 0;
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const FactorView& v = in.view(a);
    const double error = projection_residual(in.data.parts[a], v);
    squares += error * error;
    const bool again = a > 0 && (in.one_place() || v.X == in.views[0].X);
    to.errors.push_back(again ? to.errors.front() : projection_residual(in.data.held_out, v));
  }
  to.figures.set(figures::frobenius, std::sqrt(squares));
  to.figures.set(figures::subspace_error, subspace_error(in.views, in.data));
}

}  // namespace

extern const ApplicationKind approximation_application;
const ApplicationKind approximation_application{
    .name = approximation_name,
    .help = "low-rank approximation of samples held out",
    .model = Model::orthonormal_basis,
    .figures = approximation_figure_table,
    .check = [](const ApplicationCheck& c) { require_held_out(c, approximation_name); },
    .evaluate = evaluate_approximation,
};

}  // namespace sotto
