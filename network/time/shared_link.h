// SPDX-License-Identifier: MIT
// Processor sharing: messages (of different connections) that are on a link at the same time have equal parts of its
// bandwidth, as in a fluid model of a network. Kept in virtual time: V counts the bytes that each message on the link has been given so far and
// grows by w / n a second while n messages share the bandwidth w; a message of B bytes that enters at V has left when V
// is V + B. O(log n) for a message, whatever enters and leaves around it. V starts at 0 whenever the link was idle, so a
// message that is alone takes exactly B / w.
// Threading: belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sotto {

class SharedLink {
 public:
  explicit SharedLink(double bandwidth) : bandwidth_(bandwidth) {}

  bool idle() const { return waiting_.empty(); }
  /// Changes whenever a message enters or leaves: what next_departure() said before holds no longer.
  std::uint32_t version() const { return version_; }

  void enter(double now, std::uint32_t message, double bytes) {
    if (!idle()) given_ += std::max(0.0, now - since_) * bandwidth_ / static_cast<double>(waiting_.size());
    since_ = now;
    waiting_.push_back({given_ + bytes, entered_++, message});
    std::push_heap(waiting_.begin(), waiting_.end());
    ++version_;
  }

  /// When the last byte of the next message will have left, if nothing enters before. Not on an idle link.
  double next_departure() const {
    const double left = std::max(0.0, waiting_.front().end - given_);
    return since_ + left * static_cast<double>(waiting_.size()) / bandwidth_;
  }

  /// That message, at that time.
  std::uint32_t leave(double now) {
    const std::uint32_t message = waiting_.front().message;
    given_ = waiting_.front().end;
    since_ = now;
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    if (idle()) given_ = 0;
    ++version_;
    return message;
  }

 private:
  struct Waiting {
    double end;             // the value of V at which it has left
    std::uint32_t entered;  // ties: first come, first gone
    std::uint32_t message;
    bool operator<(const Waiting& o) const { return end != o.end ? end > o.end : entered > o.entered; }
  };

  double bandwidth_;
  double given_ = 0;  // V
  double since_ = 0;  // when V had that value
  std::vector<Waiting> waiting_;
  std::uint32_t entered_ = 0;
  std::uint32_t version_ = 0;
};

}  // namespace sotto
