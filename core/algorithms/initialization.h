// Where the factors start. With `random`, every agent draws the same X0 from a seed that all share.
#pragma once

#include "core/factorization/bcd.h"
#include "network/runtime/agent.h"

namespace sotto {

inline Factors start_factors(const AlgorithmSettings& settings, const Agent& me, const Samples& Z) {
  return Factors::initial(settings,
                          settings.initialization == "own-random" ? me.random("initialization")
                                                                  : me.shared_random("initialization"),
                          Z.rows(), Z.cols());
}

}  // namespace sotto
