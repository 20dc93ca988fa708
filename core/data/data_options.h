// SPDX-License-Identifier: MIT
// [data]: where samples come from, how they are scaled, split and held out.
// Tests: tests/core/experiment/scenario_test.cpp, tests/core/data/dataset_test.cpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/schema.h"

namespace sotto {

enum class DataSource : std::uint8_t { nmf, ratings, regression, pca, file };
template <>
struct Words<DataSource> {
  static constexpr std::string_view setting = "data.source";
  static constexpr Word<DataSource> all[] = {{DataSource::nmf, "synthetic-nmf"},
                                             {DataSource::ratings, "synthetic-ratings"},
                                             {DataSource::regression, "synthetic-regression"},
                                             {DataSource::pca, "synthetic-pca"},
                                             {DataSource::file, "file"}};
};

enum class SampleLayout : std::uint8_t { rows, columns };
template <>
struct Words<SampleLayout> {
  static constexpr std::string_view setting = "data.samples";
  static constexpr Word<SampleLayout> all[] = {{SampleLayout::rows, "rows"},
                                               {SampleLayout::columns, "columns"}};
};

enum class Scale : std::uint8_t { none, unit_max, lee_seung, tf_idf };
template <>
struct Words<Scale> {
  static constexpr std::string_view setting = "data.scale";
  static constexpr Word<Scale> all[] = {{Scale::none, "none"},
                                        {Scale::unit_max, "unit-max"},
                                        {Scale::lee_seung, "lee-seung"},
                                        {Scale::tf_idf, "tf-idf"}};
};

/// Which documents word frequencies are counted in.
enum class FrequencySource : std::uint8_t { training, own };
template <>
struct Words<FrequencySource> {
  static constexpr std::string_view setting = "data.idf";
  static constexpr Word<FrequencySource> all[] = {{FrequencySource::training, "training"},
                                                  {FrequencySource::own, "own"}};
};

enum class SampleOrder : std::uint8_t { shuffled, file };
template <>
struct Words<SampleOrder> {
  static constexpr std::string_view setting = "data.order";
  static constexpr Word<SampleOrder> all[] = {{SampleOrder::shuffled, "shuffled"},
                                              {SampleOrder::file, "file"}};
};

enum class SplitKind : std::uint8_t { even, uniform, sizes, skewed };
template <>
struct Words<SplitKind> {
  static constexpr std::string_view setting = "data.split.kind";
  static constexpr Word<SplitKind> all[] = {{SplitKind::even, "even"},
                                            {SplitKind::uniform, "uniform"},
                                            {SplitKind::sizes, "sizes"},
                                            {SplitKind::skewed, "skewed"}};
};

struct SyntheticOptions {
  std::int64_t samples = 200;
  std::int64_t features = 30;
  std::int64_t rank = 5;
  double left_mean = 0.033;
  double right_mean = 0.8;
  double noise_variance = 3.6e-4;
  double density = 0.1;
  double decay = 0.7;
};

struct SplitOptions {
  SplitKind kind = SplitKind::even;
  std::int64_t min = 1;
  std::int64_t max = 0;  ///< 0: no bound
  std::vector<std::int64_t> sizes;
  double exponent = 1;
};

struct DataOptions {
  DataSource source = DataSource::nmf;
  SampleLayout samples = SampleLayout::rows;
  Scale scale = Scale::none;
  FrequencySource idf = FrequencySource::training;
  std::vector<std::string> files;  ///< source = file: one, or one per agent
  std::string vocabulary;          ///< a word a line
  SampleOrder order = SampleOrder::shuffled;
  std::int64_t image_width = 0;
  std::int64_t image_height = 0;
  SyntheticOptions synthetic;
  SplitOptions split;
  double held_out = 0;          ///< a count, or a share below 1
  double held_out_entries = 0;  ///< a share

  bool from_file() const { return source == DataSource::file; }
};

Schema data_settings();

/// How much data a trial has.
struct DataShape {
  std::int64_t features = 0;
  std::int64_t samples = 0;  ///< that agents hold
  std::int64_t held_out = 0;

  /// Synthetic data: held-out samples come on top.
  static DataShape of_synthetic(const DataOptions& options);
  /// Files: they are taken away.
  static DataShape of_file(const DataOptions& options, std::int64_t features, std::int64_t samples);
};

/// ScenarioError unless the data fits memory, the agents and the split.
void check_data(const DataOptions& options, const DataShape& shape, std::size_t agents,
                const SettingPlaces& places);
/// ScenarioError if a matrix of so many entries is refused.
void refuse_too_large(double entries, const std::string& setting, const SettingPlaces& places);

}  // namespace sotto
