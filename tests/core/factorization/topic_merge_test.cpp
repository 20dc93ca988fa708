// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "core/factorization/topic_merge.h"
#include "tests/support/matrices.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Of a party whose samples are exactly W T.
struct ExactParty {
  Matrix T;  ///< features x topics
  Matrix W;  ///< samples x topics

  Matrix samples() const { return T * W.transpose(); }
  TopicModel by_gram() const { return {T, W.transpose() * W}; }
  TopicModel by_diagonal() const { return {T, Matrix(W.colwise().squaredNorm().asDiagonal())}; }
};

/// 1/2 min_{V >= 0} |X - V Z|^2.
double error_of(const ExactParty& party, const Matrix& Z) {
  const Samples X(party.samples());
  const Matrix V = fit_weights(X, Z, {}, 500);
  const double r = X.residual(Z, V.transpose());
  return 0.5 * r * r;
}

/// The quadratic term with the best A for given Z.
double term(const TopicModel& model, const Matrix& Z) {
  TopicMerge merge({model}, {}, Z);
  for (int sweep = 0; sweep < 300; ++sweep)
    for (Index t = 0; t < merge.rank(); ++t) merge.update_weights(t);
  return merge.quadratic_term();
}

}  // namespace

TEST_CASE("topic merge: the diagonal of W'W bounds nothing, W'W gives the error itself") {
  ExactParty party{Matrix(3, 2), Matrix::Ones(3, 2)};
  party.T << 1, 0, 0, 1, 1, 1;
  Matrix Z(3, 1);
  Z << 1, 1, 0;
  CHECK(error_of(party, Z) == doctest::Approx(6));
  CHECK(term(party.by_diagonal(), Z) == doctest::Approx(4.5));
  CHECK(term(party.by_gram(), Z) == doctest::Approx(6));
}

TEST_CASE("topic merge: on random models W'W is never below the error, its diagonal is below it at times") {
  RandomStream random({1, 0, 0, "models"});
  int below = 0;
  for (int model = 0; model < 30; ++model) {
    const ExactParty party{random_matrix(6, 3, random), random_matrix(8, 3, random)};
    const Matrix Z = random_matrix(6, 2, random);
    const double error = error_of(party, Z);
    CHECK(term(party.by_gram(), Z) >= (1 - 1e-6) * error);
    if (term(party.by_diagonal(), Z) < (1 - 1e-6) * error) ++below;
  }
  CHECK(below > 0);
}

TEST_CASE("topic merge: with diagonal matrices it is RRI-NMF of the weighted topics") {
  RandomStream random({2, 0, 0, "models"});
  const Matrix first = random_matrix(7, 3, random);
  const Matrix second = random_matrix(7, 2, random);
  const Vector v = random_matrix(3, 1, random).col(0).array() + 0.5;
  const Vector w = random_matrix(2, 1, random).col(0).array() + 0.5;
  const Matrix Z0 = random_matrix(7, 2, random);
  Matrix stacked(7, 5);
  stacked << first * v.asDiagonal(), second * w.asDiagonal();
  const auto squares = [](const Vector& weights) { return Matrix(weights.cwiseAbs2().asDiagonal()); };
  const std::vector<RriOptions> settings{{},
                                         {0.03, 0.2, 0.01, 0.1, TopicSet::free, CountedEntries::all},
                                         {0, 0, 0, 0, TopicSet::simplex, CountedEntries::all}};
  for (const RriOptions& options : settings) {
    TopicMerge merge({{first, squares(v)}, {second, squares(w)}}, options, Z0);
    for (int sweep = 0; sweep < 20; ++sweep) merge_sweep(merge);
    const Matrix T = rri_nmf(Samples(stacked), options, Z0, 20).T();
    CHECK((merge.T() - T).norm() <= 1e-9 * T.norm());
  }
}

TEST_CASE(
    "topic merge: every sweep lowers the term, sums of parts are those of the whole, saved bits go on") {
  RandomStream random({3, 0, 0, "models"});
  std::vector<TopicModel> models;
  for (const Index topics : {3, 1, 4}) {
    const Matrix W = random_matrix(9, topics, random);
    models.push_back({random_matrix(8, topics, random), W.transpose() * W});
  }
  const Matrix Z0 = random_matrix(8, 2, random);
  TopicMerge whole(models, {}, Z0);
  std::vector<TopicMerge> parts;
  for (const TopicModel& model : models) parts.emplace_back(std::vector{model}, RriOptions{}, Z0);
  double before = whole.quadratic_term();
  for (int sweep = 0; sweep < 15; ++sweep) {
    merge_sweep(whole);
    CHECK(whole.quadratic_term() <= before * (1 + 1e-12));
    before = whole.quadratic_term();
    for (Index t = 0; t < 2; ++t) {
      TopicSums all;
      for (TopicMerge& part : parts) {
        part.update_weights(t);
        const TopicSums own = part.sums(t);
        if (&part == &parts.front())
          all = own;
        else
          all += own;
      }
      for (TopicMerge& part : parts) part.set_topic(t, all);
    }
  }
  for (const TopicMerge& part : parts) CHECK((part.T() - whole.T()).norm() <= 1e-10 * whole.T().norm());

  Writer w;
  whole.save(w);
  const Bytes saved = w.take();
  Reader r(saved);
  TopicMerge loaded = TopicMerge::loaded({}, r);
  r.finish();
  merge_sweep(whole);
  merge_sweep(loaded);
  CHECK(loaded.T() == whole.T());
}
