// SPDX-License-Identifier: MIT
#include "core/factorization/topic_merge.h"

#include "base/error.h"
#include "core/factorization/rri_loops.h"

namespace sotto {

namespace {

/// Passes over the entries of A_t: G couples them.
constexpr int merge_passes = 3;

/// A' B, column after column: Eigen's product of matrices adds in an order that depends on the sizes of the machine's caches.
Matrix transposed_product(const Matrix& A, const Matrix& B) {
  Matrix AB(A.cols(), B.cols());
  for (Index k = 0; k < B.cols(); ++k) AB.col(k).noalias() = A.transpose() * B.col(k);
  return AB;
}

}  // namespace

TopicMerge::TopicMerge(std::vector<TopicModel> models, const RriOptions& options, const Matrix& Z0)
    : TopicMerge(options, Z0) {
  ZZ_ = transposed_product(Z_, Z_);
  for (TopicModel& model : models) {
    const Index topics = model.T.cols();
    add(std::move(model), Matrix::Zero(topics, Z_.cols()));
  }
  for (int sweep = 0; sweep < initial_weight_sweeps; ++sweep)
    for (Index t = 0; t < rank(); ++t) update_weights(t);
}

void TopicMerge::add(TopicModel model, Matrix A) {
  const Index topics = model.T.cols();
  require_format(model.T.rows() == Z_.rows() && model.G.rows() == topics && model.G.cols() == topics &&
                     A.rows() == topics && A.cols() == Z_.cols(),
                 "a topic model of another size");
  Part& part = parts_.emplace_back();
  part.v = model.G.diagonal().cwiseMax(0.0).cwiseSqrt();
  part.TZ = transposed_product(model.T, Z_);
  part.model = std::move(model);
  part.A = std::move(A);
}

void TopicMerge::update_weights(Index t) {
  for (Part& part : parts_) update_weights(part, t);
}

/// A_t <- argmin_{a >= 0} 1/2 c a' G a - a' G b + gamma v' a, entry after entry: c = |Z_t|^2 + delta, b = T Z_t' - sum_{l != t} A_l (Z_l Z_t')
void TopicMerge::update_weights(Part& part, Index t) const {
  const double c = ZZ_(t, t) + options_.delta;
  const Matrix& G = part.model.G;
  const Vector b = part.TZ.col(t) - part.A * ZZ_.col(t) + part.A.col(t) * ZZ_(t, t);
  const Vector pull = G * b - options_.gamma * part.v;
  auto a = part.A.col(t);
  for (int pass = 0; pass < merge_passes; ++pass)
    for (Index i = 0; i < a.size(); ++i) {
      const double others = G.col(i).dot(a) - G(i, i) * a[i];
      a[i] = block_minimum(pull[i] - c * others, c * G(i, i));
    }
}

TopicSums TopicMerge::sums(Index t) {
  TopicSums s{Vector::Zero(Z_.rows()), Vector::Zero(1)};
  for (const Part& part : parts_) {
    // A_t' G (T - sum_{l != t} A_l Z_l), and A_t' G A_t
    const Vector Ga = part.model.G * part.A.col(t);
    Vector coupling = part.A.transpose() * Ga;
    s.denominator[0] += coupling[t];
    coupling[t] = 0;
    s.numerator += part.model.T * Ga - Z_ * coupling;
  }
  return s;
}

void TopicMerge::set_topic(Index t, const TopicSums& of_everybody) {
  Z_.col(t) = next_topic(options_, of_everybody, Z_.col(t));
  ZZ_.col(t) = Z_.transpose() * Z_.col(t);
  ZZ_.row(t) = ZZ_.col(t).transpose();
  for (Part& part : parts_) part.TZ.col(t) = part.model.T.transpose() * Z_.col(t);
}

double TopicMerge::quadratic_term() const {
  double sum = 0;
  for (const Part& part : parts_) {
    const Matrix delta = part.model.T - Z_ * part.A.transpose();  // features x topics
    sum += 0.5 * (delta * part.model.G).cwiseProduct(delta).sum();
  }
  return sum;
}

std::uint64_t TopicMerge::sweep_flops() const {
  const auto d = static_cast<std::uint64_t>(Z_.rows());
  const auto k = static_cast<std::uint64_t>(rank());
  std::uint64_t flops = d * k * k;  // Z' Z
  for (const Part& part : parts_) {
    const auto own = static_cast<std::uint64_t>(part.model.T.cols());
    // T' Z and T (G A); Z (A' G A); A (Z' Z), A' G A, and G with its passes
    flops += 2 * d * own * k + d * k * k + 2 * own * k * k + (2 + merge_passes) * own * own * k;
  }
  return flops;
}

std::uint64_t TopicMerge::first_flops() const {
  const auto d = static_cast<std::uint64_t>(Z_.rows());
  const auto k = static_cast<std::uint64_t>(rank());
  std::uint64_t flops = d * k * k;
  for (const Part& part : parts_) {
    const auto own = static_cast<std::uint64_t>(part.model.T.cols());
    flops += d * own * k + static_cast<std::uint64_t>(initial_weight_sweeps) *
                               (own * k * k + (1 + merge_passes) * own * own * k);
  }
  return flops;
}

void TopicMerge::save(Writer& w) const {
  w.matrix(Z_);
  w.matrix(ZZ_);
  w.put<std::uint64_t>(parts_.size());
  for (const Part& part : parts_) {
    w.matrix(part.model.T);
    w.matrix(part.model.G);
    w.matrix(part.A);
    w.matrix(part.TZ);
  }
}

TopicMerge TopicMerge::loaded(const RriOptions& options, Reader& r) {
  TopicMerge merge(options, r.matrix());
  merge.ZZ_ = r.matrix();
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    TopicModel model;
    model.T = r.matrix();
    model.G = r.matrix();
    merge.add(std::move(model), r.matrix());
    merge.parts_.back().TZ = r.matrix();
  }
  return merge;
}

void merge_sweep(TopicMerge& merge) {
  merge.begin_sweep();
  for (Index t = 0; t < merge.rank(); ++t) {
    merge.update_weights(t);
    merge.set_topic(t, merge.sums(t));
  }
}

}  // namespace sotto
