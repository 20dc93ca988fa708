// SPDX-License-Identifier: MIT
// Normalized secure sums: right to the error bound, by every offline phase; and each of its guards.
#include <doctest/doctest.h>

#include <numeric>

#include "crypto/ring.h"
#include "tests/support/normed_sums.h"
#include "tests/support/repetitions.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// The worst distance of an entry from s_j / |s|, in units of 2^-f.
double worst_error(const Normalized& n, const Matrix& out) {
  const Matrix s = n.sum();
  double worst = 0;
  for (Index c = 0; c < s.cols(); ++c)
    worst = std::max(worst, (out.col(c) - s.col(c).normalized()).cwiseAbs().maxCoeff());
  return std::ldexp(worst, n.facts.plan.output_bits);
}

std::vector<Matrix> parts(std::uint64_t seed, std::size_t parties, Index entries, double norm,
                          Index columns = 1) {
  RandomStream random({seed, 0, 0, "vectors"});
  return parts_of(random, parties, entries, columns, [&] { return norm; });
}

/// What was opened in a call, by opening, as an agent that is not the root heard it.
std::vector<Bytes> openings(const Normalized& n, std::size_t call) {
  std::vector<Bytes> all;
  for (const auto& heard : n.run.transcript) {
    all.clear();
    for (const Message& m : heard)
      if (m.tag == tags::sum_down) all.push_back(m.bytes);
    if (!all.empty()) break;
  }
  const std::size_t each = n.facts.plan.rounds();
  REQUIRE(all.size() >= (call + 1) * each);
  return {all.begin() + static_cast<std::ptrdiff_t>(call * each),
          all.begin() + static_cast<std::ptrdiff_t>((call + 1) * each)};
}

Int128 magnitude(Int128 x) {
  return x < 0 ? -x : x;
}

Int128 common_divisor(const std::vector<Int128>& numbers) {
  Int128 divisor = 0;
  for (Int128 x : numbers) {
    x = magnitude(x);
    while (x != 0) {
      const Int128 rest = divisor % x;
      divisor = x;
      x = rest;
    }
  }
  return divisor;
}

std::vector<Int128> signed_numbers(const Bytes& opened) {
  std::vector<Int128> numbers;
  for (const Ring128 x : read_elements<Ring128>(opened, opened.size() / sizeof(Ring128)))
    numbers.push_back(static_cast<Int128>(x));
  return numbers;
}

/// Of two histograms.
double chi_square(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] + b[k] > 0) sum += (a[k] - b[k]) * (a[k] - b[k]) / (a[k] + b[k]);
  return sum;
}

}  // namespace

TEST_CASE("outputs are within the error bound for every f, number of parties and length") {
  RandomStream random({3, 0, 0, "vectors"});
  constexpr int norm_bound = 10;
  std::size_t vectors = 0;
  double tightest = 0;
  for (const int f : {10, 20, 31})
    for (std::size_t parties = 2; parties <= 8; ++parties)
      for (const Index d : {1, 10, 1000}) {
        const Index columns = d == 1000 ? repetitions<Index>(40, 4) : repetitions<Index>(250, 25);
        const auto x =
            parts_of(random, parties, d, columns, [&] { return std::exp2(-norm_bound * random.uniform()); });
        const Normalized n = normalized({.shape = "path", .parties = parties, .output_bits = f}, x);
        CAPTURE(f);
        CAPTURE(parties);
        CAPTURE(d);
        CHECK(worst_error(n, n.out[0][0]) <= n.facts.plan.error_bound());
        CHECK(n.facts.plan.vector_bits == (f == 31 ? 192 : 128));
        for (const Matrix& other : n.out[0]) CHECK(other == n.out[0][0]);
        vectors += static_cast<std::size_t>(columns);
        tightest = std::max(tightest, worst_error(n, n.out[0][0]) / n.facts.plan.error_bound());
      }
  CHECK(vectors >= repetitions<std::size_t>(10'000, 1'000));
  CHECK(tightest > 0.8);  // the bound is no larger than it must be
}

TEST_CASE("without a dealer: products of shares under Paillier and BFV give the same sums") {
  for (const char* offline : {"paillier", "bfv"}) {
    if (std::string_view(offline) == "bfv" && seal_engines().empty()) {
      MESSAGE("skipped: neither native SEAL nor Node.js with node-seal is here");
      continue;
    }
    const bool all_pairs = repetitions(true, false);  // or one f for each
    for (const int f : {20, 31})
      for (const std::size_t parties : {1, 2, 3}) {
        if (f == 31 && parties == 3) continue;
        if ((f == 31) != (std::string_view(offline) == "paillier") && !all_pairs) continue;
        const Normalized n = normalized(
            {.shape = "path", .parties = parties, .output_bits = f, .norm_bound_bits = 6, .offline = offline},
            parts(parties, parties, 3, 0.05));
        CAPTURE(offline);
        CAPTURE(parties);
        CHECK(worst_error(n, n.out[0][0]) <= n.facts.plan.error_bound());
        CHECK((n.offline[0].bytes > 0) == (parties > 1));
        CHECK(n.facts.roles().empty());
      }
  }
}

TEST_CASE("what is sent: 2 d + I + 1 elements a party, I + 3 openings; the dealer deals to one party") {
  const Normalized n = normalized({.shape = "star", .parties = 4, .transcript = true}, parts(1, 4, 50, 0.5));
  const NormedSumPlan& plan = n.facts.plan;
  for (AgentId leaf = 1; leaf < 4; ++leaf) {
    CHECK(n.figures[leaf].messages == plan.rounds());
    CHECK(n.figures[leaf].elements == 2 * 50 + plan.steps.size() + 1);
  }
  CHECK(n.figures[0].rounds == 2 * plan.rounds());
  CHECK(plan.rounds() == plan.steps.size() + 3);
  // a seed each, and shares for agent 0
  for (AgentId m = 0; m < 4; ++m) {
    std::size_t from_dealer = 0;
    for (const Message& message : n.run.transcript[m])
      if (message.from == 4) from_dealer += message.bytes.size();
    CHECK(from_dealer == (m == 0 ? 32 + n.offline[0].bytes : 32));
  }
  std::size_t to_dealer = 0;
  for (const Message& message : n.run.transcript[4]) to_dealer += message.bytes.size();
  CHECK(to_dealer == 3 * 17);  // a wish each for seeds, shares and the end: no data
}

TEST_CASE("guard: products are dithered before they are opened, or their greatest common divisor is y") {
  const Normalized n = normalized({.parties = 2, .transcript = true}, parts(5, 2, 30, 0.2));
  const NormedSumPlan& plan = n.facts.plan;
  CHECK(common_divisor(signed_numbers(openings(n, 0).back())) < 1000);
  // what would be opened without: S_j Y
  const Vector s = n.sum().col(0);
  const auto Y = static_cast<Int128>(std::llrint(std::ldexp(1 / s.norm(), plan.inverse_bits)));
  std::vector<Int128> exact;
  for (const double v : s) exact.push_back(Y * std::llrint(std::ldexp(v, plan.input_bits)));
  CHECK(common_divisor(exact) % Y == 0);
}

TEST_CASE("guard: the residual of y is far below what the output's norm could show") {
  for (const double norm : {0.785, 0.3}) {  // 2^10 / |s| as far from a whole number as can be
    const auto calls = repetitions<std::size_t>(2000, 200);
    const Normalized n =
        normalized({.parties = 2, .output_bits = 10, .calls = calls}, parts(6, 2, 1000, norm));
    const Vector u = n.sum().col(0).normalized();
    // <out, u> - 1 in units of 2^-f: two dithers and a rounding, and nothing of y, neither on average nor in how it varies
    double shift = 0;
    double square = 0;
    for (const auto& call : n.out) {
      const double off = std::ldexp(call[0].col(0).dot(u) - 1, 10);
      shift += off / static_cast<double>(calls);
      square += off * off / static_cast<double>(calls);
    }
    const double variance = 3.0 / 12;
    CHECK(std::abs(shift) < 4 * std::sqrt(variance / static_cast<double>(calls)));
    CHECK(std::abs(square / variance - 1) < 4 * std::sqrt(2.0 / static_cast<double>(calls)));
  }
}

TEST_CASE("guard: a sum outside its range ends the run, and says that it leaked") {
  const auto refused = [](const std::vector<Matrix>& x, const char* why) {
    CHECK_THROWS_WITH_AS(normalized({.parties = x.size()}, x), doctest::Contains(why), RunError);
  };
  refused(parts(7, 3, 20, 0.5 * std::exp2(-12)), "below 2^-10");
  refused(std::vector<Matrix>(3, Matrix::Zero(20, 1)), "below 2^-10");
  // sums above 1 come out right: without headroom Newton's iteration ends at - s / |s| for some
  for (const double norm : {1.0005, 1.05, 1.16, 2.0, 2.999}) {
    const Normalized n =
        normalized({.parties = 3}, std::vector<Matrix>(3, Matrix::Constant(16, 1, 0.25 * norm / 3)));
    CHECK(worst_error(n, n.out[0][0]) <= n.facts.plan.error_bound());
  }
  CHECK_NOTHROW(normalized({.parties = 3}, parts(7, 3, 20, 1.001 * std::exp2(-10))));
  // noise lengthens the output: no excuse for a sum that is too short
  refused(parts(7, 3, 20, 0.5 * std::exp2(-12)), "below 2^-10");
  const auto noisy = [](double norm) {
    return normalized({.parties = 8, .output_bits = 6, .norm_bound_bits = 4}, parts(9, 8, 400, norm));
  };
  CHECK_NOTHROW(noisy(0.5));
  CHECK_THROWS_AS(noisy(0.05 * std::exp2(-4)), RunError);
  CHECK_THROWS_WITH_AS(
      normalized({.parties = 8, .output_bits = 6, .norm_bound_bits = 4}, parts(9, 8, 4000, 0.5)),
      doctest::Contains("raise secure_sum.output_bits"), CryptoError);
  const auto calls = repetitions<std::size_t>(50, 5);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U})  // honest ones never do
    CHECK_NOTHROW(normalized({.parties = 8, .output_bits = 10, .seed = seed, .calls = calls},
                             parts(seed, 8, 500, 0.99)));
}

TEST_CASE("an own vector out of range, or no number, is refused before anything is sent") {
  std::vector<Matrix> x(2, Matrix::Constant(4, 1, 0.1));
  x[1](2, 0) = 1.5;
  CHECK_THROWS_WITH_AS(normalized({.parties = 2}, x), doctest::Contains("agent 1: vector 0"), CryptoError);
  x[1](2, 0) = std::nan("");
  CHECK_THROWS_WITH_AS(normalized({.parties = 2}, x), doctest::Contains("algorithm.norm_bound"), CryptoError);
  CHECK_THROWS_WITH_AS(normalized({.parties = 2}, std::vector<Matrix>(2, Matrix(0, 1))),
                       doctest::Contains("without entries"), CryptoError);
}

TEST_CASE("guard: inputs have so many bits that |S| u_j is an integer for no better reason than chance") {
  // mean of cos(2 pi N u_j) at N = |S|: near 1 where all of them are nearly integers
  const auto periodic = [](const Vector& u, double N) {
    double sum = 0;
    for (const double v : u) sum += std::cos(2 * M_PI * N * v);
    return sum / static_cast<double>(u.size());
  };
  const Index d = 400;
  const Normalized n =
      normalized({.parties = 2, .output_bits = 10, .norm_bound_bits = 4}, parts(8, 2, d, 0.07));
  const auto on_grid = [&](int bits) {
    Vector S = Vector::Zero(d);
    for (const Matrix& part : n.x)
      for (Index j = 0; j < d; ++j) S[j] += std::rint(std::ldexp(part(j, 0), bits));
    return S;
  };
  const double by_chance = 5 / std::sqrt(2.0 * d);
  CHECK(std::abs(periodic(n.out[0][0].col(0), on_grid(n.facts.plan.input_bits).norm())) < by_chance);
  // inputs of f bits, and outputs of f bits
  const Vector S = on_grid(10);
  CHECK(periodic((S.normalized() * 1024).array().round() / 1024, S.norm()) > 0.9);
}

TEST_CASE("blind and open leaks: two openings of r |s|^2 have |s|^2 in common") {
  RandomStream random({9, 0, 0, "blinds"});
  int found = 0;
  for (int k = 0; k < 100; ++k) {
    const Int128 square = static_cast<Int128>(random.next() >> 4);
    const std::vector<Int128> opened{square * static_cast<Int128>(random.next() >> 6),
                                     square * static_cast<Int128>(random.next() >> 6)};
    found += common_divisor(opened) == square ? 1 : 0;
  }
  CHECK(found > 40);  // 6 / pi^2 of them to the last bit; the rest up to a small factor
}

TEST_CASE("what is opened has the same distribution whatever the norm of the sum") {
  constexpr std::size_t bins = 16;
  const auto calls = repetitions<std::size_t>(600, 200);
  // by opening: where the opened number lies in its mask's range
  const auto histograms = [&](double norm, std::uint64_t seed) {
    auto x = parts(10, 3, 4, 0.9);
    for (Matrix& part : x) part *= norm;
    const Normalized n =
        normalized({.shape = "path", .parties = 3, .seed = seed, .calls = calls, .transcript = true}, x);
    const NormedSumPlan& plan = n.facts.plan;
    std::vector<std::vector<double>> counts(plan.rounds() - 1, std::vector<double>(bins, 0.0));
    for (std::size_t call = 0; call < calls; ++call) {
      const auto opened = openings(n, call);
      for (const Ring128 e : read_elements<Ring128>(opened[0], 4))
        counts[0][static_cast<std::size_t>(e >> 124)] += 1;
      const auto square = read_elements<Ring128>(opened[1], 1)[0];
      const auto top = static_cast<std::size_t>(square >> (plan.square_mask_bits() - 4));
      counts[1][std::min(top, bins - 1)] += 1;
      for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto y = read_elements<Ring256>(opened[2 + i], 1)[0] >> (plan.inverse_mask_bits() - 4);
        counts[2 + i][std::min(static_cast<std::size_t>(static_cast<std::uint64_t>(y)), bins - 1)] += 1;
      }
    }
    return counts;
  };
  const auto large = histograms(1, 1);
  const auto small = histograms(std::exp2(-8), 2);
  for (std::size_t k = 0; k < large.size(); ++k) {
    CAPTURE(k);
    CHECK(chi_square(large[k], small[k]) < 50);  // 15 degrees of freedom: one in 10^5
    CHECK(*std::min_element(large[k].begin(), large[k].end()) > 0);
  }
}

TEST_CASE("guard: without a dealer a party's share of the first step is uniform, though its mask is short") {
  const Normalized n =
      normalized({.parties = 2, .offline = "paillier", .transcript = true}, parts(11, 2, 2, 0.3, 32));
  std::vector<Bytes> up;
  for (const auto& heard : n.run.transcript)
    for (const Message& m : heard)
      if (m.tag == tags::sum_up) up.push_back(m.bytes);
  REQUIRE(up.size() == n.facts.plan.rounds());
  for (const std::size_t opening : {1U, 2U, 3U}) {  // the square, the first and the second step
    std::vector<double> quarters(4, 0.0);
    const std::size_t word = up[opening].size() / 32;
    for (std::size_t c = 0; c < 32; ++c) quarters[up[opening][(c + 1) * word - 1] >> 6] += 1;
    for (const double count : quarters) CHECK(count >= 1);  // of 8: none is empty but once in 2,000
  }
}
