// SPDX-License-Identifier: MIT
#include "core/experiment/checkpoint_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/atomic_file.h"
#include "base/compression.h"
#include "base/sha256.h"
#include "core/experiment/versions.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

constexpr char boundary_kind = 'b';
constexpr char result_kind = 'r';

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string path, const std::string& scenario_hash)
    : path_(std::move(path)),
      identity_(fmt::format("sotto {} {} scenario {}", sotto_version(), sotto_commit(), scenario_hash)) {}

std::string CheckpointFolder::file(std::uint64_t trial, std::size_t method) const {
  return (fs::path(path_) / fmt::format("trial-{}-method-{}", trial, method)).string();
}

/// Digest, then what it is the digest of: who wrote it, what it is, the compressed contents.
void CheckpointFolder::write(std::uint64_t trial, std::size_t method, char kind,
                             const Bytes& contents) const {
  Writer body;
  body.text(identity_);
  body.put(kind);
  body.block(compress(contents));
  const Bytes bytes = body.take();
  Writer w;
  w.raw(sha256(bytes));
  w.raw(bytes);
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", path_, error.message()));
  replace_file(file(trial, method), as_text(w.take()));
}

void CheckpointFolder::save(std::uint64_t trial, std::size_t method, const Checkpoint& boundary) const {
  write(trial, method, boundary_kind, boundary.save());
}

void CheckpointFolder::save(std::uint64_t trial, std::size_t method, const MethodResult& result) const {
  Writer w;
  result.save(w);
  write(trial, method, result_kind, w.take());
}

CheckpointFolder::Saved CheckpointFolder::load(std::uint64_t trial, std::size_t method) const {
  const std::string name = file(trial, method);
  std::ifstream in(name, std::ios::binary);
  if (!in) return {};
  const Bytes bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto refuse = [&](const std::string& why) {
    throw RunError(fmt::format("{}: {}; without it this part starts over", name, why));
  };
  const auto discard = [&](const std::string& why) {
    std::error_code error;
    fs::remove(name, error);
    throw RunError(fmt::format("{}: {}: deleted, this part starts over the next time", name, why));
  };
  try {
    Reader r(bytes);
    const auto digest = r.raw(std::tuple_size_v<Sha256Digest>);
    const auto expected = sha256(std::span(bytes).subspan(digest.size()));
    if (!std::equal(digest.begin(), digest.end(), expected.begin())) discard("is damaged");
    if (r.text() != identity_) refuse("was saved from another scenario or by another build of the program");
    const char kind = r.get<char>();
    const Bytes contents = decompress(r.block());
    r.finish();
    Saved saved;
    if (kind == boundary_kind) {
      saved.boundary = Checkpoint::load(contents);
    } else {
      Reader result(contents);
      saved.result = MethodResult::load(result);
      result.finish();
    }
    return saved;
  } catch (const FormatError& e) {
    discard(fmt::format("is damaged ({})", e.what()));
    return {};
  }
}

bool CheckpointFolder::empty() const {
  std::error_code error;
  const bool nothing = fs::is_empty(path_, error);
  return nothing || error;
}

void CheckpointFolder::remove() const {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace sotto
