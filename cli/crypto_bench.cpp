// SPDX-License-Identifier: MIT
#include "cli/crypto_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/clock.h"
#include "crypto/schemes.h"
#include "crypto/seal/engine.h"
#include "network/runtime/workers.h"

namespace sotto {

namespace {

/// The SEAL engines that are here.
std::vector<std::string> engines() {
  std::vector<std::string> found;
  if (has_native_seal()) found.emplace_back(word_of(SealChoice::native));
  try {
    seal_engine(SealChoice::node)->version();
    found.emplace_back(word_of(SealChoice::node));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): not here
  }
  return found;
}

/// One scheme with one kind of key, ready to be measured again and again.
class Candidate {
 public:
  Candidate(const SchemeEntry& entry, const std::string& keys, std::size_t bits,
            const CryptoBenchSettings& settings)
      : name_(entry.name),
        keys_(entry.has_key_kinds || entry.uses_seal ? keys : ""),
        elsewhere_(entry.uses_seal && keys == word_of(SealChoice::node)),
        bits_(entry.has_key_bits ? bits : 0),
        random_({settings.seed, 0, 0, "bench"}) {
    range_.value_bits = settings.value_bits;
    range_.factor_bits = settings.factor_bits;
    range_.slot_bits = range_.slot_bits_for(1);
    // the textbook is slow and steady: a few entries; others fill their lanes
    const std::size_t slots = entry.uses_seal ? 1024
                              : bits_ == 0    ? 64
                                              : (bits_ - 2) / static_cast<std::size_t>(range_.slot_bits);
    range_.entries = textbook()             ? 4
                     : settings.entries > 0 ? settings.entries
                                            : std::max<std::size_t>(1, slots) * 16;
    SchemeSettings how;
    how.key_bits = bits;
    if (entry.uses_seal) how.seal_engine = from_word<SealChoice>(keys);
    if (entry.has_key_kinds) how.keys = from_word<PaillierKind>(keys);
    const auto scheme = make_scheme(entry.name, how);
    RandomStream key_stream({settings.seed, 0, 0, "bench keys"});
    key_seconds_ = seconds_of([&] { owner_ = scheme->generate_keys(range_, key_stream); });
    responder_ = scheme->open_public_key(range_, owner_->public_key());
    fill(settings);
    setup_seconds_ = seconds_of([&] { measure_once(); });  // makes the tables
    for (auto* list : {&encrypt_, &respond_, &decrypt_, &exchange_}) list->clear();
    measure_once();
    setup_seconds_ -= exchange_.front();
    for (auto* list : {&encrypt_, &respond_, &decrypt_, &exchange_}) list->clear();
  }

  bool textbook() const { return name_ == textbook_scheme; }
  std::size_t bits() const { return bits_; }
  std::string title() const {
    return name_ + (keys_.empty() ? "" : " " + keys_) + (bits_ == 0 ? "" : fmt::format(" {}", bits_));
  }

  void measure_once() {
    Bytes request;
    Bytes reply;
    encrypt_.push_back(seconds_of([&] { request = owner_->encrypt(values_, random_); }));
    respond_.push_back(
        seconds_of([&] { reply = responder_->respond(request, factor_, addend_, {}, random_); }));
    const std::vector<std::span<const std::uint8_t>> replies{reply};
    decrypt_.push_back(seconds_of([&] { owner_->decrypt_sum(replies, weights_); }));
    exchange_.push_back(encrypt_.back() + respond_.back() + decrypt_.back());
  }

  std::vector<CryptoBenchRow> rows() const {
    std::vector<CryptoBenchRow> rows;
    const std::size_t ciphertexts = owner_->ciphertexts() == 0 ? range_.entries : owner_->ciphertexts();
    const auto add = [&](const char* operation, double seconds) {
      rows.push_back({name_, keys_, bits_, operation, seconds / static_cast<double>(ciphertexts),
                      seconds / static_cast<double>(range_.entries), 0, 0});
    };
    rows.push_back({name_, keys_, bits_, "keys", key_seconds_, 0, 0, 0});
    rows.push_back({name_, keys_, bits_, "setup", std::max(0.0, setup_seconds_), 0, 0,
                    owner_->table_bytes() + responder_->table_bytes()});
    add("encrypt", median(encrypt_));
    add("respond", median(respond_));
    add("decrypt", median(decrypt_));
    add("exchange", median(exchange_));
    return rows;
  }

 private:
  template <class Work>
  double seconds_of(const Work& work) const {
    const auto now = elsewhere_ ? clock_seconds : thread_cpu_seconds;
    const double started = now();
    work();
    return now() - started;
  }

  void fill(const CryptoBenchSettings& settings) {
    const std::int64_t largest = (std::int64_t{1} << settings.value_bits) - 1;
    const std::int64_t top = std::int64_t{1} << settings.factor_bits;
    const std::int64_t factor = top - 1 -
                                static_cast<std::int64_t>(random_.below(
                                    static_cast<std::uint64_t>(std::min<std::int64_t>(1000, top / 2))));
    factor_ = {factor};
    weights_ = {{1}};
    values_.resize(range_.entries);
    addend_.resize(range_.entries);
    for (std::size_t e = 0; e < range_.entries; ++e) {
      values_[e] =
          static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(largest))) - largest / 2;
      addend_[e] = Int128{factor} * (largest / 3 - values_[e] / 2);
    }
  }

  std::string name_, keys_;
  bool elsewhere_;  ///< in another process: this one's processor time says nothing
  std::size_t bits_;
  RandomStream random_;
  ExchangeRange range_;
  std::unique_ptr<KeyOwner> owner_;
  std::unique_ptr<Responder> responder_;
  std::vector<std::int64_t> values_, factor_;
  std::vector<Int128> addend_;
  std::vector<std::vector<std::int64_t>> weights_;
  double key_seconds_ = 0, setup_seconds_ = 0;
  std::vector<double> encrypt_, respond_, decrypt_, exchange_;
};

/// Why a scheme cannot carry these integers; empty: it can.
std::string refusal(const SchemeEntry& entry, const CryptoBenchSettings& settings) {
  ExchangeRange range;
  range.value_bits = settings.value_bits;
  range.factor_bits = settings.factor_bits;
  range.slot_bits = range.slot_bits_for(1);
  try {
    if (entry.check != nullptr) entry.check(range, 1);
    return "";
  } catch (const CryptoError& e) {
    return e.what();
  }
}

std::vector<Candidate> candidates(const CryptoBenchSettings& settings,
                                  const std::function<void(const std::string&)>& told) {
  std::vector<Candidate> all;
  for (const SchemeEntry& entry : schemes()) {
    if (const std::string why = refusal(entry, settings); !why.empty()) {
      if (told) told(fmt::format("{}: {}", entry.name, why));
      continue;
    }
    const std::vector<std::string> kinds =
        entry.has_key_kinds ? words_of<PaillierKind>()
        : entry.uses_seal   ? engines()
                            : std::vector<std::string>{std::string(word_of(PaillierKind::standard))};
    for (const std::size_t bits : entry.has_key_bits ? settings.key_bits : std::vector<std::size_t>{0})
      for (const std::string& keys : kinds) {
        all.emplace_back(entry, keys, bits, settings);
        if (told) told(all.back().title() + ": ready");
      }
    if (kinds.empty() && told)
      told(fmt::format("{}: neither native SEAL nor Node.js with node-seal is here", entry.name));
  }
  return all;
}

}  // namespace

std::vector<CryptoBenchRow> bench_crypto(const CryptoBenchSettings& settings,
                                         const std::function<void(const std::string&)>& told) {
  std::vector<Candidate> all = candidates(settings, told);
  for (int k = 0; k < settings.repetitions; ++k) {
    if (told) told(fmt::format("repetition {} of {}", k + 1, settings.repetitions));
    for (Candidate& candidate : all) candidate.measure_once();
  }
  std::vector<CryptoBenchRow> rows;
  for (const Candidate& candidate : all)
    for (CryptoBenchRow& row : candidate.rows()) rows.push_back(std::move(row));
  for (CryptoBenchRow& row : rows)
    for (const CryptoBenchRow& other : rows)
      if (other.scheme == textbook_scheme && other.operation == row.operation && row.seconds_per_entry > 0 &&
          (other.key_bits == row.key_bits ||
           (row.key_bits == 0 && other.key_bits == settings.key_bits.front())))
        row.ratio_to_textbook = other.seconds_per_entry / row.seconds_per_entry;
  return rows;
}

std::string crypto_bench_table(const std::vector<CryptoBenchRow>& rows) {
  std::string text = fmt::format("{:<18} {:<9} {:>5}  {:<9} {:>16} {:>14} {:>12}\n", "scheme", "keys", "bits",
                                 "operation", "us/ciphertext", "us/entry", "x textbook");
  for (const CryptoBenchRow& r : rows) {
    const bool once = r.seconds_per_entry == 0;
    text += fmt::format(
        "{:<18} {:<9} {:>5}  {:<9} {:>16} {:>14} {:>12}{}\n", r.scheme, r.keys.empty() ? "-" : r.keys,
        r.key_bits == 0 ? "-" : std::to_string(r.key_bits), r.operation,
        once ? fmt::format("{:.3g} ms once", 1e3 * r.seconds) : fmt::format("{:.4g}", 1e6 * r.seconds),
        once ? "" : fmt::format("{:.4g}", 1e6 * r.seconds_per_entry),
        r.ratio_to_textbook == 0 ? "" : fmt::format("{:.4g}", r.ratio_to_textbook),
        r.table_bytes == 0 ? ""
                           : fmt::format("  tables {:.1f} MB", static_cast<double>(r.table_bytes) / 1e6));
  }
  return text;
}

std::string crypto_bench_json(const std::vector<CryptoBenchRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto number = [](double x) { return x == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(x); };
  for (const CryptoBenchRow& r : rows) {
    nlohmann::ordered_json row{{"scheme", r.scheme},
                               {"keys", r.keys},
                               {"key_bits", r.key_bits},
                               {"operation", r.operation},
                               {"seconds", r.seconds},
                               {"seconds_per_entry", number(r.seconds_per_entry)},
                               {"ratio_to_textbook", number(r.ratio_to_textbook)}};
    if (r.table_bytes > 0) row["table_bytes"] = r.table_bytes;
    list.push_back(std::move(row));
  }
  return list.dump(1) + "\n";
}

}  // namespace sotto
