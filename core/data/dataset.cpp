// SPDX-License-Identifier: MIT
#include "core/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/data/scaling.h"
#include "core/data/sparse_builder.h"
#include "core/data/synthetic.h"

namespace sotto {

namespace {

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

std::vector<Index> split_sizes(const SplitOptions& split, Index samples, std::size_t agents,
                               RandomStream& random) {
  const auto n = static_cast<Index>(agents);
  std::vector<Index> sizes(agents);
  if (split.kind == SplitKind::sizes) {
    std::copy(split.sizes.begin(), split.sizes.end(), sizes.begin());
  } else if (split.kind == SplitKind::uniform) {
    const Index high = split.max == 0 ? samples : std::min<Index>(split.max, samples);
    for (Index& size : sizes)
      size = split.min + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - split.min + 1)));
    settle(sizes, samples, split.min, high, random);
  } else if (split.kind == SplitKind::skewed) {
    double total = 0;
    for (std::size_t a = 0; a < agents; ++a)
      total += portable_power(static_cast<double>(a + 1), -split.exponent);
    const double share = static_cast<double>(samples - n * split.min) / total;
    for (std::size_t a = 0; a < agents; ++a)
      sizes[a] =
          split.min + static_cast<Index>(share * portable_power(static_cast<double>(a + 1), -split.exponent));
    settle(sizes, samples, split.min, samples, random);
  } else {
    for (Index a = 0; a < n; ++a)
      sizes[static_cast<std::size_t>(a)] = samples / n + (a < samples % n ? 1 : 0);
  }
  return sizes;
}

namespace {

struct Deal {
  std::vector<Index> order;  ///< samples of the file, agent after agent
  std::vector<Index> held_out;
  std::vector<Index> sizes;  ///< by agent
};

/// Samples in an order that each trial draws anew, or as they come.
std::vector<Index> drawn_order(const DataOptions& options, Index samples, RandomStream& random) {
  std::vector<Index> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  if (options.order == SampleOrder::shuffled) random.shuffle(order);
  return order;
}

/// One file for all: the last ones are held out, the others dealt out.
Deal deal_out(const DataOptions& options, std::size_t agents, const DataShape& shape, RandomStream& random) {
  Deal deal;
  deal.order = drawn_order(options, shape.samples + shape.held_out, random);
  deal.held_out.assign(deal.order.begin() + shape.samples, deal.order.end());
  deal.order.resize(static_cast<std::size_t>(shape.samples));
  deal.sizes = split_sizes(options.split, shape.samples, agents, random);
  return deal;
}

/// A file each: agents keep what is theirs, but for the samples held out, which leave everybody at least one.
Deal keep_own(const DataOptions& options, const Dataset& data, const DataShape& shape, RandomStream& random) {
  Deal deal;
  deal.sizes = data.sizes;
  std::vector<std::size_t> owner;
  for (std::size_t a = 0; a < data.sizes.size(); ++a)
    owner.insert(owner.end(), static_cast<std::size_t>(data.sizes[a]), a);
  std::vector<Index> candidates = drawn_order(options, data.samples.cols(), random);
  std::vector<bool> away(owner.size(), false);
  for (std::size_t k = candidates.size(); k > 0 && static_cast<Index>(deal.held_out.size()) < shape.held_out;
       --k) {
    const auto sample = static_cast<std::size_t>(candidates[k - 1]);
    if (deal.sizes[owner[sample]] == 1) continue;
    --deal.sizes[owner[sample]];
    away[sample] = true;
    deal.held_out.push_back(candidates[k - 1]);
  }
  for (std::size_t sample = 0; sample < owner.size(); ++sample)
    if (!away[sample]) deal.order.push_back(static_cast<Index>(sample));
  return deal;
}

/// Draws which entries nobody trains on. A sample that would lose all keeps one of them.
void take_entries(TrialData& data, double share, RandomStream random) {
  SparseBuilder kept(data.all.rows(), data.all.cols(), static_cast<std::uint64_t>(data.all.stored()));
  SparseBuilder taken(data.all.rows(), data.all.cols(), 0);
  for (Index sample = 0; sample < data.all.cols(); ++sample) {
    const Samples::Entries entries = data.all.entries(sample);
    const std::size_t count = entries.values.size();
    std::vector<bool> take(count);
    for (std::size_t e = 0; e < count; ++e) take[e] = random.uniform() < share;
    if (count > 0 && std::find(take.begin(), take.end(), false) == take.end())
      take[random.below(count)] = false;
    for (std::size_t e = 0; e < count; ++e)
      (take[e] ? taken : kept).add(entries.features[e], sample, entries.values[e]);
  }
  const auto never_twice = [](Index, Index) {};
  data.all = kept.take(never_twice);
  data.held_out_entries = taken.take(never_twice);
}

/// Takes one feature out, and returns it.
Vector take_feature(Samples& Z, Index which) {
  Vector taken = Vector::Zero(Z.cols());
  const auto visit = [&](auto keep) {
    Z.each([&](Index feature, Index sample, double value) {
      if (feature == which)
        taken[sample] = value;
      else
        keep(feature > which ? feature - 1 : feature, sample, value);
    });
  };
  if (Z.sparse()) {
    SparseBuilder builder(Z.rows() - 1, Z.cols(), 0);
    visit([&](Index feature, Index sample, double value) { builder.add(feature, sample, value); });
    Z = builder.take([](Index, Index) {});
  } else {
    Matrix rest(Z.rows() - 1, Z.cols());
    visit([&](Index feature, Index sample, double value) { rest(feature, sample) = value; });
    Z = std::move(rest);
  }
  return taken;
}

/// Training samples decide what a word weighs.
void weigh_words(TrialData& data, std::span<const Index> sizes, FrequencySource source) {
  const Vector weights = word_weights(data.all);
  data.held_out = tf_idf(data.held_out, weights);
  data.all = source == FrequencySource::own ? own_tf_idf(data.all, sizes) : tf_idf(data.all, weights);
}

}  // namespace

TrialData make_data(const DataOptions& options, const Dataset* file, const TrialDraw& draw) {
  RandomStream data_stream({draw.seed, draw.trial, StreamName::everyone, "data"});
  RandomStream split_stream({draw.seed, draw.trial, StreamName::everyone, "split"});
  TrialData data;
  std::vector<Index> sizes;
  if (file == nullptr) {
    const DataShape shape = DataShape::of_synthetic(options);
    const Samples Z =
        scaled(synthetic_data(options, shape.samples + shape.held_out, data_stream), options.scale);
    data.all = Z.columns(0, shape.samples);
    data.held_out = Z.columns(shape.samples, shape.held_out);
    sizes = split_sizes(options.split, shape.samples, draw.agents, split_stream);
  } else {
    const DataShape shape = DataShape::of_file(options, file->samples.rows(), file->samples.cols());
    Deal deal = file->sizes.empty() ? deal_out(options, draw.agents, shape, split_stream)
                                    : keep_own(options, *file, shape, split_stream);
    data.all = file->samples.gather(deal.order);
    data.held_out = file->samples.gather(deal.held_out);
    data.numbers = std::move(deal.order);
    data.held_out_numbers = std::move(deal.held_out);
    sizes = std::move(deal.sizes);
  }
  if (options.scale == Scale::tf_idf) weigh_words(data, sizes, options.idf);
  if (draw.response) {
    data.response = take_feature(data.all, *draw.response);
    data.held_out_response = take_feature(data.held_out, *draw.response);
  }
  if (options.held_out_entries > 0)
    take_entries(data, options.held_out_entries,
                 RandomStream({draw.seed, draw.trial, StreamName::everyone, "held-out entries"}));
  Index at = 0;
  for (const Index size : sizes) {
    data.parts.push_back(data.all.columns(at, size).copy());  // nobody else's samples behind it
    at += size;
  }
  return data;
}

}  // namespace sotto
