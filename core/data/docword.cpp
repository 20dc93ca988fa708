// SPDX-License-Identifier: MIT
// UCI's bag of words: three lines with D documents, W words and N entries, then N lines "document word count", from 1.
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>
#include <algorithm>

#include "core/data/formats.h"
#include "core/data/sparse_builder.h"

namespace sotto {

namespace {

constexpr std::uint64_t most_counts = 1'000'000'000;

/// "3430\n": a line of one number; moves past it.
bool number_line(std::string_view& head) {
  const std::size_t end = std::min(head.find('\n'), head.size());
  std::string_view line = head.substr(0, end);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  head.remove_prefix(std::min(end + 1, head.size()));
  return !line.empty() && std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

/// Three numbers on a line each, then a line of three: a CSV file would have as many on every line.
bool is_docword(std::string_view head, std::string_view file_name) {
  const std::string_view base = file_name.substr(file_name.rfind('/') + 1);
  if (base.starts_with("docword")) return true;
  for (int k = 0; k < 3; ++k)
    if (!number_line(head)) return false;
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.find(' ') != std::string_view::npos && line.find(',') == std::string_view::npos;
}

FileData read_docword(DataReader& in, const ReadSettings&) {
  const auto header = [&](const char* what) {
    in.skip_empty_lines(0);
    const std::uint64_t value = in.whole(SparseBuilder::most_entries, what);
    in.finish_line();
    return value;
  };
  const std::uint64_t documents = header("the number of documents");
  const std::uint64_t words = header("the number of words");
  const std::uint64_t entries = header("the number of entries");
  constexpr std::uint64_t shortest_line = 6;
  in.plausible(entries, shortest_line - 1, "entries");
  in.plausible_shape(documents, words);
  SparseBuilder builder(static_cast<Index>(words), static_cast<Index>(documents),
                        in.worth_reserving(entries));
  for (std::uint64_t k = 0; k < entries; ++k) {
    in.skip_empty_lines(0);
    if (in.at_end()) in.fail(fmt::format("the file ends after {} of {} entries", k, entries));
    const std::uint64_t document = in.whole(documents, "the document's number");
    const std::uint64_t word = in.whole(words, "the word's number");
    const std::uint64_t count = in.whole(most_counts, "the count");
    if (document == 0 || word == 0) in.fail("documents and words are numbered from 1");
    in.finish_line();
    builder.add(static_cast<Index>(word - 1), static_cast<Index>(document - 1), static_cast<double>(count));
  }
  FileData data;
  data.samples = builder.take([&](Index word, Index document) {
    in.fail_file(fmt::format("has document {}, word {} twice", document + 1, word + 1));
  });
  return data;
}

}  // namespace sotto
