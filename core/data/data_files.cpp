// SPDX-License-Identifier: MIT
#include "core/data/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/sha256.h"
#include "core/data/scaling.h"
#include "core/data/sparse_builder.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

bool is_picture(const std::string& name) {
  return name.ends_with(".pgm") || name.ends_with(".PGM") || name.ends_with(".pgm.gz");
}

std::vector<std::string> pictures_in(const std::string& path, const std::string& name) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (is_picture(entry->path().filename().string())) files.push_back(entry->path().filename().string());
  if (error) throw ScenarioError({name, 0, 0}, "", "cannot be read: " + error.message());
  if (files.empty()) throw ScenarioError({name, 0, 0}, "", "is a folder without .pgm files");
  std::sort(files.begin(), files.end());
  return files;
}

/// Every .pgm of a folder, by name, is a sample.
FileData read_folder(const std::string& path, const std::string& name, std::string& hash) {
  const std::vector<std::string> files = pictures_in(path, name);
  FileData data;
  std::vector<Picture> pictures;
  std::string hashes;
  for (const std::string& file_name : files) {
    const std::string file = (fs::path(name) / file_name).string();
    FileSource source((fs::path(path) / file_name).string(), file);
    DataReader in(source, file);
    pictures.push_back(read_pgm(in));
    in.expect_end();
    data.image = pictures.front().shape;
    const ImageShape& shape = pictures.back().shape;
    if (!(shape == data.image))
      in.fail_file(fmt::format("is {} x {} pixels, but {} is {} x {}", shape.width, shape.height, files[0],
                               data.image.width, data.image.height));
    hashes += file_name + " " + source.hash() + "\n";
  }
  Matrix m(data.image.width * data.image.height, static_cast<Index>(files.size()));
  for (Index k = 0; k < m.cols(); ++k)
    m.col(k) = Eigen::Map<const Vector>(pictures[static_cast<std::size_t>(k)].pixels.data(), m.rows());
  hash = sha256_hex(hashes);
  data.samples = std::move(m);
  return data;
}

FileData read_one(const std::string& path, const std::string& name, const ReadSettings& settings,
                  std::string& hash) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_folder(path, name, hash);
  FileSource source(path, name);
  FileData data = read_data(source, name, settings);
  hash = source.hash();
  return data;
}

void refuse_negative(const Samples& samples, const std::string& name, const std::string& algorithm) {
  samples.each([&](Index feature, Index sample, double v) {
    if (v < 0)
      throw ScenarioError({name, 0, 0}, "",
                          fmt::format("sample {}, feature {} is {}, but {} factorizes nonnegative data",
                                      sample + 1, feature + 1, v, algorithm));
  });
}

void refuse_too_dense(Index features, Index samples, const SettingPlaces& places) {
  if (static_cast<double>(features) * static_cast<double>(samples) > static_cast<double>(max_entries))
    throw ScenarioError(places.of("data.file"), "data.file",
                        fmt::format("{} features x {} samples, written out, are more than {} numbers",
                                    features, samples, max_entries));
}

/// What a file says of its features must not contradict the files before it.
void agree(Dataset& data, FileData& file, const std::string& name, const std::string& first) {
  const auto refuse = [&](const std::string& what) {
    throw ScenarioError({name, 0, 0}, "", fmt::format("has {} other than those of {}", what, first));
  };
  if (data.image.known() && file.image.known() && !(data.image == file.image)) refuse("pictures of a shape");
  if (!data.words.empty() && !file.names.empty() && data.words != file.names) refuse("names of features");
  if (!data.image.known()) data.image = file.image;
  if (data.words.empty()) data.words = std::move(file.names);
}

/// data.image must fit the samples; it says what a file does not.
void apply_image(Dataset& data, const DataOptions& options, const SettingPlaces& places) {
  const ImageShape wanted{options.image_width, options.image_height};
  if (!wanted.known()) return;
  if (wanted.width * wanted.height != data.samples.rows() || (data.image.known() && !(data.image == wanted)))
    throw ScenarioError(
        places.of("data.image.width"), "data.image",
        fmt::format("is {} x {}, but samples have {} features{}", wanted.width, wanted.height,
                    data.samples.rows(),
                    data.image.known() ? fmt::format(", {} x {}", data.image.width, data.image.height) : ""));
  data.image = wanted;
}

/// Files of all agents, one after the other.
Samples joined(const std::vector<Samples>& parts, const SettingPlaces& places) {
  if (parts.size() == 1) return parts.front();
  Index samples = 0;
  Index stored = 0;
  bool sparse = true;
  for (const Samples& p : parts) {
    samples += p.cols();
    stored += p.stored();
    sparse = sparse && p.sparse();
  }
  const Index features = parts.front().rows();
  if (!sparse) {
    refuse_too_dense(features, samples, places);
    Matrix m = Matrix::Zero(features, samples);
    Index at = 0;
    for (const Samples& p : parts) {
      p.each([&](Index feature, Index sample, double v) { m(feature, at + sample) = v; });
      at += p.cols();
    }
    return m;
  }
  SparseBuilder builder(features, samples, static_cast<std::uint64_t>(stored));
  Index at = 0;
  for (const Samples& p : parts) {
    p.each([&](Index feature, Index sample, double v) { builder.add(feature, at + sample, v); });
    at += p.cols();
  }
  return builder.take([](Index, Index) {});
}

std::vector<std::string> read_words(const std::string& path, const DataOptions& options, Index features,
                                    std::vector<InputFile>& inputs) {
  FileSource source(path, options.vocabulary);
  DataReader in(source, options.vocabulary);
  std::vector<std::string> words;
  for (in.skip_empty_lines(0); !in.at_end(); in.skip_empty_lines(0)) {
    words.emplace_back(in.field('\r'));
    in.skip_line();
  }
  if (static_cast<Index>(words.size()) != features)
    in.fail_file(fmt::format("has {} words, but the data has {} features", words.size(), features));
  inputs.push_back({options.vocabulary, source.hash()});
  return words;
}

}  // namespace

Dataset load_dataset(const DataOptions& options, const std::string& folder, const SettingPlaces& places,
                     const std::string& nonnegative_for, std::vector<InputFile>& inputs) {
  if ((options.image_width == 0) != (options.image_height == 0))
    throw ScenarioError(places.of("data.image.width"), "data.image", "needs both width and height");
  const ReadSettings how{options.samples == SampleLayout::columns,
                         {options.image_width, options.image_height}};
  Dataset data;
  std::vector<Samples> parts;
  for (const std::string& name : options.files) {
    const std::string path = locate_input(folder, name, places.of("data.file"), "data.file");
    InputFile input{name, ""};
    FileData file = read_one(path, name, how, input.sha256);
    if (!nonnegative_for.empty() && options.scale != Scale::lee_seung)  // that one leaves nothing below zero
      refuse_negative(file.samples, name, nonnegative_for);
    if (!parts.empty() && file.samples.rows() != parts.front().rows())
      throw ScenarioError({name, 0, 0}, "",
                          fmt::format("has {} features, but {} has {}", file.samples.rows(),
                                      options.files.front(), parts.front().rows()));
    inputs.push_back(std::move(input));
    agree(data, file, name, options.files.front());
    parts.push_back(std::move(file.samples));
  }
  if (parts.size() > 1)
    for (const Samples& p : parts) data.sizes.push_back(p.cols());
  data.samples = joined(parts, places);
  apply_image(data, options, places);
  if (options.scale == Scale::lee_seung) refuse_too_dense(data.samples.rows(), data.samples.cols(), places);
  data.samples = scaled(data.samples, options.scale);
  if (!options.vocabulary.empty())
    data.words =
        read_words(locate_input(folder, options.vocabulary, places.of("data.vocabulary"), "data.vocabulary"),
                   options, data.samples.rows(), inputs);
  return data;
}

}  // namespace sotto
