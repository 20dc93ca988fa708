// SPDX-License-Identifier: MIT
// Task<T>: a lazily started C++20 coroutine that can `co_await` other tasks, messages and boundaries.
//
// An agent's life is a Task<void>; a protocol inside it is a Task<T>. Awaiting a task does not use symmetric
// transfer (GCC 12 does not turn it into a tail call in unoptimized and sanitizer builds, and a long loop
// would exhaust the stack). Instead an awaiting coroutine leaves the next one to run in `next_to_run` and
// returns to the loop in `run_until_blocked`, which keeps the stack flat in every build. Threading: a chain
// of tasks runs on one thread at a time; the runtime may resume it on another.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace sotto {

namespace detail {

/// What the loop of this thread resumes next; null where the chain waits for somebody else.
inline thread_local std::coroutine_handle<> next_to_run{};

struct PromiseBase {
  std::coroutine_handle<> awaiting{};
  std::exception_ptr failure{};

  struct FinalAwait {
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> done) const noexcept {
      next_to_run = done.promise().awaiting;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwait final_suspend() const noexcept { return {}; }
  void unhandled_exception() { failure = std::current_exception(); }
};

/// Owns a coroutine and starts it when awaited.
template <class Promise>
class OwnedCoroutine {
 public:
  explicit OwnedCoroutine(std::coroutine_handle<Promise> handle) : handle_(handle) {}
  OwnedCoroutine(OwnedCoroutine&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  OwnedCoroutine(const OwnedCoroutine&) = delete;
  OwnedCoroutine& operator=(const OwnedCoroutine&) = delete;
  ~OwnedCoroutine() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().awaiting = caller;
    next_to_run = handle_;
  }

  // For whoever hosts the outermost task of a chain.
  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }
  std::exception_ptr failure() const { return handle_.promise().failure; }

 protected:
  Promise& finished_promise() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return handle_.promise();
  }

 private:
  std::coroutine_handle<Promise> handle_;
};

template <class T>
struct ValuePromise;
struct VoidPromise;

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task : public detail::OwnedCoroutine<detail::ValuePromise<T>> {
 public:
  using promise_type = detail::ValuePromise<T>;
  using detail::OwnedCoroutine<promise_type>::OwnedCoroutine;
  T await_resume() const { return std::move(*this->finished_promise().value); }
};

template <>
class [[nodiscard]] Task<void> : public detail::OwnedCoroutine<detail::VoidPromise> {
 public:
  using promise_type = detail::VoidPromise;
  using detail::OwnedCoroutine<promise_type>::OwnedCoroutine;
  void await_resume() const;
};

namespace detail {

template <class T>
struct ValuePromise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object() { return Task<T>(std::coroutine_handle<ValuePromise>::from_promise(*this)); }
  void return_value(T v) { value.emplace(std::move(v)); }
};

struct VoidPromise : PromiseBase {
  Task<void> get_return_object() {
    return Task<void>(std::coroutine_handle<VoidPromise>::from_promise(*this));
  }
  void return_void() const noexcept {}
};

}  // namespace detail

inline void Task<void>::await_resume() const {
  finished_promise();
}

/// Resumes `start` and whatever it awaits, until the chain ends or waits for a message or a boundary.
inline void run_until_blocked(std::coroutine_handle<> start) {
  for (std::coroutine_handle<> h = start; h;) {
    detail::next_to_run = {};
    h.resume();
    h = std::exchange(detail::next_to_run, {});
  }
}

}  // namespace sotto
