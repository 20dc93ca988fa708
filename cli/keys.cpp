// SPDX-License-Identifier: MIT
// sotto keys: generate, inspect, and cache what runs derive from their seed.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.h"
#include "cli/say.h"
#include "cli/scenario_options.h"
#include "core/algorithms/kinds.h"
#include "core/protocols/neighbor_exchange.h"
#include "crypto/key_folder.h"
#include "crypto/paillier/keys.h"

namespace sotto {

namespace {

struct GenerateOptions {
  std::string kind = "djn";
  std::size_t bits = 2048;
  std::optional<std::uint64_t> seed;
  std::string out, public_out;
};

std::string describe(const PaillierPublicKey& key, bool secret) {
  return fmt::format("{} key, {}, {} bits{}\nfingerprint  {:016x}\nn            {}\n",
                     secret ? "private" : "public", word_of(key.kind), key.bits(),
                     key.bits() < secure_paillier_bits ? " (insecure)" : "", key.fingerprint(),
                     key.n.get_str());
}

void refuse_existing(const std::string& file, const char* option) {
  if (!file.empty() && std::filesystem::exists(file))
    throw ScenarioError({fmt::format("--{} {}", option, file), 0, 0}, "",
                        "cannot be written: it exists already");
}

int generate(const GenerateOptions& options) {
  refuse_existing(options.out, "out");
  refuse_existing(options.public_out, "public");
  if (options.out == options.public_out)
    throw ScenarioError({"--public " + options.public_out, 0, 0}, "", "must be another file than --out");
  RandomStream random = options.seed
                            ? RandomStream({*options.seed, options.bits, 0, "sotto keys " + options.kind})
                            : RandomStream(system_stream_key());
  const PaillierPrivateKey key =
      generate_paillier_key(from_word<PaillierKind>(options.kind), options.bits, random);
  write_secret_file(options.out, key.bytes());
  if (!options.public_out.empty()) write_secret_file(options.public_out, key.shared.bytes());
  fmt::print("{}", describe(key.shared, true));
  if (options.seed) say("sotto: the key comes from a seed: for simulation only\n");
  return done;
}

struct InspectOptions {
  std::string file;
  bool json = false, secret = false;
};

/// With the names that other libraries use: g = n + 1, lambda = lcm(p - 1, q - 1), mu = 1 / lambda mod n.
void print_numbers(const PaillierPublicKey& key, const PaillierPrivateKey* secret) {
  nlohmann::ordered_json j{{"kind", word_of(key.kind)},
                           {"bits", key.bits()},
                           {"n", key.n.get_str()},
                           {"g", mpz_class(key.n + 1).get_str()}};
  if (key.hs != 0) j["hs"] = key.hs.get_str();
  if (secret != nullptr) {
    mpz_class lambda;
    const mpz_class p = secret->p - 1;
    const mpz_class q = secret->q - 1;
    mpz_lcm(lambda.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
    mpz_class mu;
    mpz_invert(mu.get_mpz_t(), lambda.get_mpz_t(), key.n.get_mpz_t());
    for (const auto& [name, x] :
         {std::pair{"p", secret->p}, {"q", secret->q}, {"lambda", lambda}, {"mu", mu}})
      j[name] = x.get_str();
  }
  fmt::print("{}\n", j.dump(1));
}

int inspect(const InspectOptions& options) {
  const Bytes bytes = read_key_file(options.file);
  try {
    const bool is_private = bytes.size() > 3 && bytes[2] == 'S';
    std::optional<PaillierPrivateKey> secret;
    if (is_private) secret = PaillierPrivateKey::from_bytes(bytes);
    const PaillierPublicKey key = secret ? secret->shared : PaillierPublicKey::from_bytes(bytes);
    if (options.secret && !secret) throw CryptoError("a public key has no secret numbers");
    if (options.json)
      print_numbers(key, options.secret ? &*secret : nullptr);
    else
      fmt::print("{}", describe(key, is_private));
  } catch (const CryptoError& e) {
    throw CryptoError(options.file + ": " + e.what());
  }
  return done;
}

/// A host that only lends agents their streams.
class NoHost final : public Host {
 public:
  void send(AgentId, AgentId, Tag, Bytes) override {}
  bool take_or_wait(AgentId, AgentId, Tag, Bytes&, std::coroutine_handle<>) override { return false; }
  void received(AgentId, AgentId, Tag, const Bytes&) override {}
  void computed(AgentId, Operation, std::uint64_t) override {}
  bool wants_state(std::uint64_t, bool) override { return false; }
  bool arrive(AgentId, std::uint64_t, Bytes, std::coroutine_handle<>) override { return false; }
};

int cache(const ScenarioOptions& scenario) {
  const Experiment experiment = scenario.read();
  if (!experiment.run().seeded())
    throw ScenarioError({experiment.source, 0, 0}, "entropy",
                        "keys from the system's entropy are never kept");
  const std::string path = key_folder_path();
  if (path.empty()) throw RunError("no folder for keys: set SOTTO_KEYS or HOME");
  experiment.schemes->use_store(std::make_shared<KeyFolder>(path, true));
  NoHost host;
  std::set<const AdditiveScheme*> filled;
  for (const Method& method : experiment.methods) {
    const OptionSet& options = method.options;
    const auto& exchange = options.get<ExchangeOptions>();
    const auto& keys = options.get<SchemeOptions>();
    const auto& run = options.get<RunOptions>();
    if (!algorithm_of(options).needs(options).exchange || !find_scheme(exchange.scheme).has_key_bits)
      continue;
    const auto scheme = experiment.schemes->get(exchange.scheme, keys, experiment.agents(), run.key_seed());
    if (!filled.insert(scheme.get()).second) continue;
    for (AgentId id = 0; id < experiment.agents(); ++id) {
      Agent agent(host, id, {}, {run.seed, 0, false, method.name});
      RandomStream stream = NeighborExchange::key_stream(agent);
      ExchangeRange smallest;
      smallest.entries = smallest.value_bits = smallest.factor_bits = 1;
      smallest.slot_bits = smallest.reply_bits();
      scheme->generate_keys(smallest, stream);
    }
    fmt::print("{}: keys of {} agents ({} {})\n", method.name, experiment.agents(), exchange.scheme,
               keys.key_bits);
  }
  fmt::print("kept in {}\n", path);
  return done;
}

void add_keys(const CommandLine& program) {
  const CommandLine keys = program.add_command("keys", "Paillier keys: generate, inspect, cache");

  auto made = std::make_shared<GenerateOptions>();
  const CommandLine generating =
      keys.add_command("generate", "a new key, from the system's entropy unless a seed is given");
  generating.add_option("--kind", &made->kind, "standard, djn or subgroup",
                        {.allowed = words_of<PaillierKind>()});
  generating.add_option("--bits", &made->bits, "an even number from 64 to 16384",
                        {.limits = Limits{64, 16384}});
  generating.add_option("--seed", &made->seed, "for simulation: the same key every time");
  generating.add_option("--out", &made->out, "the private key's file, readable by you alone",
                        {.required = true});
  generating.add_option("--public", &made->public_out, "the public key's file");
  generating.set_action([made] { return generate(*made); });

  auto looked = std::make_shared<InspectOptions>();
  const CommandLine inspecting = keys.add_command("inspect", "what a key file holds; checks it");
  inspecting.add_option("FILE", &looked->file, "a private or public key");
  inspecting.add_option("--json", &looked->json, "n, g and hs as decimal numbers");
  inspecting.add_option("--secret", &looked->secret, "with --json: p, q, lambda and mu too",
                        {.needs = "--json"});
  inspecting.set_action([looked] { return inspect(*looked); });

  auto scenario = std::make_shared<ScenarioOptions>();
  const CommandLine caching = keys.add_command(
      "cache", "make the keys that a scenario derives from its seed, and keep them for its runs");
  scenario->add_to(caching);
  caching.set_action([scenario] { return cache(*scenario); });
}

const CommandRegistration keys_command({70, add_keys});

}  // namespace

}  // namespace sotto
