// SPDX-License-Identifier: MIT
// Keys kept between runs, a file each, readable by their owner alone. They are derived from a seed, so whoever has the
// scenario has them anyway; keys from the system's entropy never come here. `sotto keys cache` fills the folder, runs look
// into it if it is there. Threading: may be used by many threads and processes; a file appears whole or not at all.
// Tests: tests/cli/keys.sh
#pragma once

#include <string>

#include "crypto/schemes.h"

namespace sotto {

/// $SOTTO_KEYS, else sotto/keys in $XDG_CACHE_HOME or ~/.cache; empty where none of them is set.
std::string key_folder_path();

class KeyFolder final : public KeyStore {
 public:
  /// RunError if it cannot be made.
  KeyFolder(std::string path, bool create);

  std::optional<Bytes> find(const std::string& name) override;
  void keep(const std::string& name, const Bytes& key) override;

 private:
  std::string path_;
};

/// A file that its owner alone may read: whole or not at all. RunError if it cannot be written.
void write_secret_file(const std::string& path, const Bytes& bytes);
Bytes read_key_file(const std::string& path);

}  // namespace sotto
