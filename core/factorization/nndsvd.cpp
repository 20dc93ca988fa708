// SPDX-License-Identifier: MIT
#include "core/factorization/nndsvd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/decompositions.h"
#include "base/error.h"
#include "base/random_stream.h"

namespace sotto {

namespace {

/// A B, column after column. Eigen's product of matrices adds in an order that depends on the sizes of the machine's caches.
template <class A>
Matrix product(const A& a, const Matrix& b) {
  Matrix ab(a.rows(), b.cols());
  for (Index k = 0; k < b.cols(); ++k) ab.col(k).noalias() = a * b.col(k);
  return ab;
}

/// X' X / |X|^2, or X X' / |X|^2: eigenvalues to 1.
class GramOperator {
 public:
  GramOperator(const Samples& Z, bool of_features, double squared_norm)
      : Z_(Z), of_features_(of_features), scale_(1 / squared_norm) {}
  Index size() const { return of_features_ ? Z_.rows() : Z_.cols(); }
  /// X v for a vector of the smaller side, or X' v.
  Vector across(const Vector& v) const {
    return of_features_ ? Z_.transposed_times(v) : Z_.times_transposed(v.transpose());
  }
  /// Multiply-adds of `across`; `times` takes two of it.
  std::uint64_t flops() const { return static_cast<std::uint64_t>(Z_.stored()); }
  Vector times(const Vector& v) const {
    const Vector u = across(v);
    return scale_ * (of_features_ ? Z_.times_transposed(u.transpose()) : Z_.transposed_times(u));
  }

 private:
  const Samples& Z_;
  bool of_features_;
  double scale_;
};

struct Eigenpairs {
  Vector values;  ///< falling
  Matrix vectors;
  std::uint64_t flops = 0;  ///< multiply-adds with matrices as large as the data or the vectors
};

/// Of a small symmetric matrix, all of them.
Eigenpairs all_eigenpairs(const Matrix& H) {
  const SymmetricEigen all = symmetric_eigen(H);
  return {all.values.reverse(), all.vectors.rowwise().reverse(), 0};
}

/// The Lanczos method with thick restarts (Wu and Simon 2000), every vector orthogonalized against all others: data of low
/// rank end the Krylov space early, and then any new direction will do.
class Lanczos {
 public:
  Lanczos(const GramOperator& gram, Index wanted)
      : gram_(gram),
        wanted_(wanted),
        random_({0, StreamName::every_run, StreamName::everyone, "lanczos"}),
        Q_(gram.size(), 2 * wanted + 10),
        AQ_(Q_.rows(), Q_.cols()) {}

  Eigenpairs largest() {
    constexpr int most_restarts = 1000;
    constexpr double tolerance = 1e-12;
    Vector next = Vector::Zero(Q_.rows());
    for (int restart = 0; restart < most_restarts; ++restart) {
      while (filled_ < Q_.cols()) next = extend(next);
      const Eigenpairs ritz = all_eigenpairs(product(Q_.transpose(), AQ_));
      const Matrix found = product(Q_, ritz.vectors.leftCols(wanted_));
      const Matrix residuals =
          product(AQ_, ritz.vectors.leftCols(wanted_)) - found * ritz.values.head(wanted_).asDiagonal();
      count(Q_.cols() * (Q_.cols() + 2 * wanted_));
      if (residuals.colwise().norm().maxCoeff() <= tolerance * ritz.values[0])
        return {ritz.values.head(wanted_), found, flops_};
      filled_ = wanted_ + (Q_.cols() - wanted_) / 2;
      Q_.leftCols(filled_) = product(Q_, ritz.vectors.leftCols(filled_));
      AQ_.leftCols(filled_) = product(AQ_, ritz.vectors.leftCols(filled_));
      count(2 * Q_.cols() * filled_);
    }
    throw RunError("the singular value decomposition did not converge");
  }

 private:
  /// So many vectors as long as the basis' were multiplied and added.
  void count(Index vectors) { flops_ += static_cast<std::uint64_t>(vectors * Q_.rows()); }

  /// What is left of v outside the space so far; twice is enough.
  Vector outside(Vector v) const {
    for (int twice = 0; twice < 2; ++twice)
      v -= Q_.leftCols(filled_) * (Q_.leftCols(filled_).transpose() * v);
    return v;
  }

  /// Adds a direction to the space and returns the one that the Krylov space goes on with.
  Vector extend(Vector next) {
    constexpr double rounding = 1e-14;
    while (next.norm() <= rounding) {
      for (double& x : next) x = random_.uniform() - 0.5;
      next = outside(next / next.norm());
    }
    Q_.col(filled_) = outside(next / next.norm()).normalized();
    AQ_.col(filled_) = gram_.times(Q_.col(filled_));
    flops_ += 2 * gram_.flops();
    ++filled_;
    count(8 * filled_);  // twice outside, which is twice two products
    return outside(AQ_.col(filled_ - 1));
  }

  const GramOperator& gram_;
  Index wanted_;
  RandomStream random_;
  Index filled_ = 0;
  Matrix Q_, AQ_;
  std::uint64_t flops_ = 0;
};

Eigenpairs largest_eigenpairs(const GramOperator& gram, Index count) {
  const Index size = gram.size();
  if (2 * count + 10 < size) return Lanczos(gram, count).largest();
  Matrix whole(size, size);
  for (Index k = 0; k < size; ++k) whole.col(k) = gram.times(Vector::Unit(size, k));
  const Eigenpairs all = all_eigenpairs(whole);
  return {all.values.head(count), all.vectors.leftCols(count),
          2 * gram.flops() * static_cast<std::uint64_t>(size)};
}

}  // namespace

TruncatedSvd truncated_svd(const Samples& Z, Index rank) {
  constexpr double resolved = 1e-7;
  if (rank < 1 || rank > std::min(Z.rows(), Z.cols()))
    throw RunError(
        fmt::format("a decomposition of rank {} needs as many samples and features: there are {} and {}",
                    rank, Z.cols(), Z.rows()));
  const bool of_features = Z.rows() <= Z.cols();
  const double squared_norm = Z.squared_norm();
  if (squared_norm == 0)
    return {Matrix::Zero(Z.cols(), rank), Vector::Zero(rank), Matrix::Zero(Z.rows(), rank), 0};
  const GramOperator gram(Z, of_features, squared_norm);
  Eigenpairs pairs = largest_eigenpairs(gram, rank);
  TruncatedSvd svd;
  svd.flops = pairs.flops + static_cast<std::uint64_t>(rank) * gram.flops();
  svd.sigma = (squared_norm * pairs.values.cwiseMax(0.0)).cwiseSqrt();
  Matrix& small = of_features ? svd.V : svd.U;
  Matrix& large = of_features ? svd.U : svd.V;
  small = std::move(pairs.vectors);
  large.resize(of_features ? Z.cols() : Z.rows(), rank);
  for (Index k = 0; k < rank; ++k) {
    if (svd.sigma[k] <= resolved * svd.sigma[0]) {
      svd.sigma[k] = 0;
      large.col(k).setZero();
    } else {
      large.col(k) = gram.across(small.col(k)) / svd.sigma[k];
    }
    const Matrix& V = svd.sigma[k] > 0 ? svd.V : small;
    Index largest = 0;
    V.col(k).cwiseAbs().maxCoeff(&largest);
    if (V(largest, k) > 0) continue;
    small.col(k) *= -1;
    large.col(k) *= -1;
  }
  return svd;
}

NonnegativeStart nndsvd(const TruncatedSvd& svd, double fill) {
  constexpr double tiny = 1e-6;
  const Index rank = svd.sigma.size();
  NonnegativeStart start{Matrix(svd.V.rows(), rank), Matrix(svd.U.rows(), rank), svd.flops};
  for (Index k = 0; k < rank; ++k) {
    Vector u = svd.U.col(k).cwiseMax(0.0);
    Vector v = svd.V.col(k).cwiseMax(0.0);
    const Vector minus_u = (-svd.U.col(k)).cwiseMax(0.0);
    const Vector minus_v = (-svd.V.col(k)).cwiseMax(0.0);
    if (k == 0) {  // nonnegative but for rounding (Perron and Frobenius)
      u = svd.U.col(0).cwiseAbs();
      v = svd.V.col(0).cwiseAbs();
    } else if (minus_u.norm() * minus_v.norm() >= u.norm() * v.norm()) {
      u = minus_u;
      v = minus_v;
    }
    // sqrt(sigma |u| |v|) u / |u|, and the same for v
    const double size = u.norm() * v.norm();
    const double scale = size > 0 ? std::sqrt(svd.sigma[k] / size) : 0;
    start.W.col(k) = scale * v.norm() * u;
    start.T.col(k) = scale * u.norm() * v;
  }
  for (Matrix* m : {&start.T, &start.W}) *m = m->unaryExpr([&](double x) { return x < tiny ? fill : x; });
  return start;
}

NonnegativeStart nndsvd(const Samples& Z, Index rank, double fill) {
  return nndsvd(truncated_svd(Z, rank), fill);
}

}  // namespace sotto
