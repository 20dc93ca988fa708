// SPDX-License-Identifier: MIT
// application.kind = "topics": the Frobenius error on all training data, coherence and top terms, perplexity on samples held out;
// a party's error is that of ITS topics on the samples held out. Where parties end with topics of their own (`local`), means
// over parties, and no terms.
// Tests: tests/core/algorithms/pd_nmf_test.cpp, tests/core/measures/topic_quality_test.cpp
#include <algorithm>
#include <cmath>

#include "core/factorization/hals.h"
#include "core/measures/application.h"
#include "core/measures/topic_quality.h"

namespace sotto {

namespace {

constexpr int topics_fit_sweeps = 100;

/// Part of [application].
struct TopicTermOptions {
  std::int64_t top_terms = 10;
};

constexpr Figure coherence_umass{
    "coherence_umass", "",      "UMass coherence, mean over pairs of top terms", Better::higher, Scope::final,
    "umass",           "{:.3f}"};
constexpr Figure coherence_npmi{
    "coherence_npmi", "",      "NPMI coherence, mean over pairs of top terms", Better::higher, Scope::final,
    "npmi",           "{:.3f}"};
constexpr Figure perplexity_figure{
    "perplexity", "", "perplexity of samples held out", Better::lower, Scope::final, "perplexity", "{:.1f}"};
constexpr const Figure* topics_figure_table[] = {&figures::frobenius, &coherence_umass, &coherence_npmi,
                                                 &perplexity_figure};

/// |E - X Y| with Y fitted.
double held_out_error(const Matrix& X, const Samples& unseen) {
  Matrix Y = right_factor_start(unseen, X);
  hals_right(unseen, X, Y, topics_fit_sweeps);
  return unseen.residual(X, Y);
}

struct Quality {
  double umass = 0;
  double npmi = 0;
  double perplexity = no_figure;
};

Quality quality_of(const Matrix& T, const Matrix& weights, const std::vector<std::vector<Index>>& terms,
                   const TrialData& data) {
  const Coherence c = coherence(terms, data.all);
  return {c.umass, c.npmi, data.held_out.cols() > 0 ? perplexity(T, weights, data.held_out) : no_figure};
}

/// Where every party has topics of its own: the means over parties.
Quality mean_quality(const std::vector<FactorView>& views, std::size_t top, const TrialData& data) {
  Quality mean{0, 0, 0};
  const auto parties = static_cast<double>(views.size());
  for (const FactorView& v : views) {
    const Quality own = quality_of(v.X, v.Y, top_terms(v.X, top), data);
    mean.umass += own.umass / parties;
    mean.npmi += own.npmi / parties;
    mean.perplexity += own.perplexity / parties;
  }
  return mean;
}

void evaluate_topics(const ApplicationInput& in, ApplicationResult& to) {
  const auto& views = in.views;
  double squares = 0;
  Matrix all_weights(views[0].X.cols(), in.data.all.cols());
  Index at = 0;
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const FactorView& v = in.view(a);
    const Index samples = in.data.parts[a].cols();
    const Matrix Y = in.one_place() ? Matrix(v.Y.middleCols(at, samples)) : v.Y;
    const double error = in.data.parts[a].residual(v.X, Y);
    squares += error * error;
    all_weights.middleCols(at, samples) = Y;
    at += samples;
    if (in.data.held_out.cols() == 0) continue;
    const bool again = a > 0 && v.X == views[0].X;  // most methods end with the same topics everywhere
    to.errors.push_back(again ? to.errors.front() : held_out_error(v.X, in.data.held_out));
  }
  to.figures.set(figures::frobenius, std::sqrt(squares));
  const auto top = static_cast<std::size_t>(in.options.get<TopicTermOptions>().top_terms);
  const bool one_model =
      std::all_of(views.begin(), views.end(), [&](const FactorView& v) { return v.X == views.front().X; });
  Quality quality;
  if (one_model) {
    const auto terms = top_terms(views[0].X, top);
    quality = quality_of(views[0].X, all_weights, terms, in.data);
    NamedRows& named = to.rows.emplace_back(NamedRows{"topics", {}});
    for (const auto& topic : terms) {
      auto& texts = named.rows.emplace_back();
      for (const Index term : topic)
        texts.push_back(in.words.empty() ? std::to_string(term + 1)
                                         : in.words[static_cast<std::size_t>(term)]);
    }
  } else {
    quality = mean_quality(views, top, in.data);
  }
  to.figures.set(coherence_umass, quality.umass);
  to.figures.set(coherence_npmi, quality.npmi);
  to.figures.set(perplexity_figure, quality.perplexity);
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
    .help = "coherence, perplexity, top terms",
    .model = Model::nonnegative_factors,
    .figures = topics_figure_table,
    .settings = topics_settings,
    .evaluate = evaluate_topics,
};

}  // namespace sotto
