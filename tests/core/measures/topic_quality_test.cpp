// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include "core/measures/topic_quality.h"

using namespace sotto;

namespace {

/// Four documents over four words: 0 and 1 always together, 2 alone, 3 nowhere.
Samples documents() {
  Matrix Z = Matrix::Zero(4, 4);
  Z(0, 0) = Z(1, 0) = 1;
  Z(0, 1) = 2;
  Z(1, 1) = 1;
  Z(2, 2) = 3;
  Z(2, 3) = Z(0, 3) = 1;
  return Z;
}

}  // namespace

TEST_CASE("top terms: largest first, ties by number, zeros never") {
  Matrix T(4, 2);
  T << 1, 0, 3, 0, 3, 0.5, 0, 0;
  const auto terms = top_terms(T, 3);
  CHECK(terms[0] == std::vector<Index>{1, 2, 0});
  CHECK(terms[1] == std::vector<Index>{2});
}

TEST_CASE("coherence: by hand") {
  // D(0) = 3, D(1) = 2, D(0, 1) = 2 of 4 documents
  const Coherence one = coherence({{0, 1}}, documents());
  CHECK(one.umass == doctest::Approx(std::log(3.0 / 3.0)));
  CHECK(one.npmi == doctest::Approx(std::log(2.0 * 4 / (3 * 2)) / -std::log(2.0 / 4)));
  // 1 and 2 never meet
  const Coherence apart = coherence({{1, 2}}, documents());
  CHECK(apart.umass == doctest::Approx(std::log(1.0 / 2.0)));
  CHECK(apart.npmi == doctest::Approx(-1));
  // the mean over topics; a topic of one term, and a word of no document, do not count
  const Coherence both = coherence({{0, 1}, {1, 2}, {0}, {0, 3}}, documents());
  CHECK(both.npmi == doctest::Approx((one.npmi + apart.npmi) / 2));
  CHECK(std::isnan(coherence({{0}}, documents()).umass));
}

TEST_CASE("coherence is the same for sparse documents") {
  const SparseMatrix sparse =
      Matrix(documents().gather(std::vector<Index>{0, 1, 2, 3}).times_transposed(Matrix::Identity(4, 4)))
          .sparseView();
  const Coherence a = coherence({{0, 1, 2}}, documents());
  const Coherence b = coherence({{0, 1, 2}}, Samples(sparse));
  CHECK(a.umass == b.umass);
  CHECK(a.npmi == b.npmi);
}

TEST_CASE(
    "perplexity: a model that is the truth has the entropy of the words; scale of T and W is no matter") {
  Matrix T(4, 1);
  T << 0.5, 0.25, 0.125, 0.125;
  Matrix unseen(4, 1);
  unseen << 4, 2, 1, 1;
  const double entropy = 0.5 * std::log(2.0) + 0.25 * std::log(4.0) + 0.25 * std::log(8.0);
  const Matrix W = Matrix::Constant(1, 3, 2.0);
  CHECK(perplexity(T, W, unseen) == doctest::Approx(std::exp(entropy)).epsilon(1e-4));
  CHECK(perplexity(7 * T, 0.1 * W, unseen) == doctest::Approx(perplexity(T, W, unseen)));
  // documents count alike, however long: two of topic 0, one of topic 1
  Matrix two(4, 2);
  two << 1, 0, 0, 1, 0, 0, 0, 0;
  Matrix mixed(2, 3);
  mixed << 100, 1, 0, 0, 0, 5;
  Matrix first(4, 1);
  first << 1, 0, 0, 0;
  CHECK(perplexity(two, mixed, first) == doctest::Approx(1.5).epsilon(1e-3));
  // a word that no topic has is dear, but not infinite
  first << 0, 0, 0, 1;
  CHECK(perplexity(two, mixed, first) == doctest::Approx(4e4).epsilon(1e-6));
}
