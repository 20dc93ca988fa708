// SPDX-License-Identifier: MIT
#include "core/measures/topic_quality.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/random_stream.h"

namespace sotto {

namespace {

constexpr double uniform_share = 1e-4;

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

Coherence coherence(const std::vector<std::vector<Index>>& terms, const Samples& documents) {
  const Occurrences found(terms, documents);
  const auto n = static_cast<double>(documents.cols());
  double umass = 0;
  double npmi = 0;
  double topics = 0;
  for (const auto& topic : terms) {
    double topic_umass = 0;
    double topic_npmi = 0;
    double pairs = 0;
    for (std::size_t b = 1; b < topic.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const double with_a = found.with(topic[a]);
        const double with_b = found.with(topic[b]);
        const double both = found.both(topic[a], topic[b]);
        if (with_a == 0 || with_b == 0) continue;  // a term of no document says nothing
        ++pairs;
        topic_umass += portable_log((both + 1) / with_a);
        if (both == 0)
          topic_npmi -= 1;
        else if (both < n)
          topic_npmi += portable_log(both * n / (with_a * with_b)) / -portable_log(both / n);
        else
          topic_npmi += 1;  // both in all documents: the limit
      }
    if (pairs == 0) continue;
    umass += topic_umass / pairs;
    npmi += topic_npmi / pairs;
    ++topics;
  }
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return topics == 0 ? Coherence{none, none} : Coherence{umass / topics, npmi / topics};
}

double perplexity(const Matrix& T, const Matrix& weights, const Samples& unseen) {
  const Vector sizes = T.colwise().sum();
  Vector mean = Vector::Zero(T.cols());  // of the rows of W, brought to sum to 1 once T's are
  double documents = 0;
  for (Index i = 0; i < weights.cols(); ++i) {
    const Vector w = weights.col(i).cwiseProduct(sizes);
    if (const double sum = w.sum(); sum > 0) {
      mean += w / sum;
      ++documents;
    }
  }
  Vector p = Vector::Zero(T.rows());
  for (Index t = 0; t < T.cols(); ++t)
    if (sizes[t] > 0 && documents > 0) p += T.col(t) * (mean[t] / (sizes[t] * documents));
  p = (1 - uniform_share) * p.array() + uniform_share / static_cast<double>(T.rows());
  double likelihood = 0;
  double words = 0;
  unseen.each([&](Index term, Index, double count) {
    if (count == 0) return;
    likelihood += count * portable_log(p[term]);
    words += count;
  });
  return words > 0 ? portable_exp(-likelihood / words) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sotto
