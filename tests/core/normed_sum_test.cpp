#include <doctest/doctest.h>

#include "tests/support/normed_sums.h"

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

}  // namespace

TEST_CASE("outputs are within the error bound for every f, number of parties and length") {
  RandomStream random({3, 0, 0, "vectors"});
  constexpr int norm_bound = 10;
  std::size_t vectors = 0;
  for (const int f : {10, 20, 31})
    for (std::size_t parties = 2; parties <= 8; ++parties)
      for (const Index d : {1, 10, 1000}) {
        const Index columns = d == 1000 ? 40 : 250;
        const auto x = parts_of(random, parties, d, columns, [&] { return std::exp2(-norm_bound * random.uniform()); });
        const Normalized n = normalized({.shape = "path", .parties = parties, .output_bits = f}, x);
        CAPTURE(f);
        CAPTURE(parties);
        CAPTURE(d);
        CHECK(worst_error(n, n.out[0][0]) <= n.facts.plan.error_bound());
        CHECK(n.facts.plan.vector_bits == (f == 31 ? 192 : 128));
        for (const Matrix& other : n.out[0]) CHECK(other == n.out[0][0]);
        vectors += static_cast<std::size_t>(columns);
      }
  CHECK(vectors >= 10'000);
}

TEST_CASE("the same without a dealer") {
  RandomStream random({4, 0, 0, "vectors"});
  for (const std::size_t parties : {2, 3}) {
    const auto x = parts_of(random, parties, 3, 1, [&] { return 0.01; });
    const Normalized n = normalized({.shape = "complete", .parties = parties, .offline = "paillier"}, x);
    CHECK(worst_error(n, n.out[0][0]) <= n.facts.plan.error_bound());
    CHECK(n.offline[0].bytes > 0);
  }
}
