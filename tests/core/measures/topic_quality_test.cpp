// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measures/factor_errors.h"
#include "core/measures/topic_quality.h"
#include "tests/support/data_files.h"
#include "tests/support/experiments.h"

using namespace sotto;
using namespace sotto::testing;

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
  const Vector whole = Vector::Ones(1);
  const Coherence one = coherence({{0, 1}}, documents(), whole);
  CHECK(one.umass == doctest::Approx(std::log(3.0 / 3.0)));
  CHECK(one.npmi == doctest::Approx(std::log(2.0 * 4 / (3 * 2)) / -std::log(2.0 / 4)));
  // 1 and 2 never meet
  const Coherence apart = coherence({{1, 2}}, documents(), whole);
  CHECK(apart.umass == doctest::Approx(std::log(1.0 / 2.0)));
  CHECK(apart.npmi == doctest::Approx(-1));
  // the mean over topics; a topic of one term, and a word of no document, do not count
  const Coherence both = coherence({{0, 1}, {1, 2}, {0}, {0, 3}}, documents(), Vector::Constant(4, 0.25));
  CHECK(both.npmi == doctest::Approx((one.npmi + apart.npmi) / 2));
  const Coherence nothing = coherence({{0}}, documents(), whole);
  CHECK(std::isnan(nothing.umass));
  CHECK(std::isnan(nothing.umass_weighted));
}

TEST_CASE("coherence, weighted: eqs. (1.27) and (1.28) of the thesis, by hand") {
  // the pairs of {0, 2, 1}: log((D(0, 2) + 1) / D(0)), log((D(0, 1) + 1) / D(0)), log((D(2, 1) + 1) / D(2))
  const double three = std::log(2.0 / 3) + std::log(3.0 / 3) + std::log(1.0 / 2);
  const double two = std::log(1.0 / 2);  // of {1, 2}
  const Coherence c = coherence({{0, 2, 1}, {1, 2}, {0}}, documents(), Vector{{0.7, 0.2, 0.1}});
  CHECK(c.umass_weighted == doctest::Approx(0.7 * three + 0.2 * two));
  CHECK(c.umass == doctest::Approx((three / 3 + two) / 2));
}

TEST_CASE(
    "shares of topics: every document counts the same, however long; the scale of T and W is no matter") {
  Matrix T(3, 2);
  T << 1, 0, 1, 0, 0, 4;
  Matrix W(2, 3);  // shares of the documents: (1, 0), (1/2, 1/2), none
  W << 50, 2, 0, 0, 1, 0;
  CHECK(topic_shares(T, W).isApprox(Vector{{0.75, 0.25}}));
  CHECK(topic_shares(3 * T, W / 3).isApprox(topic_shares(T, W)));
  CHECK(topic_shares(T, Matrix::Zero(2, 3)).isZero(0));
}

TEST_CASE("coherence is the same for sparse documents") {
  const SparseMatrix sparse = dense(documents()).sparseView();
  const Coherence a = coherence({{0, 1, 2}}, documents(), Vector::Ones(1));
  const Coherence b = coherence({{0, 1, 2}}, Samples(sparse), Vector::Ones(1));
  CHECK(a.umass == b.umass);
  CHECK(a.umass_weighted == b.umass_weighted);
  CHECK(a.npmi == b.npmi);
}

TEST_CASE(
    "perplexity: a model that is the truth has the entropy of the words; scale of T and W is no matter") {
  Matrix T(4, 1);
  T << 0.5, 0.25, 0.125, 0.125;
  Matrix unseen(4, 1);
  unseen << 4, 2, 1, 1;
  const double entropy = 0.5 * std::log(2.0) + 0.25 * std::log(4.0) + 0.25 * std::log(8.0);
  const Vector one = topic_shares(T, Matrix::Constant(1, 3, 2.0));
  CHECK(perplexity(T, one, unseen) == doctest::Approx(std::exp(entropy)).epsilon(1e-4));
  CHECK(perplexity(7 * T, one, unseen) == doctest::Approx(perplexity(T, one, unseen)));
  // documents count alike, however long: two of topic 0, one of topic 1
  Matrix two(4, 2);
  two << 1, 0, 0, 1, 0, 0, 0, 0;
  Matrix mixed(2, 3);
  mixed << 100, 1, 0, 0, 0, 5;
  const Vector shares = topic_shares(two, mixed);
  Matrix first(4, 1);
  first << 1, 0, 0, 0;
  CHECK(perplexity(two, shares, first) == doctest::Approx(1.5).epsilon(1e-3));
  // a word that no topic has is dear, but not infinite
  first << 0, 0, 0, 1;
  CHECK(perplexity(two, shares, first) == doctest::Approx(4e4).epsilon(1e-6));
}

TEST_CASE("document halves: every word once, the same whatever else is there, dense or sparse") {
  RandomStream random({4, 0, 0, "halves"});
  Matrix Z = Matrix::Zero(30, 12);
  for (double& v : Z.reshaped()) v = random.uniform() < 0.4 ? 1 + random.uniform() : 0;
  Z.col(3).setZero();
  Z.col(5).setZero();
  Z(7, 5) = 2;
  const DocumentHalves halves = document_halves(Z);
  const Matrix given = dense(halves.given);
  const Matrix scored = dense(halves.scored);
  CHECK(given + scored == Z);
  CHECK(given.cwiseProduct(scored).isZero(0));
  for (Index c = 0; c < Z.cols(); ++c) {
    const auto more = (given.col(c).array() > 0).count() - (scored.col(c).array() > 0).count();
    CHECK((more == 0 || more == 1));
  }
  CHECK(given(7, 5) == 2);
  const DocumentHalves sparse = document_halves(SparseMatrix(Z.sparseView()));
  CHECK(dense(sparse.given) == given);
  CHECK(dense(document_halves(Matrix(Z.leftCols(6))).scored) == scored.leftCols(6));
  // not a rule of the words' numbers: two documents of the same words are cut differently
  const Matrix same = Matrix::Ones(30, 2);
  CHECK(dense(document_halves(same).given).col(0) != dense(document_halves(same).given).col(1));
}

TEST_CASE("completion perplexity sees which topic a document is about; perplexity does not") {
  Matrix T = Matrix::Zero(16, 2);
  T.col(0).head(8).setConstant(1);
  T.col(1).tail(8).setConstant(5);
  Matrix unseen = Matrix::Zero(16, 6);
  for (Index c = 0; c < 6; ++c)
    unseen.col(c).segment(c % 2 == 0 ? 0 : 8, 8).setConstant(1.0 + static_cast<double>(c));
  const Vector shares = Vector::Constant(2, 0.5);
  CHECK(perplexity(T, shares, unseen) == doctest::Approx(16).epsilon(1e-3));
  CHECK(completion_perplexity(T, shares, unseen) == doctest::Approx(8).epsilon(1e-3));
  CHECK(completion_perplexity(T, shares, Samples(SparseMatrix(unseen.sparseView()))) ==
        completion_perplexity(T, shares, unseen));
  // no topics at all: no better than the mean
  const Matrix flat = Matrix::Ones(16, 2);
  CHECK(completion_perplexity(flat, shares, unseen) == doctest::Approx(16).epsilon(1e-3));
  // documents that no topic explains are completed by the mean distribution, of words that no topic has here
  T.col(1).setZero();
  Matrix unknown = Matrix::Zero(16, 1);
  unknown.col(0).tail(8).setOnes();
  CHECK(completion_perplexity(T, Vector{{1, 0}}, unknown) == doctest::Approx(16e4).epsilon(1e-6));
  CHECK(std::isnan(completion_perplexity(T, shares, Matrix(Matrix::Identity(16, 3)))));
}

TEST_CASE("topics: people see completion perplexity, files have both perplexities") {
  const auto figures = application_figures();
  const auto named = [&](std::string_view name) {
    const auto at =
        std::find_if(figures.begin(), figures.end(), [&](const Figure* f) { return f->name == name; });
    REQUIRE(at != figures.end());
    return **at;
  };
  CHECK(named("perplexity").title.empty());
  CHECK(named("completion_perplexity").title == "completion_perplexity");
  CHECK(named("coherence_umass").title == "umass");
  CHECK(named("coherence_umass_weighted").title.empty());
}

TEST_CASE("topics: the Frobenius error has weights that fit the final topics") {
  for (const char* name : {"pd-nmf", "centralized", "wr-nmf", "local"}) {
    CAPTURE(name);
    const Experiment e = experiment(R"(
[topology]
generator = "complete"
agents = 3
[data]
synthetic = { samples = 60, features = 14, rank = 4, left_mean = 0.5 }
held_out = 10
[algorithm]
solver = "rri"
rank = 4
outer_iterations = 2
local_iterations = 2
stop = "never"
[application]
kind = "topics"
[output]
factors = true
)",
                                    {{"algorithm.name", fmt::format("\"{}\"", name)}});
    ProcessRuntime workers(2);
    const Trial trial(e, 0);
    const MethodResult result = run_method(workers, trial, e.methods[0]);
    double stale = 0;
    double fitted = 0;
    Index at = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const Samples& Z = trial.data.parts[a];
      const FactorView& v = result.factors[result.factors.size() == 1 ? 0 : a];
      const Matrix Y = result.factors.size() == 1 ? Matrix(v.Y.middleCols(at, Z.cols())) : v.Y;
      at += Z.cols();
      stale += std::pow(Z.residual(v.X, Y), 2);
      Matrix best = Y;
      for (int k = 0; k < 10; ++k) best = refitted_right_factor(Z, v.X, best, CountedEntries::all);
      fitted += std::pow(Z.residual(v.X, best), 2);
    }
    const double frobenius = result.application.figures.get("frobenius");
    CHECK(frobenius == doctest::Approx(std::sqrt(fitted)).epsilon(1e-6));
    CHECK(frobenius < std::sqrt(stale) * (1 - 1e-5));
    if (std::string_view(name) != "local")
      CHECK(frobenius ==
            doctest::Approx(std::sqrt(2 * result.observations.back().figures.all.get("objective")))
                .epsilon(1e-9));
  }
}
