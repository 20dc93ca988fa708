// SPDX-License-Identifier: MIT
#include "core/data/data_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/data/formats.h"

namespace sotto {

namespace {

using Options = DataOptions;

bool from_file(const Options& o) {
  return o.from_file();
}
bool synthetic(const Options& o) {
  return !o.from_file();
}
/// Whether samples are dealt out; with a file per agent everybody keeps its own.
bool deals(const Options& o) {
  return !o.from_file() || o.files.size() < 2;
}
/// Why settings of other sources, or of other divisions, are not used.
std::string origin(const Options& o) {
  return setting_is(o.source);
}
std::string division(const Options& o) {
  return deals(o) ? setting_is(o.split.kind) : std::string("data.file has one file per agent");
}
std::function<bool(const Options&)> split_by(SplitKind kind) {
  return [kind](const Options& o) { return deals(o) && o.split.kind == kind; };
}
std::function<bool(const Options&)> source_is(DataSource source) {
  return [source](const Options& o) { return o.source == source; };
}

void add_files(SchemaOf<Options>& s) {
  s.word(&Options::source,
         "nmf: exponential factors and noise; ratings: 1 to 5, sparse; regression: the last feature depends "
         "on the others; pca: Gaussian, a decaying spectrum; all new in each trial; file: data.file");
  const std::string paths = "a path, or a list of paths with one per agent";
  s.add(
       "file", paths,
       "matrix: .npy, CSV, Matrix Market, UCI docword, MovieLens (u.data, ratings.dat), PGM (a file or a "
       "folder), MNIST idx; each may be gzip; relative to the scenario's folder, then to $SOTTO_DATA",
       [paths](Options& o, const SettingValue& v) -> Problem {
         const auto* one = std::get_if<std::string>(&v);
         const auto* list = std::get_if<std::vector<std::string>>(&v);
         o.files = one != nullptr ? std::vector{*one} : list != nullptr ? *list : std::vector<std::string>{};
         if (o.files.empty() || !std::all_of(o.files.begin(), o.files.end(), is_path))
           return "must be " + paths;
         o.source = DataSource::file;  // no data.source is needed with it
         return {};
       },
       [](const Options& o) -> std::optional<SettingValue> {
         if (o.files.empty()) return {};
         if (o.files.size() == 1) return o.files.front();
         return o.files;
       })
      .used(from_file, origin);
  s.path("vocabulary", &Options::vocabulary, "a path", "the words of a docword file, one a line")
      .used(from_file, origin);
  s.word(&Options::samples, "how a matrix lies in its file (.npy, CSV, Matrix Market)")
      .used(from_file, origin);
  s.word(&Options::order,
         "shuffled: each trial deals the samples of a file out anew; file: as they come, the last ones are "
         "held out")
      .used(from_file, origin);
  s.whole("image.width", &Options::image_width, {0, 100'000},
          "pixels, where samples are pictures: of each in a strip of PGM, and for output.images; 0: as the "
          "file says")
      .unit("pixels")
      .used(from_file, origin);
  s.whole("image.height", &Options::image_height, {0, 100'000}, "the same")
      .unit("pixels")
      .used(from_file, origin);
  s.word(
      &Options::scale,
      "unit-max: the largest entry of all samples, those held out included, becomes 1; lee-seung: each "
      "sample to mean and deviation 1/4, clipped to 0..1; tf-idf: words in few training samples (data.idf) "
      "weigh more, samples have length 1");
  s.word(
       &Options::idf,
       "tf-idf: words are counted in all parties' training samples, or every party's samples are weighted by "
       "counts in its own; samples held out, which are no party's, are weighted by counts in all training "
       "samples either way; a word in none of the samples counted has the largest weight, ln(1 + samples) + "
       "1")
      .used([](const Options& o) { return o.scale == Scale::tf_idf; },
            [](const Options& o) { return setting_is(o.scale); });
}

void add_synthetic(SchemaOf<Options>& s) {
  s.whole(
       "synthetic.samples", [](auto& o) -> auto& { return o.synthetic.samples; }, {1, 100'000'000},
       "samples over all agents")
      .used(synthetic, origin);
  s.whole(
       "synthetic.features", [](auto& o) -> auto& { return o.synthetic.features; }, {1, 10'000'000},
       "features of a sample")
      .used(synthetic, origin);
  s.whole(
       "synthetic.rank", [](auto& o) -> auto& { return o.synthetic.rank; }, {1, 100'000},
       "rank of the data without its noise")
      .used(synthetic, origin);
  s.real(
       "synthetic.left_mean", [](auto& o) -> auto& { return o.synthetic.left_mean; }, {0, 1e6, true},
       "mean of the left factor's exponential entries")
      .used(source_is(DataSource::nmf), origin);
  s.real(
       "synthetic.right_mean", [](auto& o) -> auto& { return o.synthetic.right_mean; }, {0, 1e6, true},
       "mean of the right factor's exponential entries")
      .used(source_is(DataSource::nmf), origin);
  s.real(
       "synthetic.noise_variance", [](auto& o) -> auto& { return o.synthetic.noise_variance; }, {0, 1e12},
       "variance of the Gaussian noise")
      .used(synthetic, origin);
  s.real(
       "synthetic.density", [](auto& o) -> auto& { return o.synthetic.density; }, {0, 1, true},
       "ratings: share of the items that a sample rates")
      .used(source_is(DataSource::ratings), origin);
  s.real(
       "synthetic.decay", [](auto& o) -> auto& { return o.synthetic.decay; }, {0, 1, true},
       "pca, regression: each direction's deviation over the one before it")
      .used(
          [](const Options& o) { return o.source == DataSource::pca || o.source == DataSource::regression; },
          origin);
}

void add_split(SchemaOf<Options>& s) {
  s.word(
       [](auto& o) -> auto& { return o.split.kind; },
       "how samples are dealt out: even; uniform between min and max; given sizes; skewed as 1 / "
       "k^exponent; with a file per agent everybody keeps its own")
      .used(deals, division);
  s.whole(
       "split.min", [](auto& o) -> auto& { return o.split.min; }, {1, 100'000'000},
       "uniform, skewed: at least so many samples per agent")
      .used(
          [](const Options& o) {
            return o.split.kind == SplitKind::uniform || o.split.kind == SplitKind::skewed;
          },
          division);
  s.whole(
       "split.max", [](auto& o) -> auto& { return o.split.max; }, {0, 100'000'000},
       "uniform: at most so many; 0: no bound")
      .used(split_by(SplitKind::uniform), division);
  s.whole_list(
       "split.sizes", [](auto& o) -> auto& { return o.split.sizes; },
       "samples of each agent, in order; no kind is needed with it")
      .used(split_by(SplitKind::sizes), division)
      .first([](Options& o) {
        if (o.split.kind == SplitKind::even) o.split.kind = SplitKind::sizes;
      })
      .written([](const Options& o) { return o.split.kind == SplitKind::sizes; });
  s.real(
       "split.exponent", [](auto& o) -> auto& { return o.split.exponent; }, {0, 10}, "skewed: 0 is even")
      .used(split_by(SplitKind::skewed), division);
}

std::int64_t held_out_of(const Options& o, std::int64_t samples) {
  if (o.held_out >= 1) return static_cast<std::int64_t>(o.held_out);
  return std::llround(o.held_out * static_cast<double>(samples));
}

void check_sizes(const SplitOptions& split, std::int64_t samples, std::int64_t agents,
                 const SettingPlaces& places) {
  const auto refuse = [&](const std::string& why) { places.refuse("data.split.sizes", why); };
  if (static_cast<std::int64_t>(split.sizes.size()) != agents)
    refuse(fmt::format("has {} entries, but there are {} agents", split.sizes.size(), agents));
  for (std::size_t a = 0; a < split.sizes.size(); ++a)
    if (split.sizes[a] == 0) refuse(fmt::format("agent {} has no samples", a));
  const std::int64_t sum = std::accumulate(split.sizes.begin(), split.sizes.end(), std::int64_t{0});
  if (sum != samples) refuse(fmt::format("adds up to {}, but there are {} samples", sum, samples));
}

void check_split(const SplitOptions& split, std::int64_t samples, std::int64_t agents,
                 const SettingPlaces& places) {
  if (split.kind == SplitKind::sizes) return check_sizes(split, samples, agents, places);
  const std::int64_t least = split.kind == SplitKind::even ? 1 : split.min;
  if (samples / least < agents)
    places.refuse("topology.agents",
                  fmt::format("{} agents with at least {} sample{} each need more than the {} there are",
                              agents, least, least == 1 ? "" : "s", samples));
  if (split.kind != SplitKind::uniform || split.max == 0) return;
  if (split.max < split.min)
    places.refuse("data.split.max", fmt::format("is below data.split.min = {}", split.min));
  if (split.max * agents < samples)
    places.refuse("data.split.max", fmt::format("{} agents with at most {} samples each cannot hold {}",
                                                agents, split.max, samples));
}

}  // namespace

Schema data_settings() {
  SchemaOf<Options> s("data");
  add_files(s);
  add_synthetic(s);
  add_split(s);
  s.real("held_out", &Options::held_out, {0, 1e8},
         "samples that nobody trains on, a count or a share below 1: further ones (synthetic), or taken "
         "from the file");
  s.real("held_out_entries", &Options::held_out_entries, {0, 0.9},
         "share of the entries of sparse data that nobody trains on, drawn anew in each trial; every sample "
         "keeps one at least");
  return s.take();
}

DataShape DataShape::of_synthetic(const DataOptions& options) {
  const SyntheticOptions& s = options.synthetic;
  return {s.features, s.samples, held_out_of(options, s.samples)};
}

DataShape DataShape::of_file(const DataOptions& options, std::int64_t features, std::int64_t samples) {
  const std::int64_t held_out = held_out_of(options, samples);
  return {features, samples - held_out, held_out};
}

void refuse_too_large(double entries, const std::string& setting, const SettingPlaces& places) {
  if (entries > static_cast<double>(max_entries))
    places.refuse(setting, fmt::format("makes matrices of {:.3g} entries: {:.3g} is the most", entries,
                                       static_cast<double>(max_entries)));
}

void check_data(const DataOptions& o, const DataShape& shape, std::size_t agents,
                const SettingPlaces& places) {
  const auto features = static_cast<double>(shape.features);
  const auto all_samples = static_cast<double>(shape.samples) + static_cast<double>(shape.held_out);
  if (!o.from_file())
    refuse_too_large(
        features * all_samples + static_cast<double>(o.synthetic.rank) * (all_samples + features),
        "data.synthetic.samples", places);
  if (o.held_out >= 1 && o.held_out != std::floor(o.held_out))
    places.refuse("data.held_out", "must be a whole number, or a share below 1");
  if (shape.samples < static_cast<std::int64_t>(agents) && o.from_file() && shape.held_out > 0)
    places.refuse("data.held_out", fmt::format("leaves {} of {} samples to {} agents",
                                               std::max<std::int64_t>(0, shape.samples),
                                               shape.samples + shape.held_out, agents));
  if (o.from_file() && o.files.size() > 1) {
    if (o.files.size() != agents)
      places.refuse("data.file",
                    fmt::format("names {} files, but there are {} agents", o.files.size(), agents));
  } else {
    check_split(o.split, shape.samples, static_cast<std::int64_t>(agents), places);
  }
}

}  // namespace sotto
