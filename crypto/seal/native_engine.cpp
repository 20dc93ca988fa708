// SPDX-License-Identifier: MIT
// SEAL, compiled in (CMake option WITH_SEAL).
// Tests: tests/crypto/seal_engines_test.cpp
#include <fmt/format.h>

#include "crypto/seal/engine.h"

#ifdef SOTTO_NATIVE_SEAL
#include <seal/seal.h>

#include <bit>
#include <mutex>

namespace sotto {

namespace {

/// What SEAL draws from, on this thread, while an operation runs.
thread_local RandomStream* drawn_from = nullptr;

class Seeded {
 public:
  explicit Seeded(const StreamKey& seed) : stream_(seed) { drawn_from = &stream_; }
  ~Seeded() { drawn_from = nullptr; }
  Seeded(const Seeded&) = delete;

 private:
  RandomStream stream_;
};

/// AES-256-CTR, several times as fast as SEAL's own generators.
class StreamGenerator final : public seal::UniformRandomGenerator {
 public:
  explicit StreamGenerator(const StreamKey& key) : UniformRandomGenerator({}), stream_(key) {}
  seal::prng_type type() const noexcept override { return seal::prng_type::unknown; }

 protected:
  void refill_buffer() override {
    for (seal::seal_byte* at = buffer_begin_; at < buffer_end_; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = stream_.next();
      std::memcpy(at, &word, sizeof(word));
    }
  }

 private:
  RandomStream stream_;
};

/// Every generator with a seed of its own from the operation's stream.
class StreamFactory final : public seal::UniformRandomGeneratorFactory {
 protected:
  std::shared_ptr<seal::UniformRandomGenerator> create_impl(seal::prng_seed_type) override {
    if (drawn_from == nullptr) throw CryptoError("SEAL drew random numbers outside an operation");
    return std::make_shared<StreamGenerator>(drawn_from->next_key());
  }
};

const seal::seal_byte* as_seal(const std::uint8_t* bytes) {
  return reinterpret_cast<const seal::seal_byte*>(bytes);
}

template <class T>
Bytes saved(const T& thing) {
  Bytes bytes(static_cast<std::size_t>(thing.save_size(seal::compr_mode_type::none)));
  const auto size =
      thing.save(reinterpret_cast<seal::seal_byte*>(bytes.data()), bytes.size(), seal::compr_mode_type::none);
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

/// SEAL's exceptions are standard ones.
template <class Work>
auto guarded(Work work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw CryptoError(fmt::format("SEAL: {}", e.what()));
  }
}

struct Kit {
  SealParameters parameters;
  seal::SEALContext context;
  seal::Evaluator evaluator;
  std::unique_ptr<seal::BatchEncoder> slots;
  std::unique_ptr<seal::CKKSEncoder> reals;

  Kit(const SealParameters& p, const seal::EncryptionParameters& parms)
      : parameters(p), context(parms, true, seal::sec_level_type::tc128), evaluator(context) {
    if (p.ckks)
      reals = std::make_unique<seal::CKKSEncoder>(context);
    else
      slots = std::make_unique<seal::BatchEncoder>(context);
  }

  /// False: zero, by which SEAL will not multiply.
  bool encode(const SealPlain& plain, seal::Plaintext& to) const {
    if (std::all_of(plain.words.begin(), plain.words.end(), [](std::uint64_t w) { return w == 0; }))
      return false;
    switch (plain.kind) {
      case SealPlain::Kind::coefficients:
        to.resize(parameters.degree);
        to.set_zero();
        std::copy(plain.words.begin(), plain.words.end(), to.data());
        break;
      case SealPlain::Kind::slots:
        slots->encode(plain.words, to);
        break;
      case SealPlain::Kind::reals: {
        std::vector<double> values;
        for (const std::uint64_t w : plain.words) values.push_back(std::bit_cast<double>(w));
        reals->encode(values, plain.scale, to);
      }
    }
    return true;
  }

  seal::Ciphertext load(std::span<const std::uint8_t> bytes) const {
    seal::Ciphertext ciphertext;
    ciphertext.load(context, as_seal(bytes.data()), bytes.size());
    return ciphertext;
  }
};

class NativeSecret final : public SealSecret {
 public:
  NativeSecret(std::shared_ptr<const Kit> kit, const StreamKey& seed) : kit_(std::move(kit)) {
    const Seeded randomness(seed);
    seal::KeyGenerator generator(kit_->context);
    secret_ = generator.secret_key();
    public_key_ = saved(generator.create_public_key());
    encryptor_ = std::make_unique<seal::Encryptor>(kit_->context, secret_);
    decryptor_ = std::make_unique<seal::Decryptor>(kit_->context, secret_);
  }

  const Bytes& public_key() const override { return public_key_; }

  Bytes encrypt(const SealPlain& plain, const StreamKey& seed) override {
    return guarded([&] {
      const Seeded randomness(seed);
      seal::Plaintext encoded;
      if (!kit_->encode(plain, encoded) && kit_->parameters.ckks)
        kit_->reals->encode(0.0, plain.scale, encoded);
      return saved(encryptor_->encrypt_symmetric(encoded));
    });
  }

  std::vector<std::uint64_t> decrypt(std::span<const std::span<const std::uint8_t>> ciphertexts,
                                     SealPlain::Kind kind) override {
    return guarded([&] {
      seal::Ciphertext sum = kit_->load(ciphertexts.front());
      for (std::size_t k = 1; k < ciphertexts.size(); ++k)
        kit_->evaluator.add_inplace(sum, kit_->load(ciphertexts[k]));
      seal::Plaintext plain;
      decryptor_->decrypt(sum, plain);
      std::vector<std::uint64_t> words;
      if (kind == SealPlain::Kind::reals) {
        std::vector<double> values;
        kit_->reals->decode(plain, values);
        for (const double v : values) words.push_back(std::bit_cast<std::uint64_t>(v));
      } else if (kind == SealPlain::Kind::slots) {
        kit_->slots->decode(plain, words);
      } else {
        words.assign(plain.data(), plain.data() + plain.coeff_count());
        words.resize(kit_->parameters.degree);
      }
      return words;
    });
  }

  int noise_budget(std::span<const std::uint8_t> ciphertext) override {
    return guarded([&] { return decryptor_->invariant_noise_budget(kit_->load(ciphertext)); });
  }

  Bytes expanded(std::span<const std::uint8_t> ciphertext) override {
    return guarded([&] { return saved(kit_->load(ciphertext)); });
  }

 private:
  std::shared_ptr<const Kit> kit_;
  seal::SecretKey secret_;
  Bytes public_key_;
  std::unique_ptr<seal::Encryptor> encryptor_;
  std::unique_ptr<seal::Decryptor> decryptor_;
};

class NativePublic final : public SealPublic {
 public:
  NativePublic(std::shared_ptr<const Kit> kit, std::span<const std::uint8_t> bytes) : kit_(std::move(kit)) {
    seal::PublicKey key;
    key.load(kit_->context, as_seal(bytes.data()), bytes.size());
    encryptor_ = std::make_unique<seal::Encryptor>(kit_->context, key);
  }

  Bytes respond(std::span<const std::uint8_t> request, const SealResponse& response,
                const StreamKey& seed) override {
    return guarded([&] {
      const Seeded randomness(seed);
      const auto& evaluator = kit_->evaluator;
      seal::Ciphertext product = kit_->load(request);
      if (product.size() != 2) throw CryptoError("a request of other than two polynomials");
      seal::Ciphertext sum;
      encryptor_->encrypt_zero(sum);
      if (kit_->parameters.ckks) sum.scale() = product.scale() * response.factor.scale;
      seal::Plaintext plain;
      if (kit_->encode(response.factor, plain)) {
        evaluator.multiply_plain_inplace(product, plain);
        evaluator.add_inplace(sum, product);
      }
      if (kit_->encode(response.addend, plain)) evaluator.add_plain_inplace(sum, plain);
      add_onto(sum, response.onto);
      for (std::size_t k = 0; k < response.drop; ++k) {
        if (kit_->parameters.ckks)
          evaluator.rescale_to_next_inplace(sum);
        else
          evaluator.mod_switch_to_next_inplace(sum);
      }
      return saved(sum);
    });
  }

 private:
  void add_onto(seal::Ciphertext& to, std::span<const std::uint64_t> words) const {
    const std::size_t degree = kit_->parameters.degree;
    for (std::size_t w = 0; w < words.size(); ++w) {
      const std::uint64_t prime = kit_->parameters.primes[w / degree];
      std::uint64_t& c = *(to.data(0) + w);
      c += words[w];
      if (c >= prime) c -= prime;
    }
  }

  std::shared_ptr<const Kit> kit_;
  std::unique_ptr<seal::Encryptor> encryptor_;
};

class NativeEngine final : public SealEngine {
 public:
  std::string_view name() const override { return "native"; }
  std::string version() override {
    return fmt::format("SEAL {}.{}.{}, native", SEAL_VERSION_MAJOR, SEAL_VERSION_MINOR, SEAL_VERSION_PATCH);
  }
  std::unique_ptr<SealSecret> generate(const SealParameters& parameters, const StreamKey& seed,
                                       std::size_t) override {
    return guarded([&] { return std::make_unique<NativeSecret>(kit(parameters), seed); });
  }
  std::unique_ptr<SealPublic> open(const SealParameters& parameters, std::span<const std::uint8_t> public_key,
                                   std::size_t) override {
    return guarded([&] { return std::make_unique<NativePublic>(kit(parameters), public_key); });
  }

 private:
  std::shared_ptr<const Kit> kit(const SealParameters& p) {
    const std::lock_guard lock(mutex_);
    for (const auto& k : kits_)
      if (k->parameters == p) return k;
    seal::EncryptionParameters parms(p.ckks ? seal::scheme_type::ckks : seal::scheme_type::bfv);
    parms.set_poly_modulus_degree(p.degree);
    parms.set_coeff_modulus({p.primes.begin(), p.primes.end()});
    if (!p.ckks) parms.set_plain_modulus(p.plain_modulus);
    parms.set_random_generator(factory_);
    return kits_.emplace_back(std::make_shared<const Kit>(p, parms));
  }

  std::shared_ptr<StreamFactory> factory_ = std::make_shared<StreamFactory>();
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Kit>> kits_;
};

}  // namespace

bool has_native_seal() {
  return true;
}

std::shared_ptr<SealEngine> make_native_engine() {
  return std::make_shared<NativeEngine>();
}

}  // namespace sotto

#else

namespace sotto {

bool has_native_seal() {
  return false;
}

std::shared_ptr<SealEngine> make_native_engine() {
  throw CryptoError(
      "exchange.seal_engine = \"native\": this program was built without SEAL (install SEAL 4.1 or later and "
      "build again, or "
      "take \"node\")");
}

}  // namespace sotto
#endif
