// SPDX-License-Identifier: MIT
// Settings as a table in Markdown, for `sotto info --settings` and the reference in the documents.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/experiment/settings.h"

namespace sotto {

/// Text for a cell of a table in Markdown.
inline std::string markdown_cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '<') safe += '\\';
    safe += c;
  }
  return safe;
}

inline std::string setting_rows(const Schema& rows) {
  const OptionSet defaults;
  std::string text = "| setting | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const Setting& setting : rows) {
    const auto value = setting.write(defaults);
    const std::string shown = setting.path == "name" || !value ? "" : fmt::format("`{}`", toml_text(*value));
    text += fmt::format("| `{}` | {} | {} | {} |\n", setting.path, markdown_cell(setting.allowed), shown,
                        markdown_cell(setting.help));
  }
  return text;
}

}  // namespace sotto
