// SPDX-License-Identifier: MIT
// Sotto's side of an exchange with another Paillier (exchange.mjs).
//   paillier_interop make FILE            a standard key, ciphertexts, answers to them
//   paillier_interop check FILE ANSWER    what the other made of them
//   paillier_interop read FILE            a key and ciphertexts of the other's making
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "crypto/paillier/cryptosystem.h"
#include "crypto/paillier/numbers.h"

using namespace sotto;
using Json = nlohmann::json;

namespace {

int failures = 0;

void check(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  fmt::print("FAILED: {}\n", what);
}

mpz_class number(const Json& j) {
  return mpz_class(j.get<std::string>());
}

Numbers numbers(const Json& list) {
  Numbers all;
  for (const Json& j : list) all.push_back(number(j));
  return all;
}

Json texts(const Numbers& list) {
  Json all = Json::array();
  for (const mpz_class& x : list) all.push_back(x.get_str());
  return all;
}

/// Both sides' plaintexts, modulo n.
Numbers modulo(Numbers list, const mpz_class& n) {
  for (mpz_class& x : list) mpz_mod(x.get_mpz_t(), x.get_mpz_t(), n.get_mpz_t());
  return list;
}

Json read(const char* file) {
  std::ifstream in(file);
  return Json::parse(in);
}

const Numbers sent{0, 1, -1, 123456789, -987654321};

void make(const char* file) {
  RandomStream random({1, 0, 0, "interop"});
  const PaillierPrivateKey key = generate_paillier_key(PaillierKind::standard, 1024, random);
  const PaillierSecret secret(key, 0);
  const PaillierPublic anybody(key.shared, 0);
  const mpz_class p = key.p - 1;
  const mpz_class q = key.q - 1;
  mpz_class lambda;
  mpz_lcm(lambda.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
  const Numbers c = secret.encrypt(sent, random);
  const Json j{{"n", key.shared.n.get_str()},
               {"g", mpz_class(key.shared.n + 1).get_str()},
               {"p", key.p.get_str()},
               {"q", key.q.get_str()},
               {"lambda", lambda.get_str()},
               {"mu", inverse(lambda, key.shared.n).get_str()},
               {"ciphertexts", texts(c)},
               {"replies", texts(anybody.respond(c, Numbers{1000}, Numbers{5, 4, 3, 2, 1}, random))}};
  std::ofstream(file) << j.dump(1);
}

void check_answer(const char* file, const char* answer_file) {
  const Json mine = read(file);
  const Json answer = read(answer_file);
  const PaillierPrivateKey key = PaillierPrivateKey::from_primes(number(mine["p"]), number(mine["q"]));
  const PaillierSecret secret(key, 0);
  const mpz_class& n = key.shared.n;
  check(numbers(answer["decrypted"]) == modulo(sent, n), "the other decrypts what we encrypted");
  check(numbers(answer["replies"]) ==
            modulo(Numbers{5, 1004, -997, 123456789002, mpz_class("-987654320999")}, n),
        "the other decrypts what we answered");
  mpz_class sum = 0;
  Numbers scaled;
  for (const mpz_class& m : sent) {
    sum += m;
    scaled.emplace_back(65537 * m);
  }
  check(secret.decrypt(Numbers{number(answer["sum"])}) == Numbers{sum},
        "we decrypt the other's sum of our ciphertexts");
  check(secret.decrypt(numbers(answer["scaled"])) == scaled,
        "we decrypt the other's multiples of our ciphertexts");
  check(modulo(secret.decrypt(numbers(answer["encrypted"])), n) == numbers(answer["plaintexts"]),
        "we decrypt what the other encrypted under our key");
}

void read_theirs(const char* file) {
  const Json theirs = read(file);
  const PaillierPrivateKey key = PaillierPrivateKey::from_primes(number(theirs["p"]), number(theirs["q"]));
  check(PaillierPublicKey::from_numbers(number(theirs["n"]), number(theirs["g"])) == key.shared,
        "the other's public key");
  const PaillierSecret secret(key, 0);
  const mpz_class& n = key.shared.n;
  const Numbers m = numbers(theirs["plaintexts"]);
  const Numbers c = numbers(theirs["ciphertexts"]);
  check(modulo(secret.decrypt(c), n) == m, "we decrypt with the other's key");
  check(modulo(secret.decrypt(Numbers{number(theirs["sum"]), number(theirs["scaled"])}), n) ==
            modulo(Numbers{m[1] + m[2] + m[4], 1000003 * m[5]}, n),
        "we decrypt the other's sums and multiples");
  RandomStream random({2, 0, 0, "interop"});
  const PaillierPublic anybody(key.shared, 0);
  const Numbers replies = anybody.respond(c, Numbers{77}, m, random);
  Numbers expected;
  for (const mpz_class& x : m) expected.emplace_back(78 * x);
  check(modulo(secret.decrypt(replies), n) == modulo(expected, n), "we answer the other's ciphertexts");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "make" && argc == 3)
    make(argv[2]);
  else if (command == "check" && argc == 4)
    check_answer(argv[2], argv[3]);
  else if (command == "read" && argc == 3)
    read_theirs(argv[2]);
  else
    check(false, "usage: make FILE | check FILE ANSWER | read FILE");
  return failures == 0 ? 0 : 1;
}
