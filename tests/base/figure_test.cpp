// SPDX-License-Identifier: MIT
#include "base/figure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

using namespace sotto;

namespace {

constexpr Figure a{"a", "s", "seconds", Better::lower, Scope::trace, "A", "{:.1f}", 1000};
constexpr Figure b{"b", "", "another", Better::higher, Scope::final};

}  // namespace

TEST_CASE("figures: values by name, saved and loaded; what is not there is no figure") {
  FigureValues values;
  values.set(a, 1.5);
  values.set(a, 2.5);
  CHECK(values.get(a) == 2.5);
  CHECK(std::isnan(values.get(b)));
  AgentFigures agents;
  agents.set(b, 2, 7);
  CHECK(agents.agents() == 3);
  CHECK(std::isnan(agents.get(b, 1)));
  Writer w;
  values.save(w);
  agents.save(w);
  const Bytes bytes = w.take();
  Reader r(bytes);
  CHECK(FigureValues::load(r).get("a") == 2.5);
  CHECK(AgentFigures::load(r).get(b, 2) == 7);
  r.finish();
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    Reader cut(part);
    CHECK_THROWS_AS((FigureValues::load(cut), AgentFigures::load(cut)), FormatError);
  }
}

TEST_CASE("figures: a cell of a table, empty without a value") {
  CHECK(shown(a, 0.0021) == "2.1");
  CHECK(shown(a, no_figure).empty());
}

TEST_CASE("counters: the sum or the largest over agents; a fold that is none is refused") {
  Counters one;
  one.add("messages", Fold::sum, 2);
  one.add("calls", Fold::largest, 5);
  Counters all;
  all.merge(one);
  all.merge(one);
  CHECK(all.get("messages") == 4);
  CHECK(all.get("calls") == 5);
  CHECK(std::isnan(all.get("bytes")));
  Writer w;
  all.save(w);
  Bytes bytes = w.take();
  Reader r(bytes);
  CHECK(Counters::load(r) == all);
  const std::string_view name = "messages";
  *(std::search(bytes.begin(), bytes.end(), name.begin(), name.end()) + 8) =
      9;  // the fold is behind the name
  Reader damaged(bytes);
  CHECK_THROWS_AS(Counters::load(damaged), FormatError);
}
