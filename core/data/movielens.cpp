// SPDX-License-Identifier: MIT
// MovieLens: a rating a line, "user item rating time" separated by tabs (u.data) or "::" (ratings.dat). Users are samples,
// items features, both numbered from 1. What is not rated is not stored.
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/data/formats.h"
#include "core/data/sparse_builder.h"

namespace sotto {

namespace {

constexpr std::uint64_t most_users = 100'000'000;
constexpr std::uint64_t most_time = 999'999'999'999;

struct Rating {
  std::uint32_t user, item;
  double value;
};

/// A field that ends at "::", which is taken too.
template <class T>
T before_colons(DataReader& in, const char* what) {
  const std::string text(in.field(':'));
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty() || in.peek(2) != "::")
    in.fail(fmt::format("{} and \"::\" were expected, not \"{}\"", what, printable(text)));
  in.skip(2);
  return value;
}

Rating read_rating(DataReader& in) {
  Rating r{};
  const std::string_view line = in.peek(DataReader::longest_word);
  const bool colons = line.substr(0, line.find('\n')).find("::") != std::string_view::npos;
  std::uint64_t user = 0;
  std::uint64_t item = 0;
  if (colons) {
    user = before_colons<std::uint64_t>(in, "the user's number");
    item = before_colons<std::uint64_t>(in, "the item's number");
    r.value = before_colons<double>(in, "the rating");
  } else {
    user = in.whole(most_users, "the user's number");
    item = in.whole(most_users, "the item's number");
    r.value = in.number("the rating");
  }
  in.whole(most_time, "the time");
  if (user == 0 || item == 0 || user > most_users || item > most_users)
    in.fail(fmt::format("users and items are numbered from 1 to {}", most_users));
  if (!(r.value > 0)) in.fail("a rating must be above 0");
  r.user = static_cast<std::uint32_t>(user);
  r.item = static_cast<std::uint32_t>(item);
  return r;
}

}  // namespace

/// By its name, or because fields are separated by "::".
bool is_movielens(std::string_view head, std::string_view file_name) {
  const std::string_view base = file_name.substr(file_name.rfind('/') + 1);
  if (base.starts_with("u.data") || base.starts_with("ratings.dat")) return true;
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::size_t first = line.find("::");
  return first != std::string_view::npos && first > 0 &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(first),
                     [](char c) { return c >= '0' && c <= '9'; });
}

FileData read_movielens(DataReader& in, const ReadSettings&) {
  std::vector<Rating> ratings;
  std::uint32_t users = 0;
  std::uint32_t items = 0;
  for (in.skip_empty_lines(0); !in.at_end(); in.skip_empty_lines(0)) {
    ratings.push_back(read_rating(in));
    users = std::max(users, ratings.back().user);
    items = std::max(items, ratings.back().item);
    in.finish_line();
  }
  if (ratings.empty()) in.fail_file("has no ratings");
  in.plausible_shape(users, items);
  SparseBuilder builder(items, users, ratings.size());
  for (const Rating& r : ratings) builder.add(r.item - 1, r.user - 1, r.value);
  FileData data;
  data.samples = builder.take([&](Index item, Index user) {
    in.fail_file(fmt::format("user {} rates item {} twice", user + 1, item + 1));
  });
  return data;
}

}  // namespace sotto
