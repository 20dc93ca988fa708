// SPDX-License-Identifier: MIT
// PD-NMF on real documents: KOS, where it is there.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "tests/support/experiments.h"
#include "tests/support/shared_data.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

Experiment on_documents(const char* file, const std::vector<Assignment>& settings) {
  ::setenv("SOTTO_DATA", shared_data_folder().c_str(), 1);
  return read_experiment(scenario_file(file), settings);
}

}  // namespace

TEST_CASE("KOS: PD-NMF equals the centralized run, and uplift over local models falls as parties grow") {
  if (!has_shared_data("docword.kos.txt.gz")) return;
  // the same start for both
  const Experiment e =
      on_documents("pdnmf-topics.toml", {{"algorithm.initialization", "\"random\""}, {"trials", "3"}});
  ProcessRuntime workers(2);
  const auto runs = run_experiment(workers, e).runs;
  const std::size_t methods = e.methods.size();
  Vector uplift = Vector::Zero(10);
  for (std::size_t first = 0; first < runs.size(); first += methods) {
    const MethodResult& pd = runs[first];
    const MethodResult& centralized = runs[first + 2];
    const MethodResult& local = runs[first + 3];
    REQUIRE(centralized.method == "centralized");
    REQUIRE(local.method == "local");
    CHECK(std::abs(gap.of(pd, centralized)) < 1e-6);
    CHECK(pd.application.rows.at(0).rows == centralized.application.rows.at(0).rows);
    const auto its = uplift_percent(pd.application, local.application);
    REQUIRE(its.size() == 10);
    for (Index a = 0; a < 10; ++a) uplift[a] += its[static_cast<std::size_t>(a)] / 3;
    CHECK(pd.application.figures.get("coherence_npmi") > local.application.figures.get("coherence_npmi"));
  }
  CHECK(uplift.minCoeff() > 0);
  // agents are sorted by size, the largest first: 981 to 125 documents
  CHECK(uplift[0] < uplift.segment(1, 4).mean());
  CHECK(uplift.segment(1, 4).mean() < uplift.tail(5).mean());
}

TEST_CASE(
    "KOS, table 1: pd-nmf-init and nndsvd end within three standard errors, below random and best-of-m") {
  if (!has_shared_data("docword.kos.txt.gz")) return;
  const auto all = run_and_summarize(on_documents("pdnmf-initializations.toml", {}));
  const Spread& init = method(all, "pd-nmf").figure("frobenius");
  const Spread& nndsvd = method(all, "nndsvd").figure("frobenius");
  const double error =
      std::sqrt((init.sd * init.sd + nndsvd.sd * nndsvd.sd) / static_cast<double>(init.count));
  CHECK(init.mean <= nndsvd.mean + 3 * error);
  CHECK(init.mean < method(all, "best-of-m").figure("frobenius").mean);
  CHECK(init.mean < method(all, "random").figure("frobenius").mean);
  CHECK(nndsvd.mean < method(all, "random").figure("frobenius").mean);
}
