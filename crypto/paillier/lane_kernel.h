// SPDX-License-Identifier: MIT
// Arithmetic modulo m^2 in base m, several numbers at a time ("lanes"), each lane with a modulus of its own.
//
// An element X of Z/m^2 is kept as X R = x0 + x1 m (mod m^2), R = 2^(limb_bits * limbs) >= 64 m. The product of two:
//     x0 y0 + t m = r R,   t = -x0 y0 / m mod R           (a Montgomery step that keeps its quotient t)
//     z0 = r,   z1 = REDC(x0 y1 + x1 y0 - t)              because (x0 y0) / R = r - t m / R  (mod m^2)
// 5 s^2 limb products instead of the 8 s^2 of a multiplication modulo the 2s-limb m^2; a squaring takes 3.5 s^2. To stay
// without branches and carries between lanes, -t is taken as (R - 1 - t) + 1 - R and the digits are not brought below m:
// z0 < 1.1 m and z1 < 2.1 m for arguments that are, because R >= 64 m. Reading a number back reduces it.
//
// A kernel is chosen by what the processor can do. All of them compute the same numbers; R, and so the stored form,
// differs. Timing does not depend on values (the GMP kernel: as far as GMP's mpn functions do not).
// The vector kernels live in files that are compiled for their instruction set: these may include this header and nothing
// else of ours, so that no inline function compiled there is taken for the whole program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto {

using LaneWord = std::uint64_t;

/// The moduli of a group of lanes, in a kernel's layout.
struct LaneModuli {
  std::size_t limbs = 0;
  const LaneWord* modulus = nullptr;        ///< `limbs` words a lane
  const LaneWord* minus_inverse = nullptr;  ///< -1 / m modulo 2^limb_bits, one a lane
  LaneWord* scratch = nullptr;              ///< scratch_words(limbs) words, aligned as groups are
};

/// A group holds `lanes` elements of 2 limbs x words each: x0, then x1.
struct LaneKernel {
  const char* name;
  unsigned lanes;
  unsigned limb_bits;
  std::size_t most_limbs;  ///< of a modulus: beyond it columns of products would overflow
  bool interleaved;        ///< word w of lane l is at [w * lanes + l]; otherwise at [l * words + w]
  std::size_t (*scratch_words)(std::size_t limbs);
  /// z = x y / R for the first `used` lanes; a vector kernel does them all. z may be x or y.
  void (*multiply)(const LaneModuli& m, LaneWord* z, const LaneWord* x, const LaneWord* y, unsigned used);
  void (*square)(const LaneModuli& m, LaneWord* z, const LaneWord* x, unsigned used);
};

extern const LaneKernel gmp_kernel;
#if defined(__x86_64__)
extern const LaneKernel avx2_kernel;       ///< 28-bit limbs, to 2350-bit moduli
extern const LaneKernel avx2_wide_kernel;  ///< 26-bit limbs, for longer ones
extern const LaneKernel ifma_kernel;       ///< AVX-512 IFMA, 52-bit limbs
#endif

}  // namespace sotto
