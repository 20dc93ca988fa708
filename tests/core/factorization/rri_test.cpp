// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/decompositions.h"
#include "base/error.h"
#include "base/random_stream.h"
#include "core/factorization/nndsvd.h"
#include "core/factorization/row_kernel.h"
#include "core/factorization/rri.h"
#include "core/factorization/simplex.h"
#include "tests/support/matrices.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Uniform where a coin of this probability says so, zero elsewhere.
SparseMatrix random_sparse(Index rows, Index cols, double density, RandomStream& random) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r)
      if (random.uniform() < density)
        entries.emplace_back(static_cast<int>(r), static_cast<int>(c), 0.1 + random.uniform());
  SparseMatrix m(rows, cols);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

/// E(W, T), eqs. (2) and (3), by the definition.
double objective(const Samples& Z, const RriOptions& s, const Matrix& T, const Matrix& W) {
  double fit = 0;
  if (s.observed_only()) {
    Z.each([&](Index j, Index i, double x) {
      const double r = x - W.row(i).dot(T.row(j));
      fit += r * r;
    });
  } else {
    for (Index i = 0; i < Z.cols(); ++i) fit += (Z.column(i) - T * W.row(i).transpose()).squaredNorm();
  }
  return 0.5 * fit + s.alpha * T.sum() + 0.5 * s.beta * T.squaredNorm() + s.gamma * W.sum() +
         0.5 * s.delta * W.squaredNorm();
}

std::vector<RriOptions> all_settings() {
  return {{},
          {0.3, 0.2, 0.1, 0.4, TopicSet::free, CountedEntries::all},
          {0, 0, 0, 0, TopicSet::simplex, CountedEntries::all},
          {0.3, 0.2, 0.1, 0.4, TopicSet::simplex, CountedEntries::all},
          {0, 0, 0, 0, TopicSet::free, CountedEntries::stored},
          {0.3, 0.2, 0.1, 0.4, TopicSet::free, CountedEntries::stored}};
}

/// Moves one number, or two on the simplex, of a column by `size` where that stays feasible, and reports how much lower E
/// gets.
double best_gain(Matrix& m, Index t, bool simplex, double most, const std::function<double()>& value,
                 RandomStream& random) {
  const double before = value();
  double gain = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index a = static_cast<Index>(random.below(static_cast<std::uint64_t>(m.rows())));
    const Index b = static_cast<Index>(random.below(static_cast<std::uint64_t>(m.rows())));
    const double size = (random.uniform() - 0.5) * (trial % 2 == 0 ? 1.0 : 1e-3);
    const Vector column = m.col(t);
    m(a, t) = std::clamp(column[a] + size, 0.0, most);
    if (simplex && a != b) m(b, t) = column[b] - (m(a, t) - column[a]);
    if (simplex && (a == b || m(b, t) < 0)) {
      m.col(t) = column;
      continue;
    }
    gain = std::max(gain, before - value());
    m.col(t) = column;
  }
  return gain;
}

/// After every step of a sweep no move within the step's block lowers E.
void check_block_minima(const Samples& Z, const RriOptions& s, const Matrix& T0, const Matrix& W0,
                        double most_T, double most_W, RandomStream& random) {
  RriHalf half(Z, s, T0, W0);
  for (int sweep = 0; sweep < 3; ++sweep) {
    half.begin_sweep();
    for (Index t = 0; t < half.rank(); ++t) {
      half.update_weights(t);
      Matrix T = half.T();
      Matrix W = half.W();
      const auto value = [&] { return objective(Z, s, T, W); };
      CHECK(half.objective() == doctest::Approx(value()).epsilon(1e-10));
      CHECK(best_gain(W, t, false, most_W, value, random) < 1e-11);
      half.set_topic(t, half.sums(t));
      T = half.T();
      CHECK(half.objective() == doctest::Approx(value()).epsilon(1e-10));
      CHECK(T.minCoeff() >= 0);
      if (s.simplex()) CHECK(std::abs(T.col(t).sum() - 1) < 1e-12);
      CHECK(best_gain(T, t, s.simplex(), most_T, value, random) < 1e-11);
    }
  }
}

double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).norm() / b.norm();
}

}  // namespace

TEST_CASE("simplex: the projection is the one that sorting gives") {
  RandomStream random({1, 0, 0, "simplex"});
  for (int trial = 0; trial < testing::repetitions(10000, 1000); ++trial) {
    const auto size = static_cast<Index>(1 + random.below(40));
    Vector x(size);
    const double scale = trial % 3 == 0 ? 0.01 : trial % 3 == 1 ? 1 : 100;
    for (double& y : x) y = scale * random.normal() + (trial % 5 == 0 ? 1000 : 0);
    if (trial % 7 == 0) x.setConstant(x[0]);  // ties
    std::vector<double> sorted(x.begin(), x.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0;
    double tau = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      sum += sorted[k];
      const double candidate = (sum - 1) / static_cast<double>(k + 1);
      if (sorted[k] > candidate) tau = candidate;
    }
    const Vector expected = (x.array() - tau).cwiseMax(0.0);
    project_onto_simplex(x);
    CHECK(x.minCoeff() >= 0);
    CHECK(std::abs(x.sum() - 1) < 1e-12);
    CHECK((x - expected).cwiseAbs().maxCoeff() < 2e-12);
  }
}

TEST_CASE("row kernels: the same bits from every one of them") {
  RandomStream random({2, 0, 0, "kernel"});
  const RowKernel& best = row_kernel();
  for (const Index length : {4, 8, 20, 52}) {
    const Index count = 37;
    const Matrix rows = random_matrix(length, count, random);
    const Matrix v = random_matrix(length, 1, random);
    const Matrix X = random_matrix(count, 23, random);
    Vector a = random_matrix(count, 1, random);
    for (Index k = 0; k < count; k += 3) a[k] = 0;
    const std::vector<std::int32_t> which = {3, 0, 36, 7, 7, 12};
    const ConstRows r{rows.data(), count, length};
    std::vector<Matrix> results;
    for (const RowKernel* kernel : {&plain_row_kernel, &best}) {
      Matrix dots(count, 1), sum = v, some = v, product(23, length - 1);
      kernel->dots(r, v.data(), dots.data());
      kernel->add(r, a.data(), sum.data());
      kernel->add_some(r, which.data(), a.data(), std::ssize(which), some.data());
      kernel->product({X.data(), 23, count}, r, length - 1, product.data(), 23);
      for (const Matrix& m : {dots, sum, some, product}) results.push_back(m);
    }
    for (std::size_t k = 0; k < 4; ++k) CHECK(results[k] == results[k + 4]);
    CHECK((results[0] - rows.transpose() * v).norm() < 1e-12);
    CHECK((results[1] - v - rows * a).norm() < 1e-12);
    CHECK((results[3] - X.transpose() * rows.topRows(length - 1).transpose()).norm() < 1e-12);
    // Lengths that fill no register: rows of dense data.
    const ConstRows odd{rows.data(), count, length - 1};
    Vector one = Vector::Zero(length - 1), other = one;
    plain_row_kernel.add(odd, a.data(), one.data());
    best.add(odd, a.data(), other.data());
    CHECK(one == other);
  }
}

TEST_CASE("rri: every update is the minimum of its block") {
  RandomStream random({3, 0, 0, "rri"});
  for (const RriOptions& s : all_settings()) {
    const Samples Z = random_sparse(9, 14, 0.6, random);
    check_block_minima(Z, s, random_matrix(9, 3, random), random_matrix(14, 3, random), 1e9, 1e9, random);
    if (s.observed_only()) continue;
    const Samples dense = random_matrix(9, 14, random);
    check_block_minima(dense, s, random_matrix(9, 3, random), random_matrix(14, 3, random), 1e9, 1e9, random);
  }
}

TEST_CASE("rri: negative curvature puts the minimum at a corner") {
  RandomStream random({4, 0, 0, "corner"});
  const Samples Z = random_sparse(9, 14, 0.5, random);
  const Matrix T0 = random_matrix(9, 3, random);
  const Matrix W0 = random_matrix(14, 3, random);
  RriOptions s;
  s.alpha = s.gamma = 0.05;
  s.delta = -20;  // below -|T_t|^2 whatever T in [0, 1] is
  s.beta = -30;
  for (const bool simplex : {false, true})
    for (const bool observed : {false, true}) {
      if (simplex && observed) continue;
      s.topics = simplex ? TopicSet::simplex : TopicSet::free;
      s.weights = observed ? CountedEntries::stored : CountedEntries::all;
      check_block_minima(Z, s, T0, W0, 1, 1, random);
      RriHalf half(Z, s, T0, W0);
      rri_sweep(half);
      CHECK((half.T().array() * (1 - half.T().array())).isZero(0));
      CHECK((half.W().array() * (1 - half.W().array())).isZero(0));
    }
}

TEST_CASE("rri: corollary 1 with the half of the objective") {
  // n = d = k = 1: E(w) = 1/2 (x - w)^2 + 1/2 delta w^2 with T = 1; the corner is 1 if -x + (1 + delta)/2 < 0.
  RriOptions s;
  s.delta = -1.5;
  s.gamma = 0.35;  // w + c = 0.35 - 0.05 - 0.5 <= 0 would say 1; w + c/2 = 0.05 says 0
  Matrix x(1, 1), one = Matrix::Ones(1, 1);
  x << 0.05;
  RriHalf half(Samples(x), s, one, one);
  half.update_weights(0);
  CHECK(half.W()(0, 0) == 0);
  CHECK(objective(Samples(x), s, one, 0 * one) < objective(Samples(x), s, one, one));
}

TEST_CASE("rri: the objective never rises") {
  RandomStream random({5, 0, 0, "descent"});
  for (const RriOptions& s : all_settings()) {
    const Samples Z = random_sparse(30, 50, 0.3, random);
    RriHalf half(Z, s, random_matrix(30, 6, random));
    double before = half.objective();
    if (s.simplex()) {  // T0 is not on the simplex
      rri_sweep(half);
      before = half.objective();
    }
    for (int sweep = 0; sweep < 60; ++sweep) {
      rri_sweep(half);
      CHECK(half.objective() <= before * (1 + 1e-12));
      before = half.objective();
    }
    CHECK(before == doctest::Approx(objective(Z, s, half.T(), half.W())).epsilon(1e-11));
  }
}

TEST_CASE("rri: three parties with the sums added are the centralized algorithm") {
  RandomStream random({6, 0, 0, "parties"});
  for (const bool sparse : {true, false})
    for (const RriOptions& s : all_settings()) {
      if (s.observed_only() && !sparse) continue;
      const Samples Z =
          sparse ? Samples(random_sparse(25, 40, 0.4, random)) : Samples(random_matrix(25, 40, random));
      const Matrix T0 = random_matrix(25, 5, random);
      RriHalf whole(Z, s, T0);
      std::vector<RriHalf> parties;
      for (const auto& [first, count] : {std::pair<Index, Index>{0, 7}, {7, 0}, {7, 33}})
        parties.emplace_back(Z.columns(first, count), s, T0);
      for (int sweep = 0; sweep < 5; ++sweep) {
        whole.begin_sweep();
        for (RriHalf& party : parties) party.begin_sweep();
        for (Index t = 0; t < 5; ++t) {
          whole.update_weights(t);
          const TopicSums expected = whole.sums(t);
          TopicSums sum;
          for (RriHalf& party : parties) {
            party.update_weights(t);
            const TopicSums part = party.sums(t);
            if (&party == &parties.front()) {
              sum = part;
            } else {
              sum += part;
            }
          }
          CHECK(relative_difference(sum.numerator, expected.numerator) < 1e-12);
          CHECK(relative_difference(sum.denominator, expected.denominator) < 1e-12);
          whole.set_topic(t, expected);
          for (RriHalf& party : parties) party.set_topic(t, sum);
        }
      }
      double objective_of_parties = parties[0].topics_objective();
      for (const RriHalf& party : parties) {
        CHECK(relative_difference(party.T(), whole.T()) < 1e-12);
        objective_of_parties += party.own_objective();
      }
      CHECK(objective_of_parties == doctest::Approx(whole.objective()).epsilon(1e-12));
      CHECK(relative_difference(parties[2].W(), whole.W().bottomRows(33)) < 1e-12);
    }
}

TEST_CASE("rri: dense and sparse storage of a matrix agree") {
  RandomStream random({7, 0, 0, "storage"});
  for (const RriOptions& s : all_settings()) {
    if (s.observed_only()) continue;
    const Index d = s.simplex() ? 40 : 20;
    const SparseMatrix sparse = random_sparse(d, 70, 0.3, random);
    const Matrix T0 = random_matrix(d, 7, random);
    const RriHalf a = rri_nmf(sparse, s, T0, 8);
    const RriHalf b = rri_nmf(Matrix(sparse), s, T0, 8);
    CHECK(relative_difference(a.T(), b.T()) < 1e-12);
    CHECK(relative_difference(a.W(), b.W()) < 1e-12);
    CHECK(a.objective() == doctest::Approx(b.objective()).epsilon(1e-12));
  }
}

TEST_CASE("rri: saved and loaded, it goes on with the same bits") {
  RandomStream random({8, 0, 0, "state"});
  for (const bool sparse : {true, false})
    for (const RriOptions& s : all_settings()) {
      if (s.observed_only() && !sparse) continue;
      const Samples Z =
          sparse ? Samples(random_sparse(20, 45, 0.3, random)) : Samples(random_matrix(20, 45, random));
      const Matrix T0 = random_matrix(20, 5, random);
      RriHalf straight = rri_nmf(Z, s, T0, 4);
      Writer w;
      straight.save(w);
      const Bytes bytes = w.take();
      Reader r(bytes);
      RriHalf resumed = RriHalf::loaded(Z, s, r);
      r.finish();
      for (int sweep = 0; sweep < 30; ++sweep) {
        rri_sweep(straight);
        rri_sweep(resumed);
      }
      CHECK(straight.T() == resumed.T());
      CHECK(straight.W() == resumed.W());
      CHECK(straight.objective() == resumed.objective());
    }
}

TEST_CASE("rri: X' W by way of X' X does not drift") {
  RandomStream random({14, 0, 0, "drift"});
  for (const RriOptions& s : all_settings()) {
    if (s.observed_only()) continue;
    const SparseMatrix sparse = random_sparse(12, 100, 0.9, random);
    const Matrix T0 = random_matrix(12, 5, random);
    RriHalf dense(Matrix(sparse), s, T0);
    for (int sweep = 0; sweep < 300; ++sweep) {
      rri_sweep(dense);
      if (sweep % 10 != 0) continue;
      RriHalf other(sparse, s, dense.T(), dense.W());  // by the samples themselves
      RriHalf copy = dense;
      rri_sweep(other);
      rri_sweep(copy);
      CHECK(relative_difference(copy.T(), other.T()) < 1e-11);
      CHECK(copy.objective() == doctest::Approx(objective(sparse, s, copy.T(), copy.W())).epsilon(1e-11));
    }
  }
}

TEST_CASE("rri: topics and samples of zeros do no harm") {
  RandomStream random({9, 0, 0, "dead"});
  for (const RriOptions& s : all_settings()) {
    SparseMatrix Z = random_sparse(12, 20, 0.5, random);
    Z.col(3) *= 0.0;
    Z.prune(0.0);
    Matrix T0 = random_matrix(12, 4, random);
    T0.col(1).setZero();
    Matrix W0 = random_matrix(20, 4, random);
    W0.col(2).setZero();
    RriHalf half(Z, s, T0, W0);
    half.begin_sweep();
    half.update_weights(1);
    if (s.delta == 0) CHECK(half.W().col(1).isZero(0));
    if (s.beta == 0) {  // nobody uses topic 1
      half.set_topic(1, half.sums(1));
      CHECK(half.T().col(1) == T0.col(1));
    }
    for (int sweep = 0; sweep < 5; ++sweep) rri_sweep(half);
    CHECK(half.T().allFinite());
    CHECK(half.W().allFinite());
    CHECK(std::isfinite(half.objective()));
  }
}

TEST_CASE("rri: with alpha > 0 a topic that nobody uses becomes 0, its minimum; else it stays") {
  RandomStream random({10, 0, 0, "unused"});
  const SparseMatrix Z = random_sparse(12, 20, 0.5, random);
  Matrix T0 = random_matrix(12, 3, random);
  for (auto topic : T0.colwise()) topic /= topic.sum();
  const Matrix W0 = Matrix::Zero(20, 3);
  for (RriOptions s : all_settings()) {
    s.beta = 0;
    RriHalf half(Z, s, T0, W0);
    half.begin_sweep();
    half.set_topic(1, half.sums(1));
    Matrix T = half.T();
    CHECK(T.col(1).isZero(0) == (s.alpha > 0 && !s.simplex()));
    if (s.alpha == 0 || s.simplex()) CHECK(T == T0);
    CHECK(best_gain(
              T, 1, s.simplex(), 1e9, [&] { return objective(Z, s, T, W0); }, random) < 1e-12);
  }
  // observed entries: feature 2 is only in sample 1, which does not use the topic
  const Matrix X{{1, 0}, {1, 0}, {0, 1}};
  for (const double alpha : {0.0, 0.1}) {
    RriHalf half(SparseMatrix(X.sparseView()), {alpha, 0, 0, 0, TopicSet::free, CountedEntries::stored},
                 Matrix::Constant(3, 1, 0.5), Matrix{{1}, {0}});
    half.set_topic(0, half.sums(0));
    CHECK(half.T()(0, 0) == doctest::Approx(1 - alpha));
    CHECK(half.T()(2, 0) == (alpha > 0 ? 0 : 0.5));
  }
}

TEST_CASE("rri: weights for a fixed T solve their least squares problem") {
  RandomStream random({10, 0, 0, "fit"});
  for (const RriOptions& s : all_settings()) {
    const Samples Z = random_sparse(20, 15, 0.5, random);
    const Matrix T = random_matrix(20, 4, random);
    Matrix W = fit_weights(Z, T, s, 3000);
    const auto value = [&] { return objective(Z, s, T, W); };
    for (Index t = 0; t < 4; ++t) CHECK(best_gain(W, t, false, 1e9, value, random) < 1e-11);
  }
}

TEST_CASE("rri: observed entries give back a matrix of low rank") {
  RandomStream random({11, 0, 0, "ratings"});
  const Matrix W = random_matrix(40, 3, random);
  const Matrix T = random_matrix(30, 3, random);
  const Matrix whole = T * W.transpose();
  const SparseMatrix pattern = random_sparse(30, 40, 0.6, random);
  const Samples Z = Samples(pattern).changed([&](Index r, Index c, double) { return whole(r, c); });
  RriOptions s;
  s.weights = CountedEntries::stored;
  const RriHalf half = rri_nmf(Z, s, random_matrix(30, 3, random), 5000);
  CHECK((half.T() * half.W().transpose() - whole).norm() < 1e-3 * whole.norm());
}

TEST_CASE("rri: settings that exclude each other are refused") {
  RriOptions s;
  s.weights = CountedEntries::stored;
  CHECK_THROWS_AS(RriHalf(Matrix(Matrix::Ones(3, 4)), s, Matrix::Ones(3, 2)), RunError);
  s.topics = TopicSet::simplex;
  CHECK_THROWS_AS(RriHalf(SparseMatrix(3, 4), s, Matrix::Ones(3, 2)), RunError);
}

TEST_CASE("svd: singular values and vectors are Eigen's, dense and sparse, both shapes") {
  RandomStream random({12, 0, 0, "svd"});
  for (const auto& [rows, cols, rank] :
       {std::tuple<Index, Index, Index>{60, 90, 6}, {90, 60, 6}, {5, 30, 5}, {30, 5, 5}, {40, 40, 1}}) {
    const SparseMatrix Z = random_sparse(rows, cols, 0.3, random);
    const ThinSvd expected = thin_svd(Matrix(Z).transpose());
    for (const Samples& samples : {Samples(Z), Samples(Matrix(Z))}) {
      const TruncatedSvd svd = truncated_svd(samples, rank);
      CHECK((svd.sigma - expected.sigma.head(rank)).norm() < 1e-10 * svd.sigma[0]);
      for (Index k = 0; k < rank; ++k) {
        CHECK(std::abs(svd.U.col(k).dot(expected.U.col(k))) == doctest::Approx(1).epsilon(1e-8));
        CHECK(std::abs(svd.V.col(k).dot(expected.V.col(k))) == doctest::Approx(1).epsilon(1e-8));
        CHECK(svd.V.col(k).maxCoeff() >= -svd.V.col(k).minCoeff());
      }
      CHECK(svd.V == truncated_svd(samples, rank).V);
    }
  }
  // Fewer directions than asked for.
  for (const Index rank : {1, 2, 4}) {
    const Matrix Z = 1e5 * random_matrix(50, rank, random) * random_matrix(rank, 70, random);
    const TruncatedSvd svd = truncated_svd(Z, 5);
    CHECK((Z.transpose() - svd.U * svd.sigma.asDiagonal() * svd.V.transpose()).norm() < 1e-10 * Z.norm());
    CHECK(svd.sigma.tail(5 - rank).isZero(0));
  }
  CHECK(truncated_svd(SparseMatrix(5, 4), 2).sigma.isZero(0));
  CHECK_THROWS_WITH_AS(truncated_svd(Matrix(Matrix::Ones(3, 7)), 4),
                       "a decomposition of rank 4 needs as many samples and features: there are 7 and 3",
                       RunError);
}

TEST_CASE("nndsvd: nonnegative, exact for rank one, zeros filled on request") {
  RandomStream random({13, 0, 0, "nndsvd"});
  const Matrix t = random_matrix(20, 1, random);
  const Matrix w = random_matrix(30, 1, random);
  const Matrix one = t * w.transpose();
  const NonnegativeStart exact = nndsvd(one, 1);
  CHECK((exact.T * exact.W.transpose() - one).norm() < 1e-12 * one.norm());

  const NonnegativeStart too_many = nndsvd(one, 3);
  CHECK((too_many.T * too_many.W.transpose() - one).norm() < 1e-12 * one.norm());

  const Matrix Z = random_matrix(20, 30, random);
  const NonnegativeStart start = nndsvd(Z, 5);
  CHECK(start.T.minCoeff() == 0);
  CHECK(start.W.minCoeff() == 0);
  const NonnegativeStart filled = nndsvd(Z, 5, 0.25);
  for (Index k = 0; k < filled.T.size(); ++k)
    CHECK(filled.T.data()[k] == (start.T.data()[k] > 0 ? start.T.data()[k] : 0.25));
}

TEST_CASE("nndsvd: scikit-learn's numbers") {
  Matrix Z(4, 5);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 4; ++j) Z(j, i) = static_cast<double>((3 * i * i + 5 * j + 2 * i * j) % 7);
  // _initialize_nmf(X, 3, init="nndsvd") of scikit-learn 1.2.1
  Matrix W(5, 3), T(4, 3);
  W << 1.01279473707673, 1.835927659189913, 0,                  //
      1.520098672119339, 0.378614769737956, 0.558492010898028,  //
      1.520703049788835, 0, 1.043627320076853,                  //
      1.879661122178288, 0, 0,                                  //
      2.373890561918201, 0.473517124710224, 0.072485873179166;
  T << 2.543289313117897, 0, 0,                 //
      1.831129060666981, 1.645234404964848, 0,  //
      1.358912429402808, 1.015579506368692, 1.168258717127395, 1.774676335119988, 0, 0.20370832362502;
  const NonnegativeStart start = nndsvd(Z, 3);
  CHECK((start.W - W).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((start.T - T).cwiseAbs().maxCoeff() < 1e-13);
}
