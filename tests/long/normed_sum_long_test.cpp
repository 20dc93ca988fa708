// SPDX-License-Identifier: MIT
// Normalized secure sums: ten thousand vectors for every f, number of parties and length (a thousand of a thousand entries,
// unless SOTTO_FULL is set: make reproduce). PD-SVD on real documents: KOS, where it is there.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/experiments.h"
#include "tests/support/normed_sums.h"
#include "tests/support/shared_data.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("vectors with |s| in [2^-B, 1] for every f, M and d: all within the error bound") {
  const bool full = std::getenv("SOTTO_FULL") != nullptr;
  RandomStream random({12, 0, 0, "vectors"});
  for (const int f : {10, 20, 31})
    for (std::size_t parties = 2; parties <= 8; ++parties)
      for (const Index d : {1, 10, 1000}) {
        const Index columns = d == 1000 ? 100 : 500;
        const Index vectors = d == 1000 && !full ? 1'000 : 10'000;
        double worst = 0;
        double bound = 0;
        for (Index done = 0; done < vectors; done += columns) {
          const auto x =
              parts_of(random, parties, d, columns, [&] { return std::exp2(-10 * random.uniform()); });
          const Normalized n = normalized(
              {.parties = parties, .output_bits = f, .seed = static_cast<std::uint64_t>(done + 1)}, x);
          const Matrix s = n.sum();
          for (Index c = 0; c < columns; ++c)
            worst = std::max(worst, (n.out[0][0].col(c) - s.col(c).normalized()).cwiseAbs().maxCoeff());
          bound = n.facts.plan.error_bound();
        }
        CAPTURE(f);
        CAPTURE(parties);
        CAPTURE(d);
        CHECK(std::ldexp(worst, f) <= bound);
      }
}

TEST_CASE(
    "KOS: PD-SVD equals the decomposition in one place, and uplift over local ones falls as parties grow") {
  if (!has_shared_data("docword.kos.txt.gz")) return;
  ::setenv("SOTTO_DATA", shared_data_folder().c_str(), 1);
  const Experiment e = read_experiment(scenario_file("pdsvd-lra.toml"), {});
  ProcessRuntime workers(2);
  const auto runs = run_experiment(workers, e).runs;
  Vector uplift = Vector::Zero(10);
  for (std::size_t first = 0; first < runs.size(); first += e.methods.size()) {
    const MethodResult& pd = runs[first];
    const MethodResult& revealing = runs[first + 1];
    const MethodResult& centralized = runs[first + 2];
    const MethodResult& local = runs[first + 3];
    REQUIRE(local.method == "local");
    CHECK(std::abs(gap.of(pd, centralized)) < 0.01);
    CHECK(std::abs(gap.of(revealing, centralized)) < 0.01);
    const auto its = uplift_percent(pd.application, local.application);
    REQUIRE(its.size() == 10);
    for (Index a = 0; a < 10; ++a) uplift[a] += its[static_cast<std::size_t>(a)] / 3;
  }
  CHECK(uplift.minCoeff() > 0);
  // agents are sorted by size, the largest first: 981 to 125 documents
  CHECK(uplift[0] < uplift.segment(1, 4).mean());
  CHECK(uplift.segment(1, 4).mean() < uplift.tail(5).mean());
}
