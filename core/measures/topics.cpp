// SPDX-License-Identifier: MIT
// application.kind = "topics": the Frobenius error on all training data, coherence and top terms, perplexities of samples held out;
// a party's error is that of ITS topics on the samples held out. Where parties end with topics of their own (`local`), means
// over parties, and no terms. Weights are those that fit the final topics best: an algorithm's own are from before the last
// update of the topics.
// Tests: tests/core/algorithms/pd_nmf_test.cpp, tests/core/measures/topic_quality_test.cpp
#include <algorithm>
#include <cmath>

#include "core/factorization/hals.h"
#include "core/measures/application.h"
#include "core/measures/factor_errors.h"
#include "core/measures/topic_quality.h"

namespace sotto {

namespace {

constexpr int topics_fit_sweeps = 100;

/// Part of [application].
struct TopicTermOptions {
  std::int64_t top_terms = 10;
};

constexpr Figure coherence_umass{
    "coherence_umass", "",           "UMass coherence, mean over pairs of top terms and over topics",
    Better::higher,    Scope::final, "umass",
    "{:.3f}"};
constexpr Figure coherence_umass_weighted{
    "coherence_umass_weighted", "",
    "UMass coherence, sum over a topic's pairs of top terms, topics weighted by their share of the documents",
    Better::higher, Scope::final};
constexpr Figure coherence_npmi{
    "coherence_npmi", "",      "NPMI coherence, mean over pairs of top terms", Better::higher, Scope::final,
    "npmi",           "{:.3f}"};
constexpr Figure perplexity_figure{
    "perplexity", "", "perplexity of samples held out under one distribution for all of them: nearly blind",
    Better::lower, Scope::final};
constexpr Figure completion_figure{
    "completion_perplexity",
    "",
    "perplexity of half of the words of samples held out, whose other half fits their weights",
    Better::lower,
    Scope::final,
    "completion_perplexity",
    "{:.1f}"};
constexpr const Figure* topics_figure_table[] = {&figures::frobenius,       &coherence_umass,
                                                 &coherence_umass_weighted, &coherence_npmi,
                                                 &perplexity_figure,        &completion_figure};

/// |E - X Y| with Y fitted.
double held_out_error(const Matrix& X, const Samples& unseen) {
  Matrix Y = right_factor_start(unseen, X);
  hals_right(unseen, X, Y, topics_fit_sweeps);
  return unseen.residual(X, Y);
}

struct Quality {
  Coherence coherence{0, 0, 0};
  double perplexity = 0;
  double completion = 0;

  Quality& operator+=(const Quality& other) {
    coherence.umass += other.coherence.umass;
    coherence.umass_weighted += other.coherence.umass_weighted;
    coherence.npmi += other.coherence.npmi;
    perplexity += other.perplexity;
    completion += other.completion;
    return *this;
  }
};

Quality quality_of(const Matrix& T, const Matrix& weights, const std::vector<std::vector<Index>>& terms,
                   const TrialData& data) {
  const Vector shares = topic_shares(T, weights);
  const bool unseen = data.held_out.cols() > 0;
  return {coherence(terms, data.all, shares), unseen ? perplexity(T, shares, data.held_out) : no_figure,
          unseen ? completion_perplexity(T, shares, data.held_out) : no_figure};
}

void set_figures(const Quality& sum, std::size_t models, FigureValues& to) {
  const auto n = static_cast<double>(models);
  to.set(coherence_umass, sum.coherence.umass / n);
  to.set(coherence_umass_weighted, sum.coherence.umass_weighted / n);
  to.set(coherence_npmi, sum.coherence.npmi / n);
  to.set(perplexity_figure, sum.perplexity / n);
  to.set(completion_figure, sum.completion / n);
}

NamedRows named_terms(const std::vector<std::vector<Index>>& terms, const std::vector<std::string>& words) {
  NamedRows named{"topics", {}};
  for (const auto& topic : terms) {
    auto& texts = named.rows.emplace_back();
    for (const Index term : topic)
      texts.push_back(words.empty() ? std::to_string(term + 1) : words[static_cast<std::size_t>(term)]);
  }
  return named;
}

/// Training documents in their order: weights that fit the final topics of whoever holds them.
struct FittedWeights {
  std::vector<Matrix> by_party;  ///< topics x its documents
  double squares = 0;            ///< of the error

  Matrix all() const {
    Index documents = 0;
    for (const Matrix& Y : by_party) documents += Y.cols();
    Matrix joined(by_party.front().rows(), documents);
    Index at = 0;
    for (const Matrix& Y : by_party) {
      joined.middleCols(at, Y.cols()) = Y;
      at += Y.cols();
    }
    return joined;
  }
};

FittedWeights fitted_weights(const ApplicationInput& in) {
  FittedWeights fitted;
  Index at = 0;
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const FactorView& v = in.view(a);
    const Samples& Z = in.data.parts[a];
    const Matrix Y = in.one_place() ? Matrix(v.Y.middleCols(at, Z.cols())) : v.Y;
    at += Z.cols();
    fitted.by_party.push_back(refitted_right_factor(Z, v.X, Y, in.gives.entries));
    const double error = counted_residual(Z, v.X, fitted.by_party.back(), in.gives.entries);
    fitted.squares += error * error;
  }
  return fitted;
}

void evaluate_topics(const ApplicationInput& in, ApplicationResult& to) {
  const auto& views = in.views;
  const FittedWeights fitted = fitted_weights(in);
  to.figures.set(figures::frobenius, std::sqrt(fitted.squares));
  for (std::size_t a = 0; a < in.data.parts.size() && in.data.held_out.cols() > 0; ++a) {
    const Matrix& X = in.view(a).X;
    const bool again = a > 0 && X == views[0].X;  // most methods end with the same topics everywhere
    to.errors.push_back(again ? to.errors.front() : held_out_error(X, in.data.held_out));
  }
  const auto top = static_cast<std::size_t>(in.options.get<TopicTermOptions>().top_terms);
  const bool one_model =
      std::all_of(views.begin(), views.end(), [&](const FactorView& v) { return v.X == views.front().X; });
  Quality sum;
  if (one_model) {
    const auto terms = top_terms(views[0].X, top);
    sum = quality_of(views[0].X, fitted.all(), terms, in.data);
    to.rows.push_back(named_terms(terms, in.words));
  } else {
    for (std::size_t a = 0; a < views.size(); ++a)
      sum += quality_of(views[a].X, fitted.by_party[a], top_terms(views[a].X, top), in.data);
  }
  set_figures(sum, one_model ? 1 : views.size(), to.figures);
}

Schema topics_settings() {
  SchemaOf<TopicTermOptions> s("application");
  s.whole("top_terms", &TopicTermOptions::top_terms, {2, 1000},
          "topics: terms of a topic that coherence looks at and summary.json names");
  return s.take();
}

}  // namespace

extern const ApplicationKind topics_application;
const ApplicationKind topics_application{
    .name = "topics",
    .help = "coherence, perplexities, top terms",
    .model = Model::nonnegative_factors,
    .figures = topics_figure_table,
    .settings = topics_settings,
    .evaluate = evaluate_topics,
};

}  // namespace sotto
