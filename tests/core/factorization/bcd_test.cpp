// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "base/random_stream.h"
#include "core/factorization/bcd.h"
#include "core/factorization/hals.h"
#include "tests/support/matrices.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Largest violation of the optimality conditions of min_{Y >= 0} 1/2 |Z - X Y|^2, relative to the gradient
/// at 0.
double kkt_violation(const Matrix& Z, const Matrix& X, const Matrix& Y) {
  const Matrix gradient = X.transpose() * (X * Y - Z);
  const double scale = (X.transpose() * Z).cwiseAbs().maxCoeff();
  double worst = std::max(0.0, -Y.minCoeff());
  for (Index k = 0; k < Y.size(); ++k) {
    const double g = gradient.data()[k] / scale;
    worst = std::max(worst, Y.data()[k] > 1e-12 ? std::abs(g) : std::max(0.0, -g));
  }
  return worst;
}

}  // namespace

TEST_CASE("hals: many sweeps solve the nonnegative least squares problem") {
  RandomStream random({1, 0, 0, "hals"});
  for (const Index samples : {1, 7, 64, 65, 200}) {
    const Matrix X = random_matrix(30, 5, random);
    const Matrix Z = random_matrix(30, samples, random) - Matrix::Constant(30, samples, 0.3);
    Matrix Y = right_factor_start(Z, X);
    const double before = (Z - X * Y).norm();
    hals_right(Z, X, Y, 1);
    CHECK((Z - X * Y).norm() <= before);
    hals_right(Z, X, Y, 3000);
    CHECK(kkt_violation(Z, X, Y) < 1e-10);
  }
}

TEST_CASE("hals: a column of zeros in X does no harm") {
  RandomStream random({2, 0, 0, "hals"});
  Matrix X = random_matrix(10, 3, random);
  X.col(1).setZero();
  const Matrix Z = random_matrix(10, 5, random);
  Matrix Y = Matrix::Ones(3, 5);
  hals_right(Z, X, Y, 2000);
  CHECK(Y.allFinite());
  CHECK(kkt_violation(Z, X, Y) < 1e-10);
}

TEST_CASE("admm: eqs. (12)-(14) arrive where HALS does") {
  RandomStream random({3, 0, 0, "admm"});
  DescentOptions s;
  s.right_factor = RightFactor::admm;
  s.right_iterations = 5000;
  const Matrix Z = random_matrix(20, 15, random);
  Factors f = Factors::from(s, random_matrix(20, 4, random), 15);
  update_right(s, Z, f, true);
  CHECK(kkt_violation(Z, f.X, f.Y) < 1e-9);
  Matrix Y = right_factor_start(Z, f.X);
  hals_right(Z, f.X, Y, 5000);
  CHECK((Y - f.Y).norm() < 1e-8 * Y.norm());
}

TEST_CASE("left problem: the Cholesky solve is rhs times the inverse") {
  RandomStream random({5, 0, 0, "left"});
  const Matrix Z = random_matrix(12, 9, random);
  const Matrix Y = random_matrix(4, 9, random);
  const Matrix rhs = random_matrix(12, 4, random);
  LeftProblem problem(Z, Y);
  for (const double shift : {0.3, 2.0}) {
    problem.set_shift(shift);
    const Matrix H = Y * Y.transpose() + shift * Matrix::Identity(4, 4);
    CHECK((problem.solve(rhs) * H - rhs).norm() < 1e-11);
  }
}

TEST_CASE("factors: saved and loaded") {
  DescentOptions s;
  s.right_factor = RightFactor::admm;
  RandomStream random({6, 0, 0, "x"});
  const Factors f = Factors::from(s, random_matrix(3, 2, random), 4);
  Writer w;
  f.save(w);
  const Bytes bytes = w.take();
  Reader r(bytes);
  const Factors g = Factors::load(r);
  CHECK(g.X == f.X);
  CHECK(g.V == f.V);
  r.finish();
}
