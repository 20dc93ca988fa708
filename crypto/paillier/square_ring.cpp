// SPDX-License-Identifier: MIT
#include "crypto/paillier/square_ring.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "crypto/paillier/numbers.h"

namespace sotto {

namespace {

constexpr std::size_t headroom_bits = 6;  // R >= 64 m

std::size_t limbs_for(const LaneKernel& kernel, std::size_t modulus_bits) {
  return (modulus_bits + headroom_bits + kernel.limb_bits - 1) / kernel.limb_bits;
}

/// Windows of an exponent, lowest first.
class Digits {
 public:
  Digits(const mpz_class& exponent, unsigned window) : window_(window), words_(bit_count(exponent) / 64 + 2) {
    mpz_export(words_.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, exponent.get_mpz_t());
  }
  std::size_t at(std::size_t position) const {
    const std::size_t bit = position * window_;
    if (bit / 64 + 1 >= words_.size()) return 0;
    const unsigned shift = bit % 64;
    std::uint64_t word = words_[bit / 64] >> shift;
    if (shift != 0) word |= words_[bit / 64 + 1] << (64 - shift);
    return word & ((std::uint64_t{1} << window_) - 1);
  }

 private:
  unsigned window_;
  std::vector<std::uint64_t> words_;
};

/// Squarings are the same for every window; this many multiplications are not: 2^w - 2 + bits / w.
unsigned window_for(std::size_t bits) {
  unsigned best = 1;
  const auto cost = [&](unsigned w) { return (std::size_t{1} << w) + (bits + w - 1) / w; };
  for (unsigned w = 2; w <= 7; ++w)
    if (cost(w) < cost(best)) best = w;
  return best;
}

/// The exponent of a lane in a list of one for all, one per modulus, or one per lane.
struct ExponentList {
  std::span<const mpz_class> list;
  std::size_t moduli;

  ExponentList(std::span<const mpz_class> exponents, std::size_t item_count, std::size_t modulus_count)
      : list(exponents), moduli(modulus_count) {
    if (list.size() != 1 && list.size() != moduli && list.size() != item_count * moduli)
      throw RunError("one exponent for all, one per modulus, or one per item and modulus are needed");
  }
  const mpz_class& of_lane(std::size_t lane) const {
    if (list.size() == 1) return list[0];
    return list[list.size() == moduli ? lane % moduli : lane];
  }
};

}  // namespace

std::span<const LaneKernel* const> kernels() {
  static const std::vector<const LaneKernel*> list = [] {
    std::vector<const LaneKernel*> found;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma"))
      found.push_back(&ifma_kernel);
    if (__builtin_cpu_supports("avx2")) found.insert(found.end(), {&avx2_kernel, &avx2_wide_kernel});
#endif
    found.push_back(&gmp_kernel);
    return found;
  }();
  return list;
}

bool fits(const LaneKernel& kernel, std::size_t modulus_bits) {
  return limbs_for(kernel, modulus_bits) <= kernel.most_limbs;
}

const LaneKernel& best_kernel(std::size_t modulus_bits) {
  static const char* const only = std::getenv("SOTTO_KERNEL");
  for (const LaneKernel* kernel : kernels())
    if (fits(*kernel, modulus_bits) && (only == nullptr || std::string_view(only) == kernel->name))
      return *kernel;
  return gmp_kernel;
}

LaneWords::LaneWords(std::size_t size)
    : words_(static_cast<LaneWord*>(::operator new[](size * sizeof(LaneWord), alignment))) {
  std::fill_n(words_.get(), size, 0);
}

SquareRing::SquareRing(std::vector<mpz_class> moduli)
    : SquareRing(moduli, best_kernel(bit_count(*std::max_element(moduli.begin(), moduli.end())))) {}

SquareRing::SquareRing(std::vector<mpz_class> moduli, const LaneKernel& kernel)
    : moduli_(std::move(moduli)),
      kernel_(&kernel),
      limbs_(limbs_for(kernel, bit_count(*std::max_element(moduli_.begin(), moduli_.end())))),
      modulus_(limbs_ * kernel.lanes),
      minus_inverse_(kernel.lanes),
      one_(2 * limbs_ * moduli_.size()),
      to_form_(group_words()),
      from_form_(group_words()) {
  if (kernel.lanes % moduli_.size() != 0 || limbs_ > kernel.most_limbs)
    throw RunError("the kernel has no room for these moduli");
  std::vector<LaneWord> residue(2 * limbs_);
  const mpz_class limb = mpz_class(1) << kernel.limb_bits;
  for (const mpz_class& m : moduli_) squares_.push_back(m * m);
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    const mpz_class& m = moduli_[lane % moduli_.size()];
    const mpz_class& square = squares_[lane % moduli_.size()];
    put_digits(residue.data(), m, 0);
    for (std::size_t w = 0; w < limbs_; ++w)
      modulus_.data()[kernel.interleaved ? w * lanes() + lane : lane * limbs_ + w] = residue[w];
    mpz_class inverse;
    mpz_invert(inverse.get_mpz_t(), m.get_mpz_t(), limb.get_mpz_t());
    inverse = limb - inverse;
    put_digits(residue.data(), inverse, 0);
    minus_inverse_.data()[lane] = residue[0];
    const mpz_class R = (mpz_class(1) << (kernel.limb_bits * limbs_)) % square;
    mpz_class high;
    mpz_class low;
    mpz_fdiv_qr(high.get_mpz_t(), low.get_mpz_t(), R.get_mpz_t(), m.get_mpz_t());
    put_digits(one_.data() + (lane % moduli_.size()) * words(), low, high);
    const mpz_class R2 = R * R % square;
    mpz_fdiv_qr(high.get_mpz_t(), low.get_mpz_t(), R2.get_mpz_t(), m.get_mpz_t());
    put_digits(residue.data(), low, high);
    put(to_form_.data(), lane, residue.data());
    put_digits(residue.data(), 1, 0);
    put(from_form_.data(), lane, residue.data());
  }
}

LaneModuli SquareRing::room(LaneWords& scratch) const {
  scratch = LaneWords(kernel_->scratch_words(limbs_));
  return {limbs_, modulus_.data(), minus_inverse_.data(), scratch.data()};
}

unsigned SquareRing::used(std::size_t items, std::size_t group) const {
  return static_cast<unsigned>(std::min(lanes(), items * moduli() - group * lanes()));
}

Elements SquareRing::blank(std::size_t items) const {
  Elements x;
  x.items_ = items;
  x.words_ = LaneWords(groups(items) * group_words());
  return x;
}

void SquareRing::put(LaneWord* group, std::size_t lane, const LaneWord* residue) const {
  if (!kernel_->interleaved) {
    std::copy_n(residue, words(), group + lane * words());
    return;
  }
  const std::size_t step = lanes();
  for (std::size_t w = 0; w < words(); ++w) group[w * step + lane] = residue[w];
}

void SquareRing::get(LaneWord* residue, const LaneWord* group, std::size_t lane) const {
  if (!kernel_->interleaved) {
    std::copy_n(group + lane * words(), words(), residue);
    return;
  }
  const std::size_t step = lanes();
  for (std::size_t w = 0; w < words(); ++w) residue[w] = group[w * step + lane];
}

void SquareRing::copy(Elements& to, std::size_t to_lane, const Elements& from, std::size_t from_lane) const {
  std::vector<LaneWord> residue(words());
  get(residue.data(), from.words_.data() + from_lane / lanes() * group_words(), from_lane % lanes());
  put(to.words_.data() + to_lane / lanes() * group_words(), to_lane % lanes(), residue.data());
}

void SquareRing::put_digits(LaneWord* residue, const mpz_class& low, const mpz_class& high) const {
  std::fill_n(residue, words(), 0);
  const std::size_t nails = 64 - kernel_->limb_bits;
  mpz_export(residue, nullptr, -1, sizeof(LaneWord), 0, nails, low.get_mpz_t());
  mpz_export(residue + limbs_, nullptr, -1, sizeof(LaneWord), 0, nails, high.get_mpz_t());
}

mpz_class SquareRing::number(const LaneWord* limbs) const {
  mpz_class x;
  mpz_import(x.get_mpz_t(), limbs_, -1, sizeof(LaneWord), 0, 64 - kernel_->limb_bits, limbs);
  return x;
}

Elements SquareRing::elements(std::span<const mpz_class> values) const {
  Elements x = blank(values.size());
  std::vector<LaneWord> residue(words());
  mpz_class reduced;
  mpz_class high;
  for (std::size_t lane = 0; lane < values.size() * moduli(); ++lane) {
    const std::size_t k = lane % moduli();
    mpz_mod(reduced.get_mpz_t(), values[lane / moduli()].get_mpz_t(), squares_[k].get_mpz_t());
    mpz_fdiv_qr(high.get_mpz_t(), reduced.get_mpz_t(), reduced.get_mpz_t(), moduli_[k].get_mpz_t());
    put_digits(residue.data(), reduced, high);
    put(x.words_.data() + lane / lanes() * group_words(), lane % lanes(), residue.data());
  }
  LaneWords scratch;
  const LaneModuli m = room(scratch);
  for (std::size_t g = 0; g < groups(x.items_); ++g) {
    LaneWord* group = x.words_.data() + g * group_words();
    kernel_->multiply(m, group, group, to_form_.data(), used(x.items_, g));
  }
  return x;
}

std::vector<mpz_class> SquareRing::residues(const Elements& x) const {
  std::vector<mpz_class> values(x.items_ * moduli());
  std::vector<LaneWord> residue(words());
  LaneWords plain(group_words());
  LaneWords scratch;
  const LaneModuli m = room(scratch);
  for (std::size_t g = 0; g < groups(x.items_); ++g) {
    kernel_->multiply(m, plain.data(), x.words_.data() + g * group_words(), from_form_.data(),
                      used(x.items_, g));
    for (std::size_t lane = 0; lane < used(x.items_, g); ++lane) {
      get(residue.data(), plain.data(), lane);
      const std::size_t k = (g * lanes() + lane) % moduli();
      mpz_class& value = values[g * lanes() + lane];
      value = number(residue.data() + limbs_) * moduli_[k] + number(residue.data());
      value %= squares_[k];
    }
  }
  return values;
}

void SquareRing::multiply(Elements& x, const Elements& y) const {
  if (x.items_ != y.items_) throw RunError("elements of different numbers");
  LaneWords scratch;
  const LaneModuli m = room(scratch);
  for (std::size_t g = 0; g < groups(x.items_); ++g) {
    LaneWord* group = x.words_.data() + g * group_words();
    kernel_->multiply(m, group, group, y.words_.data() + g * group_words(), used(x.items_, g));
  }
}

void SquareRing::square(Elements& x) const {
  LaneWords scratch;
  const LaneModuli m = room(scratch);
  for (std::size_t g = 0; g < groups(x.items_); ++g) {
    LaneWord* group = x.words_.data() + g * group_words();
    kernel_->square(m, group, group, used(x.items_, g));
  }
}

Elements SquareRing::ones(std::size_t items) const {
  Elements x = blank(items);
  for (std::size_t lane = 0; lane < groups(items) * lanes(); ++lane)
    put(x.words_.data() + lane / lanes() * group_words(), lane % lanes(),
        one_.data() + lane % moduli() * words());
  return x;
}

Elements SquareRing::powers(const Elements& x, std::span<const mpz_class> exponents) const {
  const ExponentList list(exponents, x.items_, moduli());
  std::size_t bits = 1;
  for (const mpz_class& e : exponents) bits = std::max(bits, bit_count(e));
  const unsigned window = window_for(bits);
  const std::size_t entries = std::size_t{1} << window;
  Elements result = ones(x.items_);
  LaneWords table(entries * group_words());
  LaneWords chosen(group_words());
  LaneWords scratch;
  const LaneModuli m = room(scratch);
  for (std::size_t g = 0; g < groups(x.items_); ++g) {
    const unsigned active = used(x.items_, g);
    LaneWord* group = result.words_.data() + g * group_words();
    const auto power = [&](std::size_t d) { return table.data() + d * group_words(); };
    std::copy_n(group, group_words(), power(0));
    std::copy_n(x.words_.data() + g * group_words(), group_words(), power(1));
    for (std::size_t d = 2; d < entries; ++d) {
      if (d % 2 == 0)
        kernel_->square(m, power(d), power(d / 2), active);
      else
        kernel_->multiply(m, power(d), power(d - 1), power(1), active);
    }
    std::vector<Digits> digits;
    for (std::size_t lane = 0; lane < active; ++lane)
      digits.emplace_back(list.of_lane(g * lanes() + lane), window);
    bool started = false;
    for (std::size_t position = (bits + window - 1) / window; position-- > 0;) {
      if (started)
        for (unsigned k = 0; k < window; ++k) kernel_->square(m, group, group, active);
      std::array<std::size_t, 8> digit{};
      bool same = true;
      for (std::size_t lane = 0; lane < active; ++lane) {
        digit[lane] = digits[lane].at(position);
        same = same && digit[lane] == digit[0];
      }
      if (same && digit[0] == 0) continue;
      const LaneWord* factor = power(digit[0]);
      if (!same) {
        for (std::size_t lane = 0; lane < active; ++lane) {
          const LaneWord* from = power(digit[lane]);
          const std::size_t step = kernel_->interleaved ? lanes() : 1;
          const std::size_t start = kernel_->interleaved ? lane : lane * words();
          for (std::size_t w = 0; w < words(); ++w) chosen.data()[start + w * step] = from[start + w * step];
        }
        factor = chosen.data();
      }
      if (started)
        kernel_->multiply(m, group, group, factor, active);
      else
        std::copy_n(factor, group_words(), group);
      started = true;
    }
  }
  return result;
}

Elements SquareRing::pick(const Elements& x, std::size_t first, std::size_t step) const {
  Elements y = blank((x.items_ - first + step - 1) / step);
  for (std::size_t item = 0; item < y.items_; ++item)
    for (std::size_t k = 0; k < moduli(); ++k)
      copy(y, item * moduli() + k, x, (first + item * step) * moduli() + k);
  return y;
}

Elements SquareRing::run_products(const Elements& x, std::size_t run) const {
  Elements y = pick(x, 0, run);
  for (std::size_t k = 1; k < run; ++k) multiply(y, pick(x, k, run));
  return y;
}

FixedBase::FixedBase(const SquareRing& ring, const mpz_class& base, std::size_t bits, unsigned window)
    : ring_(&ring),
      bits_(bits),
      window_(window),
      positions_((bits + window - 1) / window),
      table_(bytes_for(ring, bits, window) / sizeof(LaneWord)) {
  // base^(2^(window j)) for every j, then every j's multiples side by side
  std::vector<mpz_class> starts(1, base);
  Elements step = ring.elements(starts);
  Elements bases = ring.blank(positions_);
  for (std::size_t j = 0; j < positions_; ++j) {
    for (std::size_t k = 0; k < ring.moduli(); ++k) ring.copy(bases, j * ring.moduli() + k, step, k);
    for (unsigned s = 0; s < window && j + 1 < positions_; ++s) ring.square(step);
  }
  Elements power = ring.ones(positions_);
  const std::size_t entries = std::size_t{1} << window;
  for (std::size_t d = 0; d < entries; ++d) {
    for (std::size_t lane = 0; lane < positions_ * ring.moduli(); ++lane)
      ring.get(table_.data() + ((lane / ring.moduli() * entries + d) * ring.moduli() + lane % ring.moduli()) *
                                   ring.words(),
               power.words_.data() + lane / ring.lanes() * ring.group_words(), lane % ring.lanes());
    if (d + 1 < entries) ring.multiply(power, bases);
  }
}

std::size_t FixedBase::bytes_for(const SquareRing& ring, std::size_t bits, unsigned window) {
  return (bits + window - 1) / window * (std::size_t{1} << window) * ring.moduli() * ring.words() *
         sizeof(LaneWord);
}

const LaneWord* FixedBase::entry(std::size_t position, std::size_t digit, std::size_t modulus) const {
  return table_.data() +
         ((position * (std::size_t{1} << window_) + digit) * ring_->moduli() + modulus) * ring_->words();
}

Elements FixedBase::powers(std::span<const mpz_class> exponents) const {
  const SquareRing& ring = *ring_;
  const std::size_t k = ring.moduli();
  const std::size_t items = exponents.size() / k;
  for (const mpz_class& e : exponents)
    if (e < 0 || bit_count(e) > bits_) throw RunError("an exponent is longer than its table");
  // Where items do not fill the lanes, the windows of an item are dealt out to several.
  const std::size_t parts = std::max<std::size_t>(1, ring.lanes() / std::max<std::size_t>(1, items * k));
  const std::size_t rows = (positions_ + parts - 1) / parts;
  Elements result = ring.ones(items * parts);
  LaneWords factor(ring.group_words());
  LaneWords scratch;
  const LaneModuli m = ring.room(scratch);
  for (std::size_t g = 0; g < ring.groups(items * parts); ++g) {
    const unsigned active = ring.used(items * parts, g);
    LaneWord* group = result.words_.data() + g * ring.group_words();
    std::vector<Digits> digits;
    for (std::size_t lane = 0; lane < active; ++lane) {
      const std::size_t item = (g * ring.lanes() + lane) / k / parts;
      digits.emplace_back(exponents[item * k + lane % k], window_);
    }
    const auto at = [&](std::size_t row, std::size_t lane) -> const LaneWord* {
      const std::size_t part = (g * ring.lanes() + lane) / k % parts;
      const std::size_t position = row * parts + part;
      if (position >= positions_) return entry(0, 0, lane % k);  // 1
      return entry(position, digits[lane].at(position), lane % k);
    };
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t lane = 0; lane < active; ++lane) {
        ring.put(row == 0 ? group : factor.data(), lane, at(row, lane));
        if (row + 1 < rows) {
          const char* next = reinterpret_cast<const char*>(at(row + 1, lane));
          for (std::size_t byte = 0; byte < ring.words() * sizeof(LaneWord); byte += 64)
            __builtin_prefetch(next + byte);
        }
      }
      if (row > 0) ring.kernel_->multiply(m, group, group, factor.data(), active);
    }
  }
  return parts == 1 ? std::move(result) : ring.run_products(result, parts);
}

}  // namespace sotto
