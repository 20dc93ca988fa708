// SPDX-License-Identifier: MIT
#include "core/factorization/weight_products.h"

#include "core/factorization/rri_loops.h"

namespace sotto {

namespace {

constexpr std::int32_t sweeps_between_fresh = 50;

}  // namespace

WeightProducts::WeightProducts(const Samples& Z) : Z_(Z), by_gram_(!Z.sparse() && Z.cols() >= 2 * Z.rows()) {}

void WeightProducts::begin_sweep(const FactorRows& T, const FactorRows& W) {
  if (!by_gram_) return;
  if (XX_.size() == 0) {
    const Eigen::Map<const Matrix> Z(dense_rows(Z_).data, Z_.rows(), Z_.cols());
    XX_.resize(Z_.rows(), Z_.rows());
    for (Index j = 0; j < Z_.rows(); ++j) XX_.col(j) = of(Z.row(j).transpose());
    X1_ = of(Vector::Ones(Z_.cols()));
  }
  const Index rank = T.matrix().cols();
  if (!current_ || ++age_ >= sweeps_between_fresh) {
    XW_.resize(Z_.rows(), rank);
    for (Index t = 0; t < rank; ++t) XW_.col(t) = of(W.matrix().col(t));
    current_ = true;
    age_ = 0;
  }
  XXT_.resize(Z_.rows(), rank);
  row_kernel().product({XX_.data(), XX_.rows(), XX_.rows()}, T.rows(), rank, XXT_.data(), XXT_.rows());
}

Vector WeightProducts::after(const Update& u) {
  if (!by_gram_ || !current_) return of(u.weights);
  const Vector cut = (-u.pull).cwiseMax(0.0);
  const bool few = 2 * (cut.array() > 0).count() <= Z_.cols();
  Vector product;
  if (few && u.curvature > 0 && cut.norm() <= u.curvature * u.weights.norm()) {
    // X' W_t = (X' X T_t' - sum_{l != t} g_l X' W_l - gamma X' 1 + X' [-p]_+) / c
    product = XXT_.col(u.topic) - XW_ * u.coupling.head(XW_.cols()) - u.gamma * X1_;
    row_kernel().add(dense_rows(Z_), cut.data(), product.data());
    product /= u.curvature;
  } else {
    product = of(u.weights);
  }
  XW_.col(u.topic) = product;
  return product;
}

Vector WeightProducts::of(const Vector& W_t) const {
  Vector sum = Vector::Zero(Z_.rows());
  if (!Z_.sparse()) {
    row_kernel().add(dense_rows(Z_), W_t.data(), sum.data());
    return sum;
  }
  for (Index i = 0; i < Z_.cols(); ++i) {
    if (W_t[i] == 0) continue;
    const auto [features, values] = Z_.entries(i);
    add_entries(W_t[i], features, values, sum);
  }
  return sum;
}

void WeightProducts::save(Writer& w) const {
  w.put(current_);
  w.put(age_);
  w.matrix(XW_);
}

void WeightProducts::load(Reader& r) {
  current_ = r.get<bool>();
  age_ = r.get<std::int32_t>();
  XW_ = r.matrix();
}

}  // namespace sotto
