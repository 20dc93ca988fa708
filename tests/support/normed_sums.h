// SPDX-License-Identifier: MIT
// Normalized secure sums on a graph, with everything that anybody saw of them.
#pragma once

#include <cmath>

#include "core/protocols/normed_secure_sum.h"
#include "tests/support/secure_sums.h"

namespace sotto::testing {

struct Normalized {
  NormedSumFacts facts;
  std::vector<Matrix> x;                 ///< by agent: a column for every vector
  std::vector<std::vector<Matrix>> out;  ///< by call, agent
  std::vector<SumFigures> figures, offline;
  RunResult run;

  Matrix sum() const {
    Matrix s = Matrix::Zero(x[0].rows(), x[0].cols());
    for (const Matrix& part : x) s += part;
    return s;
  }
};

struct NormedCase {
  std::string shape = "complete";
  std::size_t parties = 3;
  int output_bits = 20;
  int norm_bound_bits = 10;
  std::string offline = "dealer";
  std::uint64_t seed = 1;
  std::size_t calls = 1;
  bool transcript = false;
};

inline std::shared_ptr<const AdditiveScheme> product_scheme(const std::string& offline) {
  if (offline == "dealer") return nullptr;
  static const std::shared_ptr<const AdditiveScheme> small_keys =
      make_scheme("paillier", {{PaillierKind::djn, 512}, 8});
  static std::shared_ptr<const AdditiveScheme> seal;
  if (offline == "paillier") return small_keys;
  if (!seal) seal = make_scheme("bfv");
  return seal;
}

/// Every call on the same vectors.
inline Normalized normalized(const NormedCase& which, std::vector<Matrix> x) {
  Normalized out;
  NormedSumOptions settings;
  settings.output_bits = which.output_bits;
  settings.norm_bound_bits = which.norm_bound_bits;
  settings.offline = from_word<OfflinePhase>(which.offline);
  out.facts = NormedSumFacts::make(settings, which.parties, static_cast<std::size_t>(x[0].rows()),
                                   product_scheme(which.offline));
  out.x = std::move(x);
  const Topology topology = graph(which.shape, which.parties);
  const SumPlan tree = SumPlan::make(SumKind::shares, topology);
  out.out.assign(which.calls, std::vector<Matrix>(which.parties));
  out.figures.resize(which.parties);
  out.offline.resize(which.parties);
  struct End {
    std::uint64_t iteration = 1;
    bool finished = true;
    void save(Writer&) const {}
  };
  Workers workers(2);
  RuntimeOptions options;
  options.transcript = which.transcript;
  options.randomness.seed = which.seed;
  out.run = run_agents(
      workers, topology,
      [&](Agent& me) -> Task<void> {
        const auto sum = NormedSecureSum::make(me, out.facts, tree);
        co_await sum->open();
        for (auto& call : out.out) call[me.id()] = co_await sum->normalize(out.x[me.id()]);
        sum->at_boundary(1, true);
        out.figures[me.id()] = sum->figures();
        out.offline[me.id()] = sum->offline_figures();
        co_await me.boundary(End{});
      },
      options, out.facts.roles());
  return out;
}

/// A sum of the given norm, cut into parts that say little of it.
inline std::vector<Matrix> parts_of(RandomStream& random, std::size_t parties, Index entries, Index columns,
                                    const std::function<double()>& norm) {
  std::vector<Matrix> x(parties, Matrix::Zero(entries, columns));
  for (Index c = 0; c < columns; ++c) {
    Vector s(entries);
    for (double& v : s) v = random.normal();
    const double size = norm();
    s *= size / s.norm();
    for (std::size_t m = 0; m + 1 < parties; ++m) {
      for (double& v : x[m].col(c)) v = random.normal() * size / std::sqrt(static_cast<double>(entries));
      x[m].col(c) *= 1 / static_cast<double>(parties);
    }
    x.back().col(c) = s;
    for (std::size_t m = 0; m + 1 < parties; ++m) x.back().col(c) -= x[m].col(c);
    double longest = 0;  // nobody's own part may be longer than 1
    for (const auto& part : x) longest = std::max(longest, part.col(c).norm());
    for (auto& part : x) part.col(c) *= std::min(1.0, 0.999 / longest);
  }
  return x;
}

}  // namespace sotto::testing
