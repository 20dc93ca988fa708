// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/results/output.h"
#include "tests/support/data_files.h"
#include "tests/support/experiments.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;
namespace fs = std::filesystem;

namespace {

/// Asks for an interruption after some boundaries.
class InterruptAfter final : public ProgressWatcher {
 public:
  explicit InterruptAfter(std::size_t boundaries) : left_(boundaries) {}
  void boundary(std::uint64_t, std::size_t) override {
    ++seen;
    if (left_ > 0 && --left_ == 0) flag.store(true);
  }
  void method_done(std::uint64_t, std::size_t) override {}

  std::atomic<bool> flag{false};
  std::size_t seen = 0;

 private:
  std::size_t left_;
};

NamedFiles without_timings(NamedFiles files) {
  std::erase_if(files, [](const auto& f) { return f.first == "timings.csv"; });
  return files;
}

const std::string every_method = small_scenario + R"(
[output]
metrics_every = 7
factors = true
transcript = true
[[method]]
name = "published"
set = { "algorithm.variant" = "published" }
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized" }
[[method]]
name = "local"
set = { "algorithm.name" = "local" }
)";

const std::string encrypted = R"(
seed = 4
[topology]
generator = "ring"
agents = 4
[data]
synthetic = { samples = 30, features = 6, rank = 2 }
[algorithm]
rank = 2
outer_iterations = 9
stop = { tolerance = 0.05, dwell = 2 }
[exchange]
scheme = "paillier"
privacy = "neighborhood-sum"
key_bits = 256
[output]
transcript = true
metrics_every = 4
[[method]]
name = "per-entry"
set = { "exchange.privacy" = "per-entry" }
)";

/// Interrupted again and again until it is done: how often.
int run_in_pieces(const Experiment& e, const CheckpointFolder& kept, std::size_t boundaries, int threads,
                  NamedFiles& files) {
  for (int pieces = 1; pieces < 1000; ++pieces) {
    ProcessRuntime workers(threads);
    InterruptAfter interrupt(boundaries);
    const ExperimentResult result = run_experiment(workers, e, {&interrupt.flag, &interrupt, &kept});
    if (result.interrupted) continue;
    files = output_files(e, result.runs, {});
    return pieces;
  }
  return 0;
}

}  // namespace

TEST_CASE("checkpoints: a run that is interrupted again and again ends in the same bytes") {
  for (const std::string& text : {every_method, encrypted})
    for (const char* every : {"0", "5"}) {
      CAPTURE(every);
      const Experiment e = experiment(text, {{"output.checkpoint_every", every}});
      ProcessRuntime workers(2);
      const NamedFiles whole = without_timings(output_files(e, run_experiment(workers, e).runs, {}));
      for (const std::size_t boundaries : {repetitions(1, 3), 3, 10, 41}) {
        CAPTURE(boundaries);
        const TemporaryFolder folder;
        const CheckpointFolder kept(folder.path() + "/checkpoint", e.hash());
        NamedFiles files;
        const int pieces = run_in_pieces(e, kept, boundaries, boundaries == 3 ? 1 : 2, files);
        if (boundaries < 10) CHECK(pieces > 2);
        CHECK(without_timings(files) == whole);
        kept.remove();
        CHECK(kept.empty());
      }
    }
}

TEST_CASE("checkpoints: what was saved while running is gone on from, not run again") {
  const Experiment e = experiment(small_scenario, {{"output.checkpoint_every", "10"}, {"trials", "1"}});
  const TemporaryFolder folder;
  const CheckpointFolder kept(folder.path() + "/checkpoint", e.hash());
  ProcessRuntime workers(1);
  {  // as if killed: only what the tenth boundary wrote is there
    const Trial trial(e, 0);
    MethodOptions options;
    options.checkpoint_every = 10;
    options.save = [&](const Checkpoint& c) {
      if (c.iteration == 10) kept.save(0, 0, c);
    };
    run_method(workers, trial, e.methods[0], options);
  }
  InterruptAfter counter(0);
  const auto result = run_experiment(workers, e, {nullptr, &counter, &kept});
  CHECK(counter.seen == 21);
  CHECK(result.runs[0].measured_from == 10);
  CHECK(kept.load(0, 0).result.has_value());
  InterruptAfter again(0);
  const auto loaded = run_experiment(workers, e, {nullptr, &again, &kept});
  CHECK(again.seen == 0);
  CHECK(output_files(e, loaded.runs, {}) == output_files(e, result.runs, {}));
}

TEST_CASE("checkpoints: damaged, foreign and unwritable files") {
  const Experiment e = experiment(small_scenario, {{"trials", "1"}, {"algorithm.outer_iterations", "3"}});
  const TemporaryFolder folder;
  const CheckpointFolder kept(folder.path() + "/checkpoint", e.hash());
  ProcessRuntime workers(1);
  kept.save(0, 0, run_experiment(workers, e).runs[0]);
  CHECK_THROWS_WITH_AS(CheckpointFolder(kept.path(), std::string(64, 'a')).load(0, 0),
                       doctest::Contains("another scenario"), RunError);
  const std::string file = kept.path() + "/trial-0-method-0";
  std::ifstream in(file, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 200) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    std::ofstream(file, std::ios::binary) << bad;
    CHECK_THROWS_WITH_AS(kept.load(0, 0), doctest::Contains("damaged"), RunError);
    CHECK(!fs::exists(file));  // so that the next run starts this part over
    std::ofstream(file, std::ios::binary) << good.substr(0, at);
    CHECK_THROWS_WITH_AS(kept.load(0, 0), doctest::Contains("damaged"), RunError);
  }
  std::ofstream(folder.path() + "/file") << "x";
  CHECK_THROWS_AS(CheckpointFolder(folder.path() + "/file/checkpoint", e.hash())
                      .save(0, 0, run_experiment(workers, e).runs[0]),
                  OutputError);
}

TEST_CASE("checkpoints: a run whose keys come from the system keeps none") {
  CHECK_THROWS_WITH_AS(experiment(small_scenario, {{"entropy", "os"}, {"output.checkpoint_every", "3"}}),
                       doctest::Contains("output.checkpoint_every: needs entropy = \"seed\""), ScenarioError);
}
