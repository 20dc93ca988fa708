// SPDX-License-Identifier: MIT
// application.kind = "pcr": regression of a response on coordinates in a party's basis, and a constant: of all samples where the
// method fitted it (response_fit = "shared", centralized), else of the party's own; its error is the root mean square error of
// predictions on the samples held out.
// Tests: tests/core/algorithms/pd_svd_test.cpp
#include <fmt/format.h>

#include <cmath>

#include "base/decompositions.h"
#include "core/measures/subspace.h"

namespace sotto {

namespace {

constexpr std::string_view regression_name = "pcr";
constexpr const Figure* regression_figure_table[] = {&figures::rmse, &figures::subspace_error};

/// Part of [application].
struct RegressionOptions {
  std::int64_t response = 0;  ///< the feature to predict, from 1; 0: the last
};

/// Coordinates in a basis, and a 1 for the intercept: samples as rows.
Matrix regressors(const Samples& Z, const FactorView& basis) {
  Matrix rows(Z.cols(), basis.X.cols() + 1);
  rows.leftCols(basis.X.cols()) = Z.transposed_times(basis.X);
  if (basis.mean.size() > 0) {
    const Vector of_mean = basis.X.transpose() * basis.mean;
    rows.leftCols(basis.X.cols()).rowwise() -= of_mean.transpose();
  }
  rows.rightCols(1).setOnes();
  return rows;
}

void evaluate_regression(const ApplicationInput& in, ApplicationResult& to) {
  const TrialData& data = in.data;
  double squares = 0;
  Vector fitted;
  Index at = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const FactorView& v = in.view(a);
    const Samples& Z = data.parts[a];
    const Vector own = data.response.segment(at, Z.cols());
    at += Z.cols();
    Vector weights = v.weights;
    if (in.one_place() && a > 0) weights = fitted;
    if (weights.size() == 0) {  // of least norm where there are fewer samples than unknowns
      const Matrix rows = regressors(in.one_place() ? data.all : Z, v);
      weights = least_squares(rows, in.one_place() ? data.response : own);
    }
    fitted = weights;
    const Vector error = regressors(data.held_out, v) * weights - data.held_out_response;
    to.errors.push_back(error.norm() / std::sqrt(static_cast<double>(error.size())));
    squares += to.errors.back() * to.errors.back();
  }
  to.figures.set(figures::rmse, std::sqrt(squares / static_cast<double>(data.parts.size())));
  to.figures.set(figures::subspace_error, subspace_error(in.views, data));
}

Schema regression_settings() {
  SchemaOf<RegressionOptions> s("application");
  s.whole("response", &RegressionOptions::response, {0, 1'000'000'000},
          "pcr: the feature that is predicted from the others, from 1; 0: the last");
  return s.take();
}

void check_regression(const ApplicationCheck& c) {
  const std::int64_t response = c.options.get<RegressionOptions>().response;
  if (response > c.shape.features)
    c.places.refuse("application.response",
                    fmt::format("is {}, but there are {} features", response, c.shape.features));
  require_held_out(c, regression_name);
}

}  // namespace

extern const ApplicationKind regression_application;
const ApplicationKind regression_application{
    .name = regression_name,
    .help = "regression on principal components",
    .model = Model::orthonormal_basis,
    .figures = regression_figure_table,
    .settings = regression_settings,
    .check = check_regression,
    .response =
        [](const OptionSet& options, Index features) {
          const std::int64_t response = options.get<RegressionOptions>().response;
          return response > 0 ? response - 1 : features - 1;
        },
    .evaluate = evaluate_regression,
};

}  // namespace sotto
