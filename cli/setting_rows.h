// Settings as a table in Markdown, for `sotto info --settings` and the reference in the documents.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/experiment/settings.h"

namespace sotto {

inline std::string setting_rows(const Schema& rows) {
  const OptionSet defaults;
  std::string text = "| setting | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const Setting& setting : rows) {
    const auto value = setting.write(defaults);
    const std::string shown = setting.path == "name" || !value ? "" : fmt::format("`{}`", toml_text(*value));
    text += fmt::format("| `{}` | {} | {} | {} |\n", setting.path, setting.allowed, shown, setting.help);
  }
  return text;
}

}  // namespace sotto
