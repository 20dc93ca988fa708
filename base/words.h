// SPDX-License-Identifier: MIT
// Enumerations that users write as words. `Words<E>` lists the words of E once; settings, messages and files use the list.
// An unknown word is an error everywhere, also for callers of the library.
//
//   enum class Duplex : std::uint8_t { full, half };
//   template <>
//   struct Words<Duplex> {
//     static constexpr std::string_view setting = "link.duplex";
//     static constexpr Word<Duplex> all[] = {{Duplex::full, "full"}, {Duplex::half, "half"}};
//   };
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sotto {

template <class E>
struct Word {
  E value;
  std::string_view word;
};

template <class E>
struct Words;

template <class E>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const auto& entry : Words<E>::all) words.emplace_back(entry.word);
  return words;
}

/// `one of "a", "b"`.
inline std::string one_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "\"" : ", \"") + word + "\"";
  return words.size() == 1 ? text : "one of " + text;
}

template <class E>
std::string_view word_of(E value) {
  for (const auto& entry : Words<E>::all)
    if (entry.value == value) return entry.word;
  throw RunError(std::string(Words<E>::setting) + " has a value without a word");
}

/// "link.duplex is full": a reason for something else, in messages.
template <class E>
std::string setting_is(E value) {
  return std::string(Words<E>::setting) + " is " + std::string(word_of(value));
}

/// UnknownWord, with the words that are allowed.
template <class E>
E from_word(std::string_view word) {
  for (const auto& entry : Words<E>::all)
    if (entry.word == word) return entry.value;
  throw UnknownWord(std::string(Words<E>::setting) + ": \"" + std::string(word) + "\" is unknown: must be " +
                    one_of(words_of<E>()));
}

}  // namespace sotto
