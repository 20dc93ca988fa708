// SPDX-License-Identifier: MIT
#include "core/factorization/rri.h"

#include <algorithm>

#include "base/error.h"
#include "core/factorization/rri_loops.h"
#include "core/factorization/simplex.h"

namespace sotto {

namespace {

/// Rows that are still in the first-level cache when they are read again.
constexpr Index chunk = 64;

/// Column t of a Gram matrix into both its places.
void renew_gram(const Vector& column, Index t, Matrix& gram) {
  gram.col(t) = column;
  gram.row(t) = column.head(gram.cols()).transpose();
}

/// <a, b>, in four sums that do not wait for each other.
template <class Nonzeros>
double product(const Nonzeros& a, const Vector& b) {
  const auto& [features, values] = a;
  double sums[4] = {};
  std::size_t e = 0;
  for (; e + 4 <= values.size(); e += 4)
    for (std::size_t q = 0; q < 4; ++q) sums[q] += values[e + q] * b[features[e + q]];
  for (; e < values.size(); ++e) sums[0] += values[e] * b[features[e]];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/// Column t of a Gram matrix without topic t itself.
Vector others(const Matrix& gram, Index t) {
  Vector column = gram.col(t);
  column[t] = 0;
  return column;
}

}  // namespace

TopicSums& TopicSums::operator+=(const TopicSums& other) {
  numerator += other.numerator;
  denominator += other.denominator;
  return *this;
}

Schema rri_settings() {
  using Options = RriOptions;
  SchemaOf<Options> s("algorithm");
  s.real("alpha", &Options::alpha, {0, 1e9}, "RRI-NMF: weight of |T|_1");
  s.real("beta", &Options::beta, {-1e9, 1e9},
         "RRI-NMF: weight of 1/2 |T|^2; below 0 it pulls topics to single features");
  s.real("gamma", &Options::gamma, {0, 1e9}, "RRI-NMF: weight of |W|_1");
  s.real("delta", &Options::delta, {-1e9, 1e9}, "RRI-NMF: weight of 1/2 |W|^2");
  s.word(&Options::topics, "RRI-NMF: any nonnegative topics, or topics that sum to 1");
  s.word(&Options::weights, "RRI-NMF: all entries count, or those that a sparse file has (ratings)");
  return s.take();
}

RriHalf::RriHalf(const Samples& Z, const RriOptions& options, const Matrix& T0, const Matrix& W0)
    : Z_(Z), options_(options), rank_(T0.cols()), products_(Z_) {
  if (options.observed_only() && options.simplex())
    throw RunError("RRI-NMF on observed entries cannot keep its topics on the simplex");
  if (options.observed_only() && !Z_.sparse())
    throw RunError("RRI-NMF on observed entries needs sparse data");
  X2_ = Z_.squared_norm();
  set_factors(T0, W0);
}

void RriHalf::set_factors(const Matrix& T, const Matrix& W) {
  if (T.rows() != Z_.rows() || T.cols() != rank_ || W.rows() != Z_.cols() || W.cols() != rank_)
    throw RunError("RRI-NMF: the factors do not fit the data");
  T_rows_ = FactorRows(Z_.rows(), rank_);
  W_ = FactorRows(Z_.cols(), rank_);
  T_ = T;
  W_.matrix() = W;
  update_.topic = -1;
  if (options_.observed_only()) {
    observed_begin_sweep();
    return;
  }
  topics_.assign(Z_.sparse() ? static_cast<std::size_t>(rank_) : 0, {});
  TT_ = WW_ = Matrix::Zero(W_.length(), rank_);
  for (Index t = 0; t < rank_; ++t) {
    store_topic(t, T.col(t));
    Vector gram = Vector::Zero(W_.length());
    row_kernel().add(W_.rows(), W.col(t).data(), gram.data());
    renew_gram(gram, t, WW_);
  }
  multiply_topics();
  cross_ = (XT_.array() * W.array()).colwise().sum().transpose();
}

RriHalf::RriHalf(const Samples& Z, const RriOptions& options, const Matrix& T0)
    : RriHalf(Z, options, T0, Matrix::Zero(Z.cols(), T0.cols())) {
  for (int sweep = 0; sweep < initial_weight_sweeps; ++sweep)
    for (Index t = 0; t < rank_; ++t) update_weights(t);
}

void RriHalf::begin_sweep() {
  if (options_.observed_only()) {
    observed_begin_sweep();
  } else {
    multiply_topics();
    forget_update_unless(-1);
    products_.begin_sweep(T_rows_, W_);
  }
}

void RriHalf::multiply_topics() {
  const RowKernel& kernel = row_kernel();
  T_rows_.matrix() = T_;
  const ConstRows topics = T_rows_.rows();
  XT_.resize(Z_.cols(), rank_);
  if (!Z_.sparse()) {
    kernel.product(dense_rows(Z_), topics, rank_, XT_.data(), XT_.rows());
    return;
  }
  Vector row(T_rows_.length());
  for (Index i = 0; i < Z_.cols(); ++i) {
    const Samples::Entries e = Z_.entries(i);
    row.setZero();
    kernel.add_some(topics, e.features.data(), e.values.data(), std::ssize(e.values), row.data());
    XT_.row(i) = row.head(rank_).transpose();
  }
}

/// Nobody asked for the sums of the last update: what products_ knows about W is out of date.
void RriHalf::forget_update_unless(Index t) {
  if (update_.topic >= 0 && update_.topic != t) products_.forget();
  update_.topic = -1;
}

void RriHalf::update_weights(Index t) {
  if (options_.observed_only()) {
    observed_update_weights(t);
    return;
  }
  forget_update_unless(t);
  update_.topic = t;
  update_.curvature = TT_(t, t) + options_.delta;
  update_.gamma = options_.gamma;
  update_.coupling = others(TT_, t);
  update_.pull.resize(Z_.cols());
  update_.weights.resize(Z_.cols());
  Vector gram = Vector::Zero(W_.length());
  for (Index first = 0; first < Z_.cols(); first += chunk) {
    const ConstRows rows = W_.rows(first, std::min(chunk, Z_.cols() - first));
    auto pull = update_.pull.segment(first, rows.count);
    auto weights = update_.weights.segment(first, rows.count);
    // W_t <- [X T_t' - sum_{l != t} W_l (T_l T_t') - gamma]_+ / (|T_t|^2 + delta)
    row_kernel().dots(rows, update_.coupling.data(), pull.data());
    pull = (XT_.col(t).segment(first, rows.count) - pull).array() - options_.gamma;
    block_minimum(pull, update_.curvature, weights);
    W_.matrix().col(t).segment(first, rows.count) = weights;
    row_kernel().add(rows, weights.data(), gram.data());
  }
  renew_gram(gram, t, WW_);
  cross_[t] = XT_.col(t).dot(update_.weights);
}

TopicSums RriHalf::sums(Index t) {
  if (options_.observed_only()) return observed_sums(t);
  XtW_ = update_.topic == t ? products_.after(update_) : products_.of(W_.matrix().col(t));
  update_.topic = -1;
  TopicSums s{XtW_, Vector::Constant(1, WW_(t, t))};
  // W_t' R_t = W_t' X - sum_{l != t} (W_t' W_l) T_l
  const Vector coupling = others(WW_, t);
  if (!Z_.sparse()) s.numerator -= T_ * coupling.head(rank_);
  for (std::size_t l = 0; l < topics_.size(); ++l) {
    const double w = coupling[static_cast<Index>(l)];
    if (w != 0) add_entries(-w, topics_[l].features, topics_[l].values, s.numerator);
  }
  return s;
}

namespace {

/// An entry of T_t that no weight multiplies: alpha x - numerator x is what E has left of it. The numerator is 0 but for secure sums
/// in which a tiny denominator was rounded to 0; where it outweighs alpha the minimum is not known, and x stays.
double unused_minimum(const RriOptions& options, double numerator, double before) {
  return options.alpha > 0 && numerator < options.alpha ? 0 : before;
}

Vector unused_topic(const RriOptions& options, const TopicSums& s, const Vector& before) {
  if (options.simplex()) return before;  // alpha |T_t|_1 is alpha there, whatever T_t is
  Vector next(before.size());
  for (Index j = 0; j < next.size(); ++j) next[j] = unused_minimum(options, s.numerator[j], before[j]);
  return next;
}

}  // namespace

Vector next_topic(const RriOptions& options, const TopicSums& s, const Vector& before) {
  if (options.beta == 0 && s.denominator.isZero(0)) return unused_topic(options, s, before);
  const Index d = before.size();
  Vector next(d);
  if (options.simplex()) {
    const double curvature = s.denominator[0] + options.beta;
    if (curvature > 0) {
      // T_t <- argmin_{x in simplex} |x - (W_t' R_t - alpha) / (|W_t|^2 + beta)|
      next = (s.numerator.array() - options.alpha) / curvature;
      project_onto_simplex(next);
    } else {
      Index corner = 0;
      s.numerator.maxCoeff(&corner);
      next = Vector::Unit(d, corner);
    }
    return next;
  }
  // T_t <- [W_t' R_t - alpha]_+ / (|W_t|^2 + beta)
  const Vector pull = s.numerator.array() - options.alpha;
  if (s.denominator.size() == 1) {
    block_minimum(pull, s.denominator[0] + options.beta, next);
    return next;
  }
  for (Index j = 0; j < d; ++j) {
    const bool unused = s.denominator[j] == 0 && options.beta == 0;
    next[j] = unused ? unused_minimum(options, s.numerator[j], before[j])
                     : block_minimum(pull[j], s.denominator[j] + options.beta);
  }
  return next;
}

void RriHalf::store_topic(Index t, const Vector& T_t) {
  T_.col(t) = T_t;
  Vector gram = Vector::Zero(TT_.rows());
  if (Z_.sparse()) {
    list_nonzeros(t);
    for (std::size_t l = 0; l < topics_.size(); ++l) gram[static_cast<Index>(l)] = product(topics_[l], T_t);
  } else {
    gram.head(rank_) = T_.transpose() * T_t;
  }
  renew_gram(gram, t, TT_);
}

void RriHalf::list_nonzeros(Index t) {
  auto& [features, values] = topics_[static_cast<std::size_t>(t)];
  features.resize(static_cast<std::size_t>(T_.rows()));
  values.resize(features.size());
  std::size_t entries = 0;
  for (Index j = 0; j < T_.rows(); ++j) {  // no branch: which ones are zero is anybody's guess
    features[entries] = static_cast<std::int32_t>(j);
    values[entries] = T_(j, t);
    entries += T_(j, t) != 0 ? 1 : 0;
  }
  features.resize(entries);
  values.resize(entries);
}

void RriHalf::set_topic(Index t, const TopicSums& of_everybody) {
  const Vector T_t = next_topic(options_, of_everybody, T_.col(t));
  if (options_.observed_only()) {
    observed_set_topic(t, T_t);
    return;
  }
  store_topic(t, T_t);
  cross_[t] = XtW_.dot(T_t);
}

void RriHalf::save(Writer& w) const {
  w.matrix(T_);
  w.matrix(W());
  w.matrix(cross_);
  products_.save(w);
}

RriHalf RriHalf::loaded(const Samples& Z, const RriOptions& options, Reader& r) {
  const Matrix T = r.matrix();
  RriHalf half(Z, options, T, r.matrix());
  half.cross_ = r.matrix();
  half.products_.load(r);
  return half;
}

double RriHalf::own_objective() const {
  double fit = 0;
  if (options_.observed_only()) {
    fit = residual_.squaredNorm();
  } else {
    // |X - W T|^2 = |X|^2 - 2 <X, W T> + <W' W, T T'>
    fit = std::max(0.0, X2_ - 2 * cross_.sum() + (WW_.array() * TT_.array()).sum());
  }
  const auto W = W_.matrix();
  if (options_.gamma != 0) fit += 2 * options_.gamma * W.sum();
  if (options_.delta != 0) fit += options_.delta * W.squaredNorm();
  return 0.5 * fit;
}

double RriHalf::topics_objective() const {
  return options_.alpha * T_.sum() + 0.5 * options_.beta * T_.squaredNorm();
}

void rri_sweep(RriHalf& half) {
  half.begin_sweep();
  for (Index t = 0; t < half.rank(); ++t) {
    half.update_weights(t);
    half.set_topic(t, half.sums(t));
  }
}

RriHalf rri_nmf(const Samples& Z, const RriOptions& options, const Matrix& T0, int iterations) {
  RriHalf half(Z, options, T0);
  for (int k = 0; k < iterations; ++k) rri_sweep(half);
  return half;
}

Matrix fit_weights(const Samples& Z, const Matrix& T, const RriOptions& options, int sweeps) {
  RriHalf half(Z, options, T, Matrix::Zero(Z.cols(), T.cols()));
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index t = 0; t < half.rank(); ++t) half.update_weights(t);
  return half.W();
}

std::uint64_t rri_sweep_flops(const Samples& Z, Index rank, bool observed_only) {
  const auto k = static_cast<std::uint64_t>(rank);
  const auto stored = static_cast<std::uint64_t>(Z.stored());
  // The residual once; then per topic two sums and a correction for W_t, two sums and a correction for T_t.
  if (observed_only) return 7 * stored * k;
  // X T' and X' W; W (T T'), T (W' W) and the two Gram matrices.
  return 2 * stored * k + 2 * static_cast<std::uint64_t>(Z.rows() + Z.cols()) * k * k;
}

std::uint64_t weight_fit_flops(const Samples& Z, Index rank, int sweeps, bool observed_only) {
  const auto k = static_cast<std::uint64_t>(rank);
  const auto stored = static_cast<std::uint64_t>(Z.stored());
  const auto n = static_cast<std::uint64_t>(sweeps);
  // The residual once; then per sweep and topic two sums and a correction.
  if (observed_only) return stored * k + n * 3 * stored * k;
  // X T' and T T' once; then per sweep W (T T') and W' W.
  return stored * k + static_cast<std::uint64_t>(Z.rows()) * k * k +
         n * 2 * static_cast<std::uint64_t>(Z.cols()) * k * k;
}

}  // namespace sotto
