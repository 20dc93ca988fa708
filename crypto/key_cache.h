// SPDX-License-Identifier: MIT
// Keys kept in memory while the program runs, in front of a folder or alone: the points of a sweep that have the same seed
// have the same keys. Threading: may be used by many threads.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"
#include "crypto/schemes.h"

namespace sotto {

class KeyCache final : public KeyStore {
 public:
  /// `behind`: asked for what is not here, and told of what is made; may be null.
  explicit KeyCache(std::shared_ptr<KeyStore> behind) : behind_(std::move(behind)) {}

  std::optional<Bytes> find(const std::string& name) override {
    {
      const std::lock_guard lock(mutex_);
      const auto at = keys_.find(name);
      if (at != keys_.end()) return at->second;
    }
    auto found = behind_ ? behind_->find(name) : std::nullopt;
    if (found) remember(name, *found);
    return found;
  }

  void keep(const std::string& name, const Bytes& key) override {
    remember(name, key);
    if (!behind_) return;
    try {
      behind_->keep(name, key);
    } catch (const RunError&) {  // NOLINT(bugprone-empty-catch): no room there, no harm here
    }
  }

 private:
  static constexpr std::size_t most = 4096;

  void remember(const std::string& name, const Bytes& key) {
    const std::lock_guard lock(mutex_);
    if (!keys_.emplace(name, key).second) return;
    order_.push_back(name);
    if (order_.size() <= most) return;
    keys_.erase(order_.front());
    order_.pop_front();
  }

  std::shared_ptr<KeyStore> behind_;
  std::mutex mutex_;
  std::map<std::string, Bytes> keys_;
  std::list<std::string> order_;  ///< the oldest first
};

}  // namespace sotto
