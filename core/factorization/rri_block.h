// What the updates of RRI-NMF have in common: one number's minimum with all others fixed.
#pragma once

namespace sotto {

/// argmin_{x >= 0} 1/2 curvature x^2 - pull x; where the curvature is not positive, over 0 <= x <= 1 (the smaller at a tie).
inline double block_minimum(double pull, double curvature) {
  if (curvature > 0) return pull > 0 ? pull / curvature : 0;
  return 0.5 * curvature - pull < 0 ? 1 : 0;
}

}  // namespace sotto
