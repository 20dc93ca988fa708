// SPDX-License-Identifier: MIT
// X' W_t after every update of W_t: the most expensive part of a sweep of RRI-NMF.
//   sparse data   sample after sample, those with W_it = 0 left out.
//   dense data    the same; but where there are at least twice as many samples as features, by way of X' X. An update is
//                 W_t = [p]_+ / c with p = X T_t' - sum_{l != t} g_l W_l - gamma, so that
//                     X' W_t = (X' X T_t' - sum_{l != t} g_l X' W_l - gamma X' 1 + X' [-p]_+) / c,
//                 of which only the last term looks at samples, at those where W_it became 0. Taken where there are few of
//                 them and they are small, so that nothing cancels. Rounding errors are handed from sweep to sweep but do
//                 not grow (the recursion is Gauss-Seidel's); from time to time X' W is computed afresh.
// No product of matrices by Eigen here: it adds in an order that depends on the sizes of the machine's caches.
// Tests: tests/core/factorization/rri_test.cpp
#pragma once

#include "base/bytes.h"
#include "core/data/samples.h"
#include "core/factorization/factor_rows.h"

namespace sotto {

class WeightProducts {
 public:
  explicit WeightProducts(const Samples& Z);

  void begin_sweep(const FactorRows& T, const FactorRows& W);
  /// How W_t came about; the letters are those above.
  struct Update {
    Index topic = -1;
    double curvature = 0;
    double gamma = 0;
    Vector coupling;
    Vector pull;
    Vector weights;
  };
  /// X' W_t. Every update of W since begin_sweep has been here, or `forget` was called.
  Vector after(const Update& update);
  Vector of(const Vector& W_t) const;
  void forget() { current_ = false; }

  /// What is handed from sweep to sweep.
  void save(Writer& w) const;
  void load(Reader& r);

 private:
  Samples Z_;
  bool by_gram_;
  Matrix XX_;   ///< X' X
  Vector X1_;   ///< X' 1
  Matrix XXT_;  ///< X' X T' at the start of the sweep
  Matrix XW_;   ///< X' W
  bool current_ = false;
  std::int32_t age_ = 0;  ///< sweeps since X' W was computed afresh
};

}  // namespace sotto
