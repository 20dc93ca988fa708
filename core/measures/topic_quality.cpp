// SPDX-License-Identifier: MIT
#include "core/measures/topic_quality.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/random_stream.h"
#include "core/data/sparse_builder.h"
#include "core/factorization/hals.h"

namespace sotto {

namespace {

constexpr double uniform_share = 1e-4;
constexpr int completion_sweeps = 100;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Which documents a term is in, for some terms.
class Occurrences {
 public:
  Occurrences(const std::vector<std::vector<Index>>& terms, const Samples& documents)
      : words_(static_cast<std::size_t>(documents.cols() + 63) / 64) {
    for (const auto& topic : terms)
      for (const Index term : topic) sets_.try_emplace(term, words_);
    documents.each([&](Index term, Index document, double value) {
      if (value == 0) return;
      if (const auto at = sets_.find(term); at != sets_.end())
        at->second[static_cast<std::size_t>(document) / 64] |= std::uint64_t{1} << (document % 64);
    });
  }

  double with(Index a) const { return both(a, a); }
  double both(Index a, Index b) const {
    const auto& first = sets_.at(a);
    const auto& second = sets_.at(b);
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) count += std::popcount(first[w] & second[w]);
    return count;
  }

 private:
  std::size_t words_;
  std::map<Index, std::vector<std::uint64_t>> sets_;
};

/// T with columns that sum to 1, or to 0.
Matrix as_distributions(const Matrix& T) {
  Matrix topics = T;
  for (auto topic : topics.colwise())
    if (const double sum = topic.sum(); sum > 0) topic /= sum;
  return topics;
}

/// exp(-sum E_mj log p_mj / |E|_1), p from `probability(term, document)`.
template <class Probability>
double perplexity_under(const Samples& scored, Probability probability) {
  const double floor = uniform_share / static_cast<double>(scored.rows());
  double likelihood = 0;
  double words = 0;
  scored.each([&](Index term, Index document, double count) {
    if (count == 0) return;
    likelihood += count * portable_log((1 - uniform_share) * probability(term, document) + floor);
    words += count;
  });
  return words > 0 ? portable_exp(-likelihood / words) : not_a_number;
}

}  // namespace

std::vector<std::vector<Index>> top_terms(const Matrix& T, std::size_t count) {
  std::vector<std::vector<Index>> terms;
  for (Index t = 0; t < T.cols(); ++t) {
    std::vector<Index> order(static_cast<std::size_t>(T.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    const std::size_t most = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                      [&](Index a, Index b) { return T(a, t) != T(b, t) ? T(a, t) > T(b, t) : a < b; });
    order.resize(most);
    std::erase_if(order, [&](Index term) { return !(T(term, t) > 0); });
    terms.push_back(std::move(order));
  }
  return terms;
}

Vector topic_shares(const Matrix& T, const Matrix& weights) {
  const Vector sizes = T.colwise().sum();
  Vector shares = Vector::Zero(T.cols());
  double documents = 0;
  for (Index i = 0; i < weights.cols(); ++i) {
    const Vector w = weights.col(i).cwiseProduct(sizes);
    if (const double sum = w.sum(); sum > 0) {
      shares += w / sum;
      ++documents;
    }
  }
  return documents > 0 ? Vector(shares / documents) : shares;
}

Coherence coherence(const std::vector<std::vector<Index>>& terms, const Samples& documents,
                    const Vector& shares) {
  const Occurrences found(terms, documents);
  const auto n = static_cast<double>(documents.cols());
  Coherence sums{0, 0, 0};
  double topics = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const auto& topic = terms[t];
    double umass = 0;
    double npmi = 0;
    double pairs = 0;
    for (std::size_t b = 1; b < topic.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const double with_a = found.with(topic[a]);
        const double with_b = found.with(topic[b]);
        const double both = found.both(topic[a], topic[b]);
        if (with_a == 0 || with_b == 0) continue;  // a term of no document says nothing
        ++pairs;
        umass += portable_log((both + 1) / with_a);
        if (both == 0)
          npmi -= 1;
        else if (both < n)
          npmi += portable_log(both * n / (with_a * with_b)) / -portable_log(both / n);
        else
          npmi += 1;  // both in all documents: the limit
      }
    if (pairs == 0) continue;
    sums.umass += umass / pairs;
    sums.umass_weighted += umass * shares[static_cast<Index>(t)];
    sums.npmi += npmi / pairs;
    ++topics;
  }
  if (topics == 0) return {not_a_number, not_a_number, not_a_number};
  return {sums.umass / topics, sums.umass_weighted, sums.npmi / topics};
}

double perplexity(const Matrix& T, const Vector& shares, const Samples& unseen) {
  const Vector mean = as_distributions(T) * shares;
  return perplexity_under(unseen, [&](Index term, Index) { return mean[term]; });
}

DocumentHalves document_halves(const Samples& unseen) {
  const auto room = static_cast<std::uint64_t>(unseen.sparse() ? unseen.stored() / 2 : 0);
  SparseBuilder given(unseen.rows(), unseen.cols(), room);
  SparseBuilder scored(unseen.rows(), unseen.cols(), room);
  for (Index document = 0; document < unseen.cols(); ++document) {
    std::vector<std::pair<Index, double>> words;
    unseen.columns(document, 1).each([&](Index term, Index, double count) {
      if (count != 0) words.emplace_back(term, count);
    });
    RandomStream random({0, StreamName::every_run, static_cast<std::uint64_t>(document), "document halves"});
    random.shuffle(words);
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>((words.size() + 1) / 2);
    std::sort(words.begin(), middle);
    std::sort(middle, words.end());
    for (auto word = words.begin(); word != words.end(); ++word)
      (word < middle ? given : scored).add(word->first, document, word->second);
  }
  const auto never_twice = [](Index, Index) {};
  return {given.take(never_twice), scored.take(never_twice)};
}

double completion_perplexity(const Matrix& T, const Vector& shares, const Samples& unseen) {
  const DocumentHalves halves = document_halves(unseen);
  const Matrix topics = as_distributions(T);
  Matrix weights = right_factor_start(halves.given, T);
  hals_right(halves.given, T, weights, completion_sweeps);
  weights.array().colwise() *= T.colwise().sum().transpose().array();
  for (auto document : weights.colwise()) {
    if (const double sum = document.sum(); sum > 0)
      document /= sum;
    else
      document = shares;
  }
  return perplexity_under(
      halves.scored, [&](Index term, Index document) { return topics.row(term).dot(weights.col(document)); });
}

}  // namespace sotto
