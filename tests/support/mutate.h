// SPDX-License-Identifier: MIT
// Broken inputs for tests of parsers, drawn from a seed: the same inputs on every machine. A parser under test
// must take each of them, or refuse it with the error it documents, and do nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/random_stream.h"

namespace sotto::testing {

/// What parsers of any format stumble over: numbers at the edges of their types, bytes that are no text.
inline constexpr std::array<std::string_view, 18> awkward_pieces{"-1",
                                                                 "0",
                                                                 "18446744073709551616",
                                                                 "99999999999999999999999999",
                                                                 "1e400",
                                                                 "-0",
                                                                 "nan",
                                                                 "inf",
                                                                 "1e-400",
                                                                 "0x7fffffff",
                                                                 "4294967296",
                                                                 "\xff\xfe",
                                                                 "\n",
                                                                 "\"",
                                                                 "\xc0\x80",
                                                                 "\r",
                                                                 "\xef\xbb\xbf",
                                                                 std::string_view("\0", 1)};

/// One change to `text`. `others` are texts to splice with, `tokens` the words of the format.
inline void mutate_once(std::string& text, RandomStream& random, std::span<const std::string> others,
                        std::span<const std::string_view> tokens) {
  constexpr std::size_t max_repeats = 2000;
  const auto place = [&] { return random.below(text.size() + 1); };
  const auto length = [&](std::size_t at) {
    return random.below(std::min<std::size_t>(text.size() - at, 40) + 1);
  };
  const auto piece = [&](std::span<const std::string_view> of) { return of[random.below(of.size())]; };
  const std::size_t at = place();
  switch (random.below(10)) {
    case 0:  // the file ends early
      text.resize(at);
      break;
    case 1:  // a bit flips
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 2:  // any byte in place of another
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      break;
    case 3:  // a part is missing
      text.erase(at, length(at));
      break;
    case 4:  // a part is there twice, perhaps elsewhere
      text.insert(place(), std::string(text, at, length(at)));
      break;
    case 5:
      text.insert(at, piece(awkward_pieces));
      break;
    case 6:  // a part gives way to something awkward
      text.replace(at, std::min<std::size_t>(length(at), 6), piece(awkward_pieces));
      break;
    case 7:
      if (!tokens.empty()) text.insert(at, piece(tokens));
      break;
    case 8: {  // the head of this text, the tail of another
      if (others.empty()) break;
      const std::string& other = others[random.below(others.size())];
      text = text.substr(0, at) + other.substr(random.below(other.size() + 1));
      break;
    }
    default: {  // long nestings and long words, seldom: they make long inputs
      if (tokens.empty() || random.below(20) != 0) break;
      const std::string_view word = piece(tokens);
      std::string nest;
      for (std::size_t k = 1 + random.below(max_repeats); k > 0; --k) nest += word;
      text.insert(at, nest);
    }
  }
}

/// A seed text with one to six changes.
inline std::string mutate(const std::string& seed, RandomStream& random,
                          std::span<const std::string_view> tokens,
                          std::span<const std::string> others = {}) {
  std::string text = seed;
  for (std::uint64_t changes = 1 + random.below(6); changes > 0; --changes)
    mutate_once(text, random, others, tokens);
  return text;
}

}  // namespace sotto::testing
