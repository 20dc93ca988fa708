#include "core/measures/application.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/algorithms/rri_start.h"
#include "core/factorization/hals.h"
#include "core/factorization/nndsvd.h"
#include "core/factorization/orthonormal.h"
#include "core/measures/topic_quality.h"

namespace sotto {

namespace {

constexpr int fit_sweeps = 100;

/// Calls visit(agent, X, Y) for every agent; in one place X is the same for all.
template <class Visit>
void each_agent(const std::vector<FactorView>& views, const TrialData& data, Visit visit) {
  const bool one_place = views.size() == 1 && data.parts.size() > 1;
  Index at = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const FactorView& v = views[one_place ? 0 : a];
    const Index samples = data.parts[a].cols();
    visit(a, v.X, one_place ? Matrix(v.Y.middleCols(at, samples)) : v.Y);
    at += samples;
  }
}

/// |E - X Y| with Y fitted.
double held_out_error(const Matrix& X, const Samples& unseen) {
  Matrix Y = right_factor_start(unseen, X);
  hals_right(unseen, X, Y, fit_sweeps);
  return unseen.residual(X, Y);
}

/// Coherence and perplexity of one set of topics.
void measure_topics(const Matrix& T, const Matrix& weights, std::size_t top, const TrialData& data,
                    ApplicationFigures& figures) {
  const Coherence c = coherence(top_terms(T, top), data.all);
  figures.umass = c.umass;
  figures.npmi = c.npmi;
  if (data.held_out.cols() > 0) figures.perplexity = perplexity(T, weights, data.held_out);
}

/// Where every party has topics of its own: the means over parties.
void average_topics(const std::vector<FactorView>& views, std::size_t top, const TrialData& data,
                    ApplicationFigures& figures) {
  figures.umass = figures.npmi = figures.perplexity = 0;
  const auto parties = static_cast<double>(views.size());
  for (const FactorView& v : views) {
    ApplicationFigures its;
    measure_topics(v.X, v.Y, top, data, its);
    figures.umass += its.umass / parties;
    figures.npmi += its.npmi / parties;
    figures.perplexity += its.perplexity / parties;
  }
}

void evaluate_topics(const Scenario& s, const std::vector<FactorView>& views, const TrialData& data,
                     const std::vector<std::string>& words, ApplicationFigures& figures) {
  double squares = 0;
  Matrix all_weights(views[0].X.cols(), data.all.cols());
  Index at = 0;
  each_agent(views, data, [&](std::size_t a, const Matrix& X, const Matrix& Y) {
    const double error = data.parts[a].residual(X, Y);
    squares += error * error;
    all_weights.middleCols(at, Y.cols()) = Y;
    at += Y.cols();
    if (data.held_out.cols() == 0) return;
    const bool again = a > 0 && X == views[0].X;  // most methods end with the same topics everywhere
    figures.errors.push_back(again ? figures.errors.front() : held_out_error(X, data.held_out));
  });
  figures.frobenius = std::sqrt(squares);
  const auto top = static_cast<std::size_t>(s.application.top_terms);
  const bool one_model =
      std::all_of(views.begin(), views.end(), [&](const FactorView& v) { return v.X == views.front().X; });
  if (!one_model) {
    average_topics(views, top, data, figures);
    return;
  }
  measure_topics(views[0].X, all_weights, top, data, figures);
  for (const auto& topic : top_terms(views[0].X, top)) {
    auto& texts = figures.terms.emplace_back();
    for (const Index term : topic)
      texts.push_back(words.empty() ? std::to_string(term + 1) : words[static_cast<std::size_t>(term)]);
  }
}

void evaluate_ratings(const Scenario& s, const std::vector<FactorView>& views, const TrialData& data,
                      ApplicationFigures& figures) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  data.all.each([&](Index, Index, double rating) {
    low = std::min(low, rating);
    high = std::max(high, rating);
  });
  const RriSettings fit = rri_settings(s.algorithm);
  double squares = 0;
  double count = 0;
  Index at = 0;
  each_agent(views, data, [&](std::size_t a, const Matrix& X, const Matrix&) {
    const Matrix W = fit_weights(data.parts[a], X, fit, fit_sweeps);
    double own_squares = 0;
    double own_count = 0;
    data.held_out_entries.columns(at, data.parts[a].cols()).each([&](Index item, Index user, double rating) {
      const double error = std::clamp(X.row(item).dot(W.row(user)), low, high) - rating;
      own_squares += error * error;
      ++own_count;
    });
    at += data.parts[a].cols();
    figures.errors.push_back(own_count > 0 ? std::sqrt(own_squares / own_count) : no_metric);
    squares += own_squares;
    count += own_count;
  });
  if (count > 0) figures.rmse = std::sqrt(squares / count);
}

/// How far the bases are from the leading directions of all data, centred where they are of centred data.
double subspace_error(const std::vector<FactorView>& views, const TrialData& data) {
  const bool centred = views[0].mean.size() > 0;
  Samples all = data.all;
  if (centred) {
    Matrix moved(all.rows(), all.cols());
    for (Index c = 0; c < all.cols(); ++c) moved.col(c) = all.column(c);
    moved.colwise() -= moved.rowwise().mean().eval();
    all = std::move(moved);
  }
  double worst = 0;
  Matrix truth;
  for (const FactorView& v : views) {
    if (truth.cols() != v.X.cols()) truth = truncated_svd(all, v.X.cols()).V;
    if (&v != &views[0] && v.X == views[0].X) continue;
    worst = std::max(worst, subspace_distance(v.X, truth));
  }
  return worst;
}

void evaluate_approximation(const std::vector<FactorView>& views, const TrialData& data,
                            ApplicationFigures& figures) {
  const bool one_place = views.size() == 1 && data.parts.size() > 1;
  double squares = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const FactorView& v = views[one_place ? 0 : a];
    const double error = projection_residual(data.parts[a], v);
    squares += error * error;
    const bool again = a > 0 && (one_place || v.X == views[0].X);
    figures.errors.push_back(again ? figures.errors.front() : projection_residual(data.held_out, v));
  }
  figures.frobenius = std::sqrt(squares);
  figures.subspace_error = subspace_error(views, data);
}

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

void evaluate_regression(const std::vector<FactorView>& views, const TrialData& data,
                         ApplicationFigures& figures) {
  const bool one_place = views.size() == 1 && data.parts.size() > 1;
  double squares = 0;
  Vector fitted;
  Index at = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const FactorView& v = views[one_place ? 0 : a];
    const Samples& Z = data.parts[a];
    const Vector own = data.response.segment(at, Z.cols());
    at += Z.cols();
    Vector weights = v.weights;
    if (one_place && a > 0) weights = fitted;
    if (weights.size() == 0) {  // of least norm where there are fewer samples than unknowns
      const Matrix rows = regressors(one_place ? data.all : Z, v);
      weights = rows.completeOrthogonalDecomposition().solve(one_place ? data.response : own);
    }
    fitted = weights;
    const Vector error = regressors(data.held_out, v) * weights - data.held_out_response;
    figures.errors.push_back(error.norm() / std::sqrt(static_cast<double>(error.size())));
    squares += figures.errors.back() * figures.errors.back();
  }
  figures.rmse = std::sqrt(squares / static_cast<double>(data.parts.size()));
  figures.subspace_error = subspace_error(views, data);
}

}  // namespace

ApplicationFigures evaluate_application(const Scenario& s, const std::vector<FactorView>& views,
                                        const TrialData& data, const std::vector<std::string>& words) {
  ApplicationFigures figures;
  if (s.application.kind == "none") return figures;
  for (const Samples& part : data.parts) figures.samples.push_back(part.cols());
  if (s.application.kind == "topics") evaluate_topics(s, views, data, words, figures);
  if (s.application.kind == "ratings") evaluate_ratings(s, views, data, figures);
  if (s.application.kind == "lra") evaluate_approximation(views, data, figures);
  if (s.application.kind == "pcr") evaluate_regression(views, data, figures);
  return figures;
}

std::vector<double> uplift_percent(const ApplicationFigures& its, const ApplicationFigures& local) {
  std::vector<double> uplift;
  for (std::size_t a = 0; a < std::min(its.errors.size(), local.errors.size()); ++a)
    uplift.push_back(100 * (1 - its.errors[a] / local.errors[a]));
  return uplift;
}

void ApplicationFigures::save(Writer& w) const {
  for (const double x : {frobenius, umass, npmi, perplexity, rmse, subspace_error}) w.put(x);
  w.list(errors);
  w.list(samples);
  w.put<std::uint64_t>(terms.size());
  for (const auto& topic : terms) {
    w.put<std::uint64_t>(topic.size());
    for (const std::string& term : topic) w.text(term);
  }
}

ApplicationFigures ApplicationFigures::load(Reader& r) {
  ApplicationFigures f;
  for (double* x : {&f.frobenius, &f.umass, &f.npmi, &f.perplexity, &f.rmse, &f.subspace_error})
    *x = r.get<double>();
  f.errors = r.list<double>();
  f.samples = r.list<std::int64_t>();
  for (auto topics = r.get<std::uint64_t>(); topics > 0; --topics) {
    auto& topic = f.terms.emplace_back();
    for (auto left = r.get<std::uint64_t>(); left > 0; --left) topic.push_back(r.text());
  }
  return f;
}

}  // namespace sotto
