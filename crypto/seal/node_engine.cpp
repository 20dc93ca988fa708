// SPDX-License-Identifier: MIT
// SEAL as WebAssembly (npm's node-seal) in child processes that run worker.mjs, as many as there are processors, each started
// when it is needed. A party's keys live in the worker of its number. One request at a time is under way to a worker.
// A worker that dies is a RunError that names it: whatever was computed with its keys is lost with it.
// Tests: tests/crypto/seal_test.cpp
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "crypto/seal/child_process.h"
#include "crypto/seal/engine.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

enum class Op : std::uint8_t {
  hello,
  context,
  keygen,
  open,
  encrypt,
  respond,
  decrypt,
  budget,
  expand,
  free,
  error
};

/// Named by the environment, beside an installed program, or in the sources that this one was built from.
std::string worker_script() {
  if (const char* named = std::getenv("SOTTO_SEAL_WORKER"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/sotto/seal/worker.mjs";
  return fs::exists(installed, error) ? installed.string() : SOTTO_SEAL_FOLDER "/worker.mjs";
}

class Worker {
 public:
  Worker(std::size_t number, const std::string& script) : number_(number), script_(script) {}

  /// What comes back. CryptoError if SEAL refuses, RunError if the worker dies or cannot begin.
  Bytes call(Op op, const Bytes& payload) {
    const std::lock_guard lock(mutex_);
    if (!process_) start();
    return exchange(op, payload);
  }

  /// The number that a context of these parameters has over there.
  std::uint32_t context(const SealParameters& p) {
    const std::lock_guard lock(contexts_mutex_);
    for (std::size_t k = 0; k < contexts_.size(); ++k)
      if (contexts_[k] == p) return static_cast<std::uint32_t>(k);
    Writer w;
    w.put<std::uint8_t>(p.ckks ? 1 : 0);
    w.put(static_cast<std::uint32_t>(p.degree));
    w.put(static_cast<std::uint32_t>(p.primes.size()));
    for (const std::uint64_t prime : p.primes) w.put(prime);
    w.put(p.plain_modulus);
    const Bytes answer = call(Op::context, w.take());
    contexts_.push_back(p);
    return Reader(answer).get<std::uint32_t>();
  }

  const std::string& version() {
    call(Op::hello, {});
    return version_;
  }

 private:
  void start() {
    if (!gone_.empty()) throw RunError(gone_);
    try {
      process_.emplace(std::vector<std::string>{"node", script_});
    } catch (const RunError& e) {
      throw CryptoError(
          fmt::format("SEAL runs in Node.js here, which is not there ({}): install nodejs, or build with "
                      "SEAL 4.1 or later",
                      e.what()));
    }
    const Bytes answer = exchange(Op::hello, {});
    version_.assign(answer.begin(), answer.end());
  }

  Bytes exchange(Op op, const Bytes& payload) {
    Writer w(payload.size() + 9);
    w.put(static_cast<std::uint32_t>(5 + payload.size()));
    w.put(op);
    w.put(++id_);
    w.raw(payload);
    std::array<std::uint8_t, 9> head{};
    if (!process_->write(w.take()) || !process_->read(head)) lost();
    Reader r(head);
    const auto size = r.get<std::uint32_t>();
    const auto what = r.get<Op>();
    if (size < 5 || (what != op && what != Op::error) || r.get<std::uint32_t>() != id_) lost();
    Bytes answer(size - 5);
    if (!process_->read(answer)) lost();
    if (what == Op::error)
      throw CryptoError(fmt::format("SEAL: {}", std::string(answer.begin(), answer.end())));
    return answer;
  }

  [[noreturn]] void lost() {
    const pid_t pid = process_->pid();
    gone_ = fmt::format("SEAL worker {} (process {}) {}", number_, pid, process_->last_words());
    process_.reset();
    if (version_.empty())  // it never began
      gone_ += fmt::format("\nnode-seal is installed by: npm ci --prefix {}",
                           fs::path(script_).parent_path().string());
    throw RunError(gone_);
  }

  std::size_t number_;
  std::string script_;
  std::mutex mutex_;
  std::optional<ChildProcess> process_;
  std::string version_;
  std::string gone_;  ///< why it is not there any more
  std::uint32_t id_ = 0;
  std::mutex contexts_mutex_;
  std::vector<SealParameters> contexts_;
};

void put_plain(Writer& w, const SealPlain& plain) {
  w.put(plain.kind);
  w.put(plain.scale);
  w.put(static_cast<std::uint32_t>(plain.words.size()));
  w.raw({reinterpret_cast<const std::uint8_t*>(plain.words.data()), 8 * plain.words.size()});
}

/// A key over there, freed with this object.
class Key {
 public:
  Key(std::shared_ptr<Worker> worker, std::uint32_t number) : worker_(std::move(worker)), number_(number) {}
  ~Key() {
    Writer w;
    w.put(number_);
    try {
      worker_->call(Op::free, w.take());
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): gone with its worker
    }
  }
  Key(const Key&) = delete;

  Bytes call(Op op, Writer& payload) const { return worker_->call(op, payload.take()); }
  std::uint32_t number() const { return number_; }

 private:
  std::shared_ptr<Worker> worker_;
  std::uint32_t number_;
};

class NodeSecret final : public SealSecret {
 public:
  NodeSecret(const std::shared_ptr<Worker>& worker, const Bytes& made)
      : key_(worker, Reader(made).get<std::uint32_t>()), public_key_(made.begin() + 4, made.end()) {}

  const Bytes& public_key() const override { return public_key_; }

  Bytes encrypt(const SealPlain& plain, const StreamKey& seed) override {
    Writer w;
    w.put(key_.number());
    w.raw(seed);
    put_plain(w, plain);
    return key_.call(Op::encrypt, w);
  }

  std::vector<std::uint64_t> decrypt(std::span<const std::span<const std::uint8_t>> ciphertexts,
                                     SealPlain::Kind kind) override {
    Writer w;
    w.put(key_.number());
    w.put(kind);
    for (const auto ciphertext : ciphertexts) {
      w.put(static_cast<std::uint32_t>(ciphertext.size()));
      w.raw(ciphertext);
    }
    const Bytes answer = key_.call(Op::decrypt, w);
    std::vector<std::uint64_t> words(answer.size() / 8);
    std::memcpy(words.data(), answer.data(), 8 * words.size());
    return words;
  }

  int noise_budget(std::span<const std::uint8_t> ciphertext) override {
    Writer w;
    w.put(key_.number());
    w.raw(ciphertext);
    return Reader(key_.call(Op::budget, w)).get<std::int32_t>();
  }

  Bytes expanded(std::span<const std::uint8_t> ciphertext) override {
    Writer w;
    w.put(key_.number());
    w.raw(ciphertext);
    return key_.call(Op::expand, w);
  }

 private:
  Key key_;
  Bytes public_key_;
};

class NodePublic final : public SealPublic {
 public:
  NodePublic(const std::shared_ptr<Worker>& worker, const Bytes& opened)
      : key_(worker, Reader(opened).get<std::uint32_t>()) {}

  Bytes respond(std::span<const std::uint8_t> request, const SealResponse& response,
                const StreamKey& seed) override {
    Writer w;
    w.put(key_.number());
    w.raw(seed);
    w.put(static_cast<std::uint32_t>(response.drop));
    put_plain(w, response.factor);
    put_plain(w, response.addend);
    w.put(static_cast<std::uint32_t>(8 * response.onto.size()));
    w.raw({reinterpret_cast<const std::uint8_t*>(response.onto.data()), 8 * response.onto.size()});
    w.raw(request);
    return key_.call(Op::respond, w);
  }

 private:
  Key key_;
};

class NodeEngine final : public SealEngine {
 public:
  NodeEngine() {
    const std::string script = worker_script();
    const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t k = 0; k < count; ++k) workers_.push_back(std::make_shared<Worker>(k, script));
  }

  std::string_view name() const override { return "node"; }
  std::string version() override { return workers_.front()->version(); }

  std::unique_ptr<SealSecret> generate(const SealParameters& parameters, const StreamKey& seed,
                                       std::size_t party) override {
    const auto& worker = workers_[party % workers_.size()];
    Writer w;
    w.put(worker->context(parameters));
    w.raw(seed);
    return std::make_unique<NodeSecret>(worker, worker->call(Op::keygen, w.take()));
  }

  std::unique_ptr<SealPublic> open(const SealParameters& parameters, std::span<const std::uint8_t> public_key,
                                   std::size_t party) override {
    const auto& worker = workers_[party % workers_.size()];
    Writer w;
    w.put(worker->context(parameters));
    w.raw(public_key);
    return std::make_unique<NodePublic>(worker, worker->call(Op::open, w.take()));
  }

 private:
  std::vector<std::shared_ptr<Worker>> workers_;
};

}  // namespace

std::shared_ptr<SealEngine> make_node_engine() {
  return std::make_shared<NodeEngine>();
}

}  // namespace sotto
