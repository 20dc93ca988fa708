// SPDX-License-Identifier: MIT
#include "core/factorization/simplex.h"

#include <algorithm>
#include <vector>

namespace sotto {

namespace {

/// Numbers that may lie above tau, and the tau at which max(y - tau, 0) over them sums to 1.
struct Candidates {
  std::vector<double> above;
  double tau = 0;

  void start(double y) {
    above.assign(1, y);
    tau = y - 1;
  }
  void add(double y) {
    above.push_back(y);
    tau += (y - tau) / static_cast<double>(above.size());
  }
  /// Drops what is not above tau, which rises with each, until nothing more falls.
  void settle() {
    for (std::size_t before = 0; before != above.size();) {
      before = above.size();
      std::size_t kept = 0;
      std::size_t left = above.size();
      for (const double y : above) {
        if (y > tau || left == 1) {
          above[kept++] = y;
        } else {
          --left;
          tau += (tau - y) / static_cast<double>(left);
        }
      }
      above.resize(kept);
    }
  }
};

}  // namespace

void project_onto_simplex(Vector& x) {
  Candidates candidates;
  std::vector<double> put_off;  // a much larger number came: they are looked at again with its tau
  candidates.start(x[0]);
  for (Index k = 1; k < x.size(); ++k) {
    const double y = x[k];
    if (y <= candidates.tau) continue;
    const double size = static_cast<double>(candidates.above.size());
    if (candidates.tau + (y - candidates.tau) / (size + 1) > y - 1) {
      candidates.add(y);
    } else {
      put_off.insert(put_off.end(), candidates.above.begin(), candidates.above.end());
      candidates.start(y);
    }
  }
  for (const double y : put_off)
    if (y > candidates.tau) candidates.add(y);
  candidates.settle();

  // tau was moved step by step: once more from its definition, sum_{above} (y - tau) = 1, about the largest number.
  const double top = *std::max_element(candidates.above.begin(), candidates.above.end());
  double sum = 0;
  for (const double y : candidates.above) sum += y - top;
  const double tau = (sum - 1) / static_cast<double>(candidates.above.size());
  x = (x.array() - top - tau).cwiseMax(0.0);
}

}  // namespace sotto
