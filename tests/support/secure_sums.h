// SPDX-License-Identifier: MIT
// Secure sums on a graph, with everything that anybody saw of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/protocols/secure_sum.h"
#include "crypto/schemes.h"
#include "network/runtime/runtime.h"
#include "tests/support/graphs.h"

namespace sotto::testing {

struct Summed {
  std::vector<std::vector<Vector>> x, sum;  // by call, agent
  std::vector<StreamKey> secrets;           // by agent: of its key agreement
  std::vector<SumFigures> figures;
  SumPlan plan;
  RunResult run;
};

inline SecureSumOptions settings_of(const std::string& kind, int ring_bits = 64) {
  SecureSumOptions s;
  s.kind = from_word<SumKind>(kind);
  s.ring_bits = ring_bits;
  return s;
}

inline std::shared_ptr<const AdditiveScheme> paillier() {
  static const std::shared_ptr<const AdditiveScheme> scheme =
      make_scheme("paillier", {{PaillierKind::djn, 256}, 8});
  return scheme;
}

inline Vector numbers(RandomStream& random, Index count, double size) {
  Vector x(count);
  for (double& v : x) v = size * (2 * random.uniform() - 1);
  return x;
}

inline Summed sums(const Topology& topology, const SecureSumOptions& settings, int calls, Index entries,
                   double size = 100) {
  Summed out;
  out.plan = SumPlan::make(settings.kind, topology);
  out.x.assign(static_cast<std::size_t>(calls), std::vector<Vector>(topology.agents()));
  out.sum = out.x;
  out.secrets.resize(topology.agents());
  out.figures.resize(topology.agents());
  Workers workers(2);
  RuntimeOptions options;
  options.transcript = true;
  out.run = run_agents(
      workers, topology,
      [&](Agent& me) -> Task<void> {
        out.secrets[me.id()] = me.secret_random("secure sum agreement").next_key();
        SecureSum sum(me, settings, out.plan, settings.kind == SumKind::paillier_tree ? paillier() : nullptr);
        co_await sum.open();
        RandomStream random = me.random("numbers");
        for (std::size_t c = 0; c < out.x.size(); ++c) {
          out.x[c][me.id()] = numbers(random, entries, size);
          out.sum[c][me.id()] = co_await sum.sum(out.x[c][me.id()]);
        }
        out.figures[me.id()] = sum.figures();
      },
      options);
  return out;
}

inline Vector true_sum(const std::vector<Vector>& x) {
  Vector sum = Vector::Zero(x[0].size());
  for (const Vector& v : x) sum += v;
  return sum;
}

}  // namespace sotto::testing
