#include "core/experiment/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto {

namespace {

Matrix exponential_matrix(Index rows, Index cols, double mean, RandomStream& random) {
  Matrix m(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) m(r, c) = random.exponential(mean);
  return m;
}

/// Z = X Y + noise, X and Y exponential: the paper's experiment 1. Noise may make entries negative; they
/// stay.
Matrix synthetic_nmf(const DataSettings& d, Index samples, RandomStream& random) {
  const Matrix X = exponential_matrix(d.synthetic.features, d.synthetic.rank, d.synthetic.left_mean, random);
  const Matrix Y = exponential_matrix(d.synthetic.rank, samples, d.synthetic.right_mean, random);
  Matrix Z = X * Y;
  const double sd = std::sqrt(d.synthetic.noise_variance);
  if (sd > 0)
    for (Index c = 0; c < Z.cols(); ++c)
      for (Index r = 0; r < Z.rows(); ++r) Z(r, c) += sd * random.normal();
  return Z;
}

/// Brings sizes whose sum is far off near `samples`, in proportion, within [low, high].
void scale_sizes(std::vector<Index>& sizes, Index samples, Index low, Index high) {
  const auto n = static_cast<double>(sizes.size());
  const auto sum = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), Index{0}));
  const auto wanted = static_cast<double>(samples);
  if (std::abs(sum - wanted) <= 16 * n) return;
  const bool shrink = sum > wanted;
  const auto end = static_cast<double>(shrink ? low : high);
  const double factor = (wanted - n * end) / (sum - n * end);
  for (Index& size : sizes) {
    const double scaled = end + (static_cast<double>(size) - end) * factor;
    size = static_cast<Index>(shrink ? std::floor(scaled) : std::ceil(scaled));
  }
}

/// Adds or takes single samples at random agents until the sizes add up to `samples`. Agents that can give or take no
/// more leave the draw, so that every step counts.
void settle(std::vector<Index>& sizes, Index samples, Index low, Index high, RandomStream& random) {
  scale_sizes(sizes, samples, low, high);
  Index missing = samples - std::accumulate(sizes.begin(), sizes.end(), Index{0});
  const Index step = missing > 0 ? 1 : -1;
  const Index end = missing > 0 ? high : low;
  std::vector<std::size_t> open;
  for (std::size_t a = 0; a < sizes.size(); ++a)
    if (sizes[a] != end) open.push_back(a);
  for (; missing != 0; missing -= step) {
    const std::size_t k = random.below(open.size());
    Index& size = sizes[open[k]];
    size += step;
    if (size == end) {
      open[k] = open.back();
      open.pop_back();
    }
  }
}

}  // namespace

std::vector<Index> split_sizes(const DataSettings& settings, std::size_t agents, RandomStream& random) {
  const Index samples = settings.synthetic.samples;
  const auto n = static_cast<Index>(agents);
  const auto& split = settings.split;
  std::vector<Index> sizes(agents);
  if (split.kind == "sizes") {
    std::copy(split.sizes.begin(), split.sizes.end(), sizes.begin());
  } else if (split.kind == "uniform") {
    const Index high = split.max == 0 ? samples : std::min<Index>(split.max, samples);
    for (Index& size : sizes)
      size = split.min + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - split.min + 1)));
    settle(sizes, samples, split.min, high, random);
  } else if (split.kind == "skewed") {
    double total = 0;
    for (std::size_t a = 0; a < agents; ++a) total += std::pow(static_cast<double>(a + 1), -split.exponent);
    const double share = static_cast<double>(samples - n * split.min) / total;
    for (std::size_t a = 0; a < agents; ++a)
      sizes[a] =
          split.min + static_cast<Index>(share * std::pow(static_cast<double>(a + 1), -split.exponent));
    settle(sizes, samples, split.min, samples, random);
  } else {
    for (Index a = 0; a < n; ++a)
      sizes[static_cast<std::size_t>(a)] = samples / n + (a < samples % n ? 1 : 0);
  }
  return sizes;
}

TrialData make_data(const Scenario& scenario, std::uint64_t trial) {
  RandomStream data_stream({scenario.seed, trial, StreamName::everyone, "data"});
  RandomStream split_stream({scenario.seed, trial, StreamName::everyone, "split"});
  const Index samples = scenario.data.synthetic.samples;
  const Index held_out = scenario.data.held_out_count();
  const Matrix Z = synthetic_nmf(scenario.data, samples + held_out, data_stream);
  TrialData data;
  data.all = Z.leftCols(samples);
  data.held_out = Z.rightCols(held_out);
  Index at = 0;
  for (const Index size : split_sizes(scenario.data, scenario.topology.shape.agents, split_stream)) {
    data.parts.push_back(data.all.middleCols(at, size));
    at += size;
  }
  return data;
}

}  // namespace sotto
