// SPDX-License-Identifier: MIT
#include "crypto/paillier/keys.h"

#include <fmt/format.h>

#include <array>

#include "base/sha256.h"
#include "crypto/paillier/numbers.h"

namespace sotto {

namespace {

constexpr std::uint32_t public_magic = 0x4b505053;   // "SPPK"
constexpr std::uint32_t private_magic = 0x4b535053;  // "SPSK"
constexpr std::uint8_t version = 1;
constexpr std::size_t statistical_bits = 64;
constexpr std::size_t largest_bits = 16384;

PaillierKind kind_from(std::uint8_t byte) {
  if (byte >= std::size(Words<PaillierKind>::all))
    throw CryptoError(fmt::format("no kind of Paillier key has number {}", byte));
  return static_cast<PaillierKind>(byte);
}

void check_header(Reader& r, std::uint32_t magic, std::string_view what) {
  if (r.get<std::uint32_t>() != magic) throw CryptoError(fmt::format("these bytes are not a {}", what));
  if (const auto v = r.get<std::uint8_t>(); v != version)
    throw CryptoError(fmt::format("a {} of version {}: this program knows {}", what, v, version));
}

/// Whatever Reader says of truncated bytes is a defect of the key.
template <class Parse>
auto parse(std::span<const std::uint8_t> bytes, std::string_view what, Parse read) {
  try {
    Reader r(bytes);
    auto key = read(r);
    r.finish();
    return key;
  } catch (const FormatError& e) {
    throw CryptoError(fmt::format("a {}: {}", what, e.what()));
  }
}

void check_public(const PaillierPublicKey& key) {
  const std::size_t bits = key.bits();
  if (bits < 63 || bits > largest_bits || mpz_even_p(key.n.get_mpz_t()) != 0)
    throw CryptoError(fmt::format("n must be odd and have 64 to {} bits, not {}", largest_bits, bits));
  if (key.kind == PaillierKind::standard) {
    if (key.hs != 0 || key.randomizer_bits != 0) throw CryptoError("a standard key has no generator");
    return;
  }
  if (key.hs <= 1 || key.hs >= key.n * key.n || greatest_common_divisor(key.hs, key.n) != 1)
    throw CryptoError("the key's generator is not a unit modulo n^2");
  if (const mpz_class h = key.hs % key.n; h == 1 || h == key.n - 1)
    throw CryptoError("the key's generator is 1 or -1");
  if (mpz_jacobi(key.hs.get_mpz_t(), key.n.get_mpz_t()) != 1)
    throw CryptoError("the key's generator has Jacobi symbol -1");
  const std::size_t order_bits = key.kind == PaillierKind::djn ? bits : subgroup_order_bits(bits);
  if (key.randomizer_bits < order_bits + statistical_bits ||
      key.randomizer_bits > largest_bits + 2 * statistical_bits)
    throw CryptoError(fmt::format("exponents of {} bits: {} are needed", key.randomizer_bits,
                                  order_bits + statistical_bits));
}

/// The cheap checks first: what is left to test for primality is of a key's size.
void check_private(const PaillierPrivateKey& key) {
  check_public(key.shared);
  const bool subgroup = key.shared.kind == PaillierKind::subgroup;
  if (key.shared.n != key.p * key.q) throw CryptoError("n is not p q");
  if (key.p == key.q) throw CryptoError("p and q are the same");
  const auto [shorter, longer] = std::minmax({bit_count(key.p), bit_count(key.q)});  // by value
  if (longer - shorter > 1) throw CryptoError("p and q differ in length by more than a bit");
  if (!subgroup && (key.a != 0 || key.b != 0)) throw CryptoError("only a subgroup key has a and b");
  if (subgroup && bit_count(key.a * key.b) != subgroup_order_bits(key.shared.bits()))
    throw CryptoError(fmt::format("a b must have {} bits", subgroup_order_bits(key.shared.bits())));
  if (!is_prime(key.p) || !is_prime(key.q)) throw CryptoError("p or q is not a prime");
  if (greatest_common_divisor(key.shared.n, (key.p - 1) * (key.q - 1)) != 1)
    throw CryptoError("n and phi(n) share a factor");
  if (subgroup) {
    if (!is_prime(key.a) || !is_prime(key.b) || key.a == key.b) throw CryptoError("a or b is not a prime");
    if ((key.p - 1) % (2 * key.a) != 0 || (key.q - 1) % (2 * key.b) != 0)
      throw CryptoError("2 a does not divide p - 1, or 2 b not q - 1");
  }
  if (key.shared.kind == PaillierKind::standard) return;
  const mpz_class& hs = key.shared.hs;
  for (const mpz_class* prime : {&key.p, &key.q})
    if (hs % *prime == 1 || hs % *prime == *prime - 1) throw CryptoError("the key's generator is 1 or -1");
  if (power(hs, key.exponent_p(), key.p * key.p) != 1 || power(hs, key.exponent_q(), key.q * key.q) != 1)
    throw CryptoError("the key's generator is not an n-th power of the right order");
}

/// A prime P = 2 a p' + 1 of `bits` bits with a prime p' of its own; candidates for p' are sieved on both conditions.
class SubgroupPrime {
 public:
  SubgroupPrime(RandomStream& random, std::size_t bits, const mpz_class& a)
      : random_(random), bits_(bits), a_(a) {
    for (unsigned long x = 3; x < sieve_primes; x += 2)
      if (mpz_probab_prime_p(mpz_class(x).get_mpz_t(), 1) != 0) primes_.push_back(x);
  }

  mpz_class find() {
    for (;;)
      if (mpz_class P = search(start()); P != 0) return P;
  }

 private:
  static constexpr unsigned long sieve_primes = 1 << 13;
  static constexpr std::size_t window = 1 << 13;

  /// p' from which 2 a p' + 1 has `bits` bits, the two highest of them set.
  mpz_class start() {
    const mpz_class lowest = (mpz_class(3) << (bits_ - 2)) / (2 * a_) + 1;
    const mpz_class highest = (mpz_class(1) << bits_) / (2 * a_);
    mpz_class x = lowest + random_below(random_, highest - lowest);
    mpz_setbit(x.get_mpz_t(), 0);
    return x;
  }

  mpz_class search(const mpz_class& first) const {
    std::vector<bool> composite(window, false);  // of first + 2 k
    for (const unsigned long r : primes_) {
      // p' = 0 or 2 a p' = -1 modulo r
      const unsigned long at = mpz_fdiv_ui(first.get_mpz_t(), r);
      mark(composite, r, (r - at) % r, first);
      const unsigned long twice_a = 2 * mpz_fdiv_ui(a_.get_mpz_t(), r) % r;
      if (twice_a == 0) continue;
      const mpz_class wanted = inverse(mpz_class(r - twice_a), mpz_class(r));
      mark(composite, r, (wanted.get_ui() + r - at) % r, first);
    }
    for (std::size_t k = 0; k < window; ++k) {
      if (composite[k]) continue;
      const mpz_class candidate = first + 2 * static_cast<unsigned long>(k);
      if (power(2, candidate - 1, candidate) != 1) continue;
      mpz_class P = 2 * a_ * candidate + 1;
      if (bit_count(P) != bits_) return 0;
      if (power(2, P - 1, P) == 1 && candidate != a_ && is_prime(candidate) && is_prime(P)) return P;
    }
    return 0;
  }

  /// Marks first + 2 k = first + offset (mod r); r itself is not composite.
  static void mark(std::vector<bool>& composite, unsigned long r, unsigned long offset,
                   const mpz_class& first) {
    const unsigned long k = offset % 2 == 0 ? offset / 2 : (offset + r) / 2;
    if (first <= sieve_primes * sieve_primes) return;  // toys: r could be the number itself
    for (std::size_t j = k; j < window; j += r) composite[j] = true;
  }

  RandomStream& random_;
  std::size_t bits_;
  mpz_class a_;
  std::vector<unsigned long> primes_;
};

/// p and q of a kind; a and b where it has them.
void draw_primes(PaillierPrivateKey& key, std::size_t bits, RandomStream& random) {
  if (key.shared.kind == PaillierKind::subgroup) {
    const std::size_t half = subgroup_order_bits(bits) / 2;
    key.a = random_prime(random, half);
    do key.b = random_prime(random, half);
    while (key.b == key.a);
    key.p = SubgroupPrime(random, bits / 2, key.a).find();
    key.q = SubgroupPrime(random, bits / 2, key.b).find();
    return;
  }
  const bool blum = key.shared.kind == PaillierKind::djn;
  key.p = random_prime(random, bits / 2, blum);
  key.q = random_prime(random, bits / 2, blum);
}

}  // namespace

std::size_t PaillierPublicKey::bits() const {
  return bit_count(n);
}

std::uint64_t PaillierPublicKey::fingerprint() const {
  Writer w;
  put_number(w, n);
  const Sha256Digest digest = sha256(w.take());
  return Reader(digest).get<std::uint64_t>();
}

Bytes PaillierPublicKey::bytes() const {
  Writer w;
  w.put(public_magic);
  w.put(version);
  w.put(static_cast<std::uint8_t>(kind));
  w.put(randomizer_bits);
  put_number(w, n);
  put_number(w, hs);
  return w.take();
}

PaillierPublicKey PaillierPublicKey::from_bytes(std::span<const std::uint8_t> bytes) {
  auto key = parse(bytes, "Paillier public key", [](Reader& r) {
    check_header(r, public_magic, "Paillier public key");
    PaillierPublicKey k;
    k.kind = kind_from(r.get<std::uint8_t>());
    k.randomizer_bits = r.get<std::uint32_t>();
    k.n = get_number(r);
    k.hs = get_number(r);
    return k;
  });
  check_public(key);
  return key;
}

PaillierPublicKey PaillierPublicKey::from_numbers(const mpz_class& n, const mpz_class& g) {
  if (g != n + 1) throw CryptoError("a Paillier key with g other than n + 1 is not taken");
  PaillierPublicKey key;
  key.n = n;
  check_public(key);
  return key;
}

Bytes PaillierPrivateKey::bytes() const {
  Writer w;
  w.put(private_magic);
  w.put(version);
  w.block(shared.bytes());
  for (const mpz_class* x : {&p, &q, &a, &b}) put_number(w, *x);
  return w.take();
}

PaillierPrivateKey PaillierPrivateKey::from_bytes(std::span<const std::uint8_t> bytes) {
  auto key = parse(bytes, "Paillier private key", [](Reader& r) {
    check_header(r, private_magic, "Paillier private key");
    PaillierPrivateKey k;
    k.shared = PaillierPublicKey::from_bytes(r.block());
    for (mpz_class* x : {&k.p, &k.q, &k.a, &k.b}) *x = get_number(r);
    return k;
  });
  check_private(key);
  return key;
}

PaillierPrivateKey PaillierPrivateKey::from_primes(const mpz_class& p, const mpz_class& q) {
  PaillierPrivateKey key;
  key.p = p;
  key.q = q;
  key.shared.n = p * q;
  check_private(key);
  return key;
}

std::size_t subgroup_order_bits(std::size_t key_bits) {
  if (key_bits < 1792) return key_bits / 4 & ~std::size_t{1};
  if (key_bits <= 2048) return 448;  // level 112
  if (key_bits <= 3072) return 512;  // 128
  if (key_bits <= 7680) return 768;  // 192
  return 1024;
}

PaillierPrivateKey generate_paillier_key(PaillierKind kind, std::size_t bits, RandomStream& random) {
  if (bits < 64 || bits > largest_bits || bits % 2 != 0)
    throw CryptoError(
        fmt::format("Paillier keys have an even number of bits from 64 to {}, not {}", largest_bits, bits));
  PaillierPrivateKey key;
  key.shared.kind = kind;
  do {
    draw_primes(key, bits, random);
    key.shared.n = key.p * key.q;
  } while (greatest_common_divisor(key.p - 1, key.q - 1) != 2 || bit_count(key.shared.n) != bits ||
           greatest_common_divisor(key.shared.n, (key.p - 1) * (key.q - 1)) != 1);
  if (kind == PaillierKind::standard) return key;
  const mpz_class& n = key.shared.n;
  mpz_class h;
  do {
    const mpz_class x = random_unit(random, n);
    // djn: x^2; subgroup: y^(2 p' q'), of order a b
    h = kind == PaillierKind::djn
            ? mpz_class(x * x % n)
            : power(x, 2 * ((key.p - 1) / (2 * key.a)) * ((key.q - 1) / (2 * key.b)), n);
  } while (h % key.p == 1 || h % key.q == 1);
  h = n - h;
  key.shared.hs = power(h, n, n * n);
  const std::size_t order_bits = kind == PaillierKind::djn ? bits : subgroup_order_bits(bits);
  key.shared.randomizer_bits = static_cast<std::uint32_t>(order_bits + statistical_bits);
  return key;
}

}  // namespace sotto
