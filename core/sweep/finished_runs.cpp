// SPDX-License-Identifier: MIT
#include "core/sweep/finished_runs.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "core/sweep/sweep_state.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

void find_runs(const std::string& folder, std::vector<FinishedFolder>& found) {
  std::error_code error;
  const fs::path state = fs::path(folder) / "state.sqlite";
  if (!fs::exists(state, error)) {
    if (!fs::exists(fs::path(folder) / "manifest.json", error) ||
        !fs::exists(fs::path(folder) / "summary.json", error))
      throw ScenarioError({folder, 0, 0}, "", "holds no finished run and no sweep");
    found.push_back({folder, folder});
    return;
  }
  const std::size_t before = found.size();
  SweepState(state.string(), SweepState::Access::look).each([&](const PointRecord& p) {
    if (p.state == PointState::done)
      found.push_back(
          {fmt::format("{} #{}", folder, p.point), (fs::path(folder) / "points" / p.hash).string()});
  });
  if (found.size() == before) throw ScenarioError({folder, 0, 0}, "", "is a sweep without a finished point");
}

}  // namespace

std::vector<FinishedFolder> finished_runs(const std::vector<std::string>& folders) {
  std::vector<FinishedFolder> found;
  for (const std::string& folder : folders) find_runs(folder, found);
  return found;
}

}  // namespace sotto
