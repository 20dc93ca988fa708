// SPDX-License-Identifier: MIT
// application.kind = "ratings": the root mean square error of predictions of entries held out, clipped to the range of the ratings;
// a party's error is that of ITS items' factors on its own users' entries.
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/factorization/rri.h"
#include "core/measures/application.h"

namespace sotto {

namespace {

constexpr int ratings_fit_sweeps = 100;
constexpr const Figure* ratings_figure_table[] = {&figures::rmse};

void evaluate_ratings(const ApplicationInput& in, ApplicationResult& to) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  in.data.all.each([&](Index, Index, double rating) {
    low = std::min(low, rating);
    high = std::max(high, rating);
  });
  const auto& fit = in.options.get<RriOptions>();
  double squares = 0;
  double count = 0;
  Index at = 0;
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const Matrix& X = in.view(a).X;
    const Samples& part = in.data.parts[a];
    const Matrix W = fit_weights(part, X, fit, ratings_fit_sweeps);
    double own_squares = 0;
    double own_count = 0;
    in.data.held_out_entries.columns(at, part.cols()).each([&](Index item, Index user, double rating) {
      const double error = std::clamp(X.row(item).dot(W.row(user)), low, high) - rating;
      own_squares += error * error;
      ++own_count;
    });
    at += part.cols();
    to.errors.push_back(own_count > 0 ? std::sqrt(own_squares / own_count) : no_figure);
    squares += own_squares;
    count += own_count;
  }
  if (count > 0) to.figures.set(figures::rmse, std::sqrt(squares / count));
}

}  // namespace

extern const ApplicationKind ratings_application;
const ApplicationKind ratings_application{
    .name = "ratings",
    .help = "error of predictions of data.held_out_entries",
    .model = Model::nonnegative_factors,
    .figures = ratings_figure_table,
    .check =
        [](const ApplicationCheck& c) {
          if (c.options.get<DataOptions>().held_out_entries == 0)
            c.places.refuse("application.kind",
                            "\"ratings\" are predicted: set data.held_out_entries above 0");
        },
    .evaluate = evaluate_ratings,
};

}  // namespace sotto
