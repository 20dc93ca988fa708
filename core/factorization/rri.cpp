#include "core/factorization/rri.h"

#include <algorithm>

#include "base/error.h"
#include "core/factorization/row_kernel.h"
#include "core/factorization/rri_block.h"
#include "core/factorization/simplex.h"

namespace sotto {

namespace {

/// Rows that are still in the first-level cache when they are read again.
constexpr Index chunk = 64;

Index padded(Index rank) {
  return (rank + row_lanes - 1) / row_lanes * row_lanes;
}

template <class Rows>
ConstRows some_rows(const Rows& m, Index first, Index count) {
  return {m.data() + first * m.cols(), count, m.cols()};
}

/// Column t of a Gram matrix, rows' * column, into both its places.
template <class Rows>
void renew_gram(const Rows& rows, const Vector& column, Index t, Matrix& gram) {
  Vector sums = Vector::Zero(rows.cols());
  row_kernel().add(some_rows(rows, 0, rows.rows()), column.data(), sums.data());
  gram.col(t) = sums;
  gram.row(t) = sums.head(gram.cols()).transpose();
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

RriHalf::RriHalf(Samples Z, const RriSettings& settings, const Matrix& T0, const Matrix& W0)
    : Z_(std::move(Z)), settings_(settings), rank_(T0.cols()) {
  if (settings.observed_only && settings.simplex)
    throw RunError("RRI-NMF on observed entries cannot keep its topics on the simplex");
  if (settings.observed_only && !Z_.sparse()) throw RunError("RRI-NMF on observed entries needs sparse data");
  if (T0.rows() != Z_.rows() || W0.rows() != Z_.cols() || W0.cols() != rank_)
    throw RunError("RRI-NMF: the factors do not fit the data");
  T_ = Rows::Zero(Z_.rows(), padded(rank_));
  W_ = Rows::Zero(Z_.cols(), padded(rank_));
  T_.leftCols(rank_) = T0;
  W_.leftCols(rank_) = W0;
  if (settings_.observed_only) {
    observed_begin_sweep();
    return;
  }
  X2_ = Z_.squared_norm();
  TT_ = WW_ = Matrix::Zero(padded(rank_), rank_);
  for (Index t = 0; t < rank_; ++t) {
    renew_gram(T_, T_.col(t), t, TT_);
    renew_gram(W_, W_.col(t), t, WW_);
  }
  multiply_topics();
  cross_ = (XT_.array() * W_.leftCols(rank_).array()).colwise().sum().transpose();
}

RriHalf::RriHalf(Samples Z, const RriSettings& settings, const Matrix& T0)
    : RriHalf(Z, settings, T0, Matrix::Zero(Z.cols(), T0.cols())) {
  for (int sweep = 0; sweep < initial_weight_sweeps; ++sweep)
    for (Index t = 0; t < rank_; ++t) update_weights(t);
}

void RriHalf::begin_sweep() {
  if (settings_.observed_only) {
    observed_begin_sweep();
  } else {
    multiply_topics();
  }
}

void RriHalf::multiply_topics() {
  const RowKernel& kernel = row_kernel();
  const ConstRows topics = some_rows(T_, 0, T_.rows());
  XT_.resize(Z_.cols(), rank_);
  if (!Z_.sparse()) {
    const ConstRows X{Z_.cols() > 0 ? Z_.entries(0).values.data() : nullptr, Z_.cols(), Z_.rows()};
    kernel.product(X, topics, rank_, XT_.data(), XT_.rows());
    return;
  }
  Vector row(T_.cols());
  for (Index i = 0; i < Z_.cols(); ++i) {
    const Samples::Entries e = Z_.entries(i);
    row.setZero();
    kernel.add_some(topics, e.features.data(), e.values.data(), std::ssize(e.values), row.data());
    XT_.row(i) = row.head(rank_).transpose();
  }
}

void RriHalf::update_weights(Index t) {
  if (settings_.observed_only) {
    observed_update_weights(t);
    return;
  }
  const double curvature = TT_(t, t) + settings_.delta;
  const Vector coupling = others(TT_, t);
  weights_.resize(Z_.cols());
  Vector gram = Vector::Zero(W_.cols());
  double explained[chunk];
  for (Index first = 0; first < Z_.cols(); first += chunk) {
    const ConstRows rows = some_rows(W_, first, std::min(chunk, Z_.cols() - first));
    row_kernel().dots(rows, coupling.data(), explained);
    // W_t <- [X T_t' - sum_{l != t} W_l (T_l T_t') - gamma]_+ / (|T_t|^2 + delta)
    for (Index r = 0; r < rows.count; ++r) {
      const Index i = first + r;
      weights_[i] = block_minimum(XT_(i, t) - explained[r] - settings_.gamma, curvature);
      W_(i, t) = weights_[i];
    }
    row_kernel().add(rows, weights_.data() + first, gram.data());
  }
  WW_.col(t) = gram;
  WW_.row(t) = gram.head(rank_).transpose();
  cross_[t] = XT_.col(t).dot(weights_);
}

Vector RriHalf::transposed_times_weights() {
  Vector sum = Vector::Zero(Z_.rows());
  if (!Z_.sparse()) {
    const ConstRows X{Z_.cols() > 0 ? Z_.entries(0).values.data() : nullptr, Z_.cols(), Z_.rows()};
    row_kernel().add(X, weights_.data(), sum.data());
    return sum;
  }
  for (Index i = 0; i < Z_.cols(); ++i) {
    const double w = weights_[i];
    if (w == 0) continue;
    const auto [features, values] = Z_.entries(i);
    for (std::size_t e = 0; e < values.size(); ++e) sum[features[e]] += w * values[e];
  }
  return sum;
}

TopicSums RriHalf::sums(Index t) {
  if (settings_.observed_only) return observed_sums(t);
  weights_ = W_.col(t);
  XtW_ = transposed_times_weights();
  // W_t' R_t = W_t' X - sum_{l != t} (W_t' W_l) T_l
  TopicSums s{Vector(Z_.rows()), Vector::Constant(1, WW_(t, t))};
  row_kernel().dots(some_rows(T_, 0, T_.rows()), others(WW_, t).data(), s.numerator.data());
  s.numerator = XtW_ - s.numerator;
  return s;
}

Vector RriHalf::next_topic(Index t, const TopicSums& s) const {
  const Index d = Z_.rows();
  Vector next(d);
  if (settings_.simplex) {
    const double curvature = s.denominator[0] + settings_.beta;
    if (curvature > 0) {
      // T_t <- argmin_{x in simplex} |x - (W_t' R_t - alpha) / (|W_t|^2 + beta)|
      next = (s.numerator.array() - settings_.alpha) / curvature;
      project_onto_simplex(next);
    } else {
      Index corner = 0;
      s.numerator.maxCoeff(&corner);
      next = Vector::Unit(d, corner);
    }
    return next;
  }
  const Index step = s.denominator.size() == 1 ? 0 : 1;
  // T_t <- [W_t' R_t - alpha]_+ / (|W_t|^2 + beta)
  for (Index j = 0; j < d; ++j) {
    const double norm = s.denominator[j * step];
    next[j] = norm == 0 && settings_.beta == 0
                  ? T_(j, t)
                  : block_minimum(s.numerator[j] - settings_.alpha, norm + settings_.beta);
  }
  return next;
}

void RriHalf::set_topic(Index t, const TopicSums& of_everybody) {
  const bool unused = settings_.beta == 0 && of_everybody.denominator.isZero(0);
  const Vector T_t = unused ? Vector(T_.col(t)) : next_topic(t, of_everybody);
  if (settings_.observed_only) {
    observed_set_topic(t, T_t);
    return;
  }
  T_.col(t) = T_t;
  renew_gram(T_, T_t, t, TT_);
  cross_[t] = XtW_.dot(T_t);
}

double RriHalf::own_objective() const {
  double fit = 0;
  if (settings_.observed_only) {
    fit = residual_.squaredNorm();
  } else {
    // |X - W T|^2 = |X|^2 - 2 <X, W T> + <W' W, T T'>
    fit = std::max(0.0, X2_ - 2 * cross_.sum() + (WW_.array() * TT_.array()).sum());
  }
  return 0.5 * fit + settings_.gamma * W_.sum() + 0.5 * settings_.delta * W_.squaredNorm();
}

double RriHalf::topics_objective() const {
  return settings_.alpha * T_.sum() + 0.5 * settings_.beta * T_.squaredNorm();
}

void rri_sweep(RriHalf& half) {
  half.begin_sweep();
  for (Index t = 0; t < half.rank(); ++t) {
    half.update_weights(t);
    half.set_topic(t, half.sums(t));
  }
}

RriHalf rri_nmf(const Samples& Z, const RriSettings& settings, const Matrix& T0, int iterations) {
  RriHalf half(Z, settings, T0);
  for (int k = 0; k < iterations; ++k) rri_sweep(half);
  return half;
}

Matrix fit_weights(const Samples& Z, const Matrix& T, const RriSettings& settings, int sweeps) {
  RriHalf half(Z, settings, T, Matrix::Zero(Z.cols(), T.cols()));
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

}  // namespace sotto
