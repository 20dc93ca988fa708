// SPDX-License-Identifier: MIT
#include "core/data/data_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/sha256.h"

namespace sotto {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::uint64_t best_packing = 1032;  // what deflate can reach

}  // namespace

struct FileSource::Digest {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  Digest() { EVP_DigestInit_ex(context, EVP_sha256(), nullptr); }
  ~Digest() { EVP_MD_CTX_free(context); }
};

FileSource::FileSource(const std::string& path, std::string file_name)
    : file_name_(std::move(file_name)), digest_(std::make_unique<Digest>()) {
  const auto refuse = [&](const std::string& why) { throw ScenarioError({file_name_, 0, 0}, "", why); };
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat facts {};
  if (::fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(fd_);
    fd_ = -1;
    refuse("is no file");
  }
  size_ = static_cast<std::uint64_t>(facts.st_size);
}

FileSource::~FileSource() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t FileSource::read(char* to, std::size_t size) {
  ssize_t n = 0;
  while ((n = ::read(fd_, to, size)) < 0 && errno == EINTR) {
  }
  if (n < 0)
    throw ScenarioError({file_name_, 0, 0}, "", fmt::format("cannot be read: {}", std::strerror(errno)));
  EVP_DigestUpdate(digest_->context, to, static_cast<std::size_t>(n));
  return static_cast<std::size_t>(n);
}

std::string FileSource::hash() {
  Sha256Digest digest;
  EVP_DigestFinal_ex(digest_->context, digest.data(), nullptr);
  return to_hex(digest);
}

struct DataReader::Unpacker {
  z_stream stream{};
  std::vector<char> packed = std::vector<char>(buffer_bytes / 4);
  bool between_members = false;

  Unpacker() { inflateInit2(&stream, 16 + MAX_WBITS); }
  ~Unpacker() { inflateEnd(&stream); }
};

DataReader::DataReader(ByteSource& source, std::string file_name)
    : source_(source), file_name_(std::move(file_name)), buffer_(buffer_bytes) {
  at_ = end_ = buffer_.data();
  const std::string_view magic = peek(2);
  if (magic != "\x1f\x8b") return;
  unpacker_ = std::make_unique<Unpacker>();
  // what was read so far is packed: it becomes the unpacker's input
  std::vector<char>& packed = unpacker_->packed;
  packed.resize(std::max(packed.size(), static_cast<std::size_t>(end_ - at_)));
  std::copy(at_, end_, packed.begin());
  unpacker_->stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  unpacker_->stream.avail_in = static_cast<uInt>(end_ - at_);
  at_ = end_ = buffer_.data();
  ended_ = false;
}

DataReader::~DataReader() = default;

std::size_t DataReader::read_more(char* to, std::size_t size) {
  if (!unpacker_) return source_.read(to, size);
  z_stream& z = unpacker_->stream;
  z.next_out = reinterpret_cast<Bytef*>(to);
  z.avail_out = static_cast<uInt>(size);
  while (z.avail_out == size) {
    if (z.avail_in == 0) {
      const std::size_t n = source_.read(unpacker_->packed.data(), unpacker_->packed.size());
      if (n == 0 && unpacker_->between_members) return 0;
      if (n == 0) fail_file("ends in the middle of its gzip data");
      z.next_in = reinterpret_cast<Bytef*>(unpacker_->packed.data());
      z.avail_in = static_cast<uInt>(n);
    }
    if (unpacker_->between_members) inflateReset(&z);
    unpacker_->between_members = false;
    const int code = inflate(&z, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      unpacker_->between_members = true;
    else if (code != Z_OK)
      fail_file(fmt::format("is damaged gzip data ({})", z.msg != nullptr ? z.msg : "unexpected end"));
  }
  return size - z.avail_out;
}

void DataReader::refill(std::size_t size) {
  if (ended_) return;
  const auto left = static_cast<std::size_t>(end_ - at_);
  before_buffer_ = offset();
  std::memmove(buffer_.data(), at_, left);
  at_ = buffer_.data();
  end_ = at_ + left;
  size = std::min(size, buffer_.size());
  while (static_cast<std::size_t>(end_ - at_) < size) {
    const std::size_t room = buffer_.size() - static_cast<std::size_t>(end_ - buffer_.data());
    const std::size_t n = read_more(buffer_.data() + (end_ - buffer_.data()), room);
    if (n == 0) {
      ended_ = true;
      return;
    }
    end_ += n;
  }
}

bool DataReader::end_of_line() {
  skip_blanks();
  return at_end() || *at_ == '\n';
}

void DataReader::finish_long_line() {
  if (!end_of_line()) fail("there is more on this line than expected");
  if (at_ != end_) new_line();
}

void DataReader::skip_line() {
  while (!at_end()) {
    const auto* found =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    at_ = found != nullptr ? found : end_;
    if (found != nullptr) return new_line();
  }
}

void DataReader::skip_more_lines(char comment) {
  while (!at_end()) {
    if (end_of_line()) {
      if (at_ != end_) new_line();
    } else if (comment != 0 && *at_ == comment) {
      skip_line();
    } else {
      return;
    }
  }
}

void DataReader::refuse_whole(const char* first, std::uint64_t most, const char* what) {
  at_ = first;
  fail(fmt::format("{} must be a whole number up to {}", what, most));
}

double DataReader::number(const char* what) {
  skip_blanks();
  fill(longest_word);
  const char* first = at_;
  const char* start =
      first != end_ && *first == '+' && first + 1 != end_ && first[1] != '-' ? first + 1 : first;
  double value = 0;
  const auto [rest, error] = std::from_chars(start, end_, value);
  const bool ends = rest == end_ || blank(*rest) || *rest == '\n';
  if (error != std::errc{} || !ends || !std::isfinite(value))
    fail(fmt::format("{} must be a finite number", what));
  at_ = rest;
  return value;
}

std::string DataReader::word() {
  skip_blanks();
  fill(longest_word);
  const char* first = at_;
  while (at_ != end_ && !blank(*at_) && *at_ != '\n' &&
         at_ - first < static_cast<std::ptrdiff_t>(longest_word))
    ++at_;
  return {first, at_};
}

std::string_view DataReader::field(char end) {
  fill(longest_word);
  const char* first = at_;
  const char* last = std::min(end_, at_ + longest_word);
  while (at_ != last && *at_ != '\n' && *at_ != end) ++at_;
  if (at_ - first == static_cast<std::ptrdiff_t>(longest_word)) {
    at_ = first;
    fail(fmt::format("a field of {} bytes or more", longest_word));
  }
  return {first, static_cast<std::size_t>(at_ - first)};
}

void DataReader::take(void* to, std::size_t size) {
  auto* out = static_cast<char*>(to);
  while (size > 0) {
    fill(1);
    const std::size_t n = std::min(size, static_cast<std::size_t>(end_ - at_));
    if (n == 0) fail_file(ends_early);
    std::copy_n(at_, n, out);
    at_ += n;
    out += n;
    size -= n;
  }
}

std::uint64_t DataReader::most_bytes() const {
  return unpacker_ ? source_.size() * best_packing : source_.size();
}

void DataReader::plausible(std::uint64_t items, std::uint64_t bytes_each, const char* what) const {
  if (items > most_bytes() / bytes_each)
    fail_file(fmt::format("promises {} {}, more than its {} bytes can hold", items, what, source_.size()));
}

void DataReader::plausible_shape(std::uint64_t rows, std::uint64_t columns) const {
  constexpr std::uint64_t always_fine = 1000;
  constexpr std::uint64_t per_byte = 64;
  const std::uint64_t most = std::min<std::uint64_t>(always_fine + per_byte * source_.size(), 2'000'000'000);
  if (rows > most || columns > most)
    fail_file(fmt::format("promises {} x {} entries: with {} bytes, {} each way is the most", rows, columns,
                          source_.size(), most));
}

std::uint64_t DataReader::worth_reserving(std::uint64_t items) const {
  constexpr std::uint64_t packed_bytes_an_item = 2;
  return unpacker_ ? std::min(items, source_.size() / packed_bytes_an_item) : items;
}

void DataReader::expect_end() {
  skip_empty_lines(0);
  if (!at_end()) fail("there is more in this file than its header promises");
}

SourcePlace DataReader::here() const {
  return {file_name_, line_, static_cast<std::uint32_t>(offset() - line_start_ + 1)};
}

}  // namespace sotto
