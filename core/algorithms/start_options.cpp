// SPDX-License-Identifier: MIT
#include "core/algorithms/start_options.h"

#include <fmt/format.h>

namespace sotto {

Schema start_settings() {
  using Options = StartOptions;
  SchemaOf<Options> s("algorithm");
  s.word(&Options::initialization,
         "X0: uniform from a seed all share; each its own; the paper's ones (a saddle). RRI-NMF: random; "
         "random-2x: with twice the iterations; best-of-m: the best party's own topics; nndsvd: from all "
         "data in one place; pd-nmf-init: own topics merged by secure sums; pd-svd: nndsvd's from singular "
         "vectors that secure sums find");
  s.real("initialization_scale", &Options::scale, {0, 1e6, true}, "X0 is multiplied by it");
  return s.take();
}

std::string StartOptions::in_words() const {
  // random-2x: longer, from the same topics
  const Initialization from =
      initialization == Initialization::random_2x ? Initialization::random : initialization;
  return scale == 1 ? std::string(word_of(from)) : fmt::format("{} x {}", word_of(from), scale);
}

Matrix StartOptions::left_factor(const Agent& me, Index features, Index rank) const {
  if (initialization == Initialization::ones) return scale * Matrix::Ones(features, rank);
  RandomStream random = initialization == Initialization::own_random ? me.random("initialization")
                                                                     : me.shared_random("initialization");
  Matrix X(features, rank);
  for (Index k = 0; k < rank; ++k)
    for (Index l = 0; l < features; ++l) X(l, k) = random.uniform();
  return scale * X;
}

}  // namespace sotto
