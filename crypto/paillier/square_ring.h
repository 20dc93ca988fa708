// SPDX-License-Identifier: MIT
// Z/m^2 for one odd m, or for several side by side (an owner's p and q), on the lanes of a kernel. Paillier's powers are
// taken here, many at a time.
//
//   SquareRing ring({n});
//   Elements x = ring.elements(ciphertexts);           // item by item, one residue per modulus
//   ring.multiply(x, FixedBase(ring, h, 512, 8).powers(exponents));
//   std::vector<mpz_class> product = ring.residues(x);
//
// Threading: a ring and a table never change once made; Elements belong to one thread.
// Not constant-time as a whole: windows of exponents are looked up by their value, conversions use GMP's division.
// Tests: tests/crypto/paillier_kernel_test.cpp
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "crypto/paillier/lane_kernel.h"

namespace sotto {

/// Every kernel that this processor can run: the fastest first, the portable one last.
std::span<const LaneKernel* const> kernels();
/// The fastest for moduli of that many bits; $SOTTO_KERNEL (avx512-ifma, avx2, gmp) takes another, to compare.
const LaneKernel& best_kernel(std::size_t modulus_bits);
/// Whether a kernel's columns can hold products of such moduli.
bool fits(const LaneKernel& kernel, std::size_t modulus_bits);

/// Words on a boundary that vectors can be loaded from.
class LaneWords {
 public:
  LaneWords() = default;
  explicit LaneWords(std::size_t size);
  LaneWord* data() { return words_.get(); }
  const LaneWord* data() const { return words_.get(); }

 private:
  struct Free {
    void operator()(LaneWord* words) const { ::operator delete[](words, alignment); }
  };
  static constexpr std::align_val_t alignment{64};
  std::unique_ptr<LaneWord[], Free> words_;
};

/// Items of a ring, one residue per modulus each, in the kernel's form.
class Elements {
 public:
  std::size_t items() const { return items_; }

 private:
  friend class SquareRing;
  friend class FixedBase;
  std::size_t items_ = 0;
  LaneWords words_;
};

class SquareRing {
 public:
  /// Moduli are odd, and as many as divide the kernel's lanes.
  explicit SquareRing(std::vector<mpz_class> moduli);
  SquareRing(std::vector<mpz_class> moduli, const LaneKernel& kernel);

  const LaneKernel& kernel() const { return *kernel_; }
  std::size_t moduli() const { return moduli_.size(); }
  /// Words of one residue: what a table of powers takes memory for.
  std::size_t words() const { return 2 * limbs_; }

  /// Item i is values[i] modulo every m^2.
  Elements elements(std::span<const mpz_class> values) const;
  /// [item * moduli() + modulus], each in [0, m^2).
  std::vector<mpz_class> residues(const Elements& x) const;
  void multiply(Elements& x, const Elements& y) const;
  void square(Elements& x) const;
  /// x^e. `exponents`: one for all, one per modulus, or [item * moduli() + modulus].
  Elements powers(const Elements& x, std::span<const mpz_class> exponents) const;
  /// The product of consecutive runs of `run` items.
  Elements run_products(const Elements& x, std::size_t run) const;
  /// Items first, first + step, ...
  Elements pick(const Elements& x, std::size_t first, std::size_t step) const;

 private:
  friend class FixedBase;
  /// A group's room for work.
  LaneModuli room(LaneWords& scratch) const;
  std::size_t lanes() const { return kernel_->lanes; }
  std::size_t group_words() const { return 2 * limbs_ * kernel_->lanes; }
  std::size_t groups(std::size_t items) const { return (items * moduli() + lanes() - 1) / lanes(); }
  unsigned used(std::size_t items, std::size_t group) const;
  Elements blank(std::size_t items) const;
  void put(LaneWord* group, std::size_t lane, const LaneWord* residue) const;
  void get(LaneWord* residue, const LaneWord* group, std::size_t lane) const;
  void copy(Elements& to, std::size_t to_lane, const Elements& from, std::size_t from_lane) const;
  void put_digits(LaneWord* residue, const mpz_class& low, const mpz_class& high) const;
  mpz_class number(const LaneWord* limbs) const;
  Elements ones(std::size_t items) const;

  std::vector<mpz_class> moduli_;
  std::vector<mpz_class> squares_;
  const LaneKernel* kernel_;
  std::size_t limbs_;
  LaneWords modulus_;
  LaneWords minus_inverse_;
  std::vector<LaneWord> one_;  // R mod m^2 as digits, by modulus
  LaneWords to_form_;          // R^2 mod m^2, a group
  LaneWords from_form_;        // 1, a group
};

/// base^e for one base and exponents of at most `bits`: T[j][d] = base^(d 2^(window j)), a multiplication per window.
class FixedBase {
 public:
  FixedBase(const SquareRing& ring, const mpz_class& base, std::size_t bits, unsigned window);

  /// `exponents`: [item * moduli + modulus]. RunError if one is too long.
  Elements powers(std::span<const mpz_class> exponents) const;
  std::size_t bytes() const { return table_.size() * sizeof(LaneWord); }
  /// What a table would take.
  static std::size_t bytes_for(const SquareRing& ring, std::size_t bits, unsigned window);

 private:
  const LaneWord* entry(std::size_t position, std::size_t digit, std::size_t modulus) const;

  const SquareRing* ring_;
  std::size_t bits_;
  unsigned window_;
  std::size_t positions_;
  std::vector<LaneWord> table_;
};

}  // namespace sotto
