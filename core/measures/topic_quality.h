// SPDX-License-Identifier: MIT
// How good topics are, beyond the error of the factorization. T is features x topics; documents are columns of `documents`.
//
//   UMass coherence   mean over pairs of top terms, a ranked above b, of log((D(a, b) + 1) / D(a)), D: documents with both, or
//                     with a (Mimno et al. 2011)
//   NPMI coherence    mean over pairs of log(p(a, b) / (p(a) p(b))) / -log p(a, b), p: shares of documents; -1 for a pair
//                     that never meets, so between -1 and 1
//   perplexity        exp(-sum_mj E_mj log p_j / |E|_1) with p_j the mean over training documents of (W T)_j, rows of W and
//                     T brought to sum to 1 (Tsikhanovich's thesis, figure 1.12). A word that no topic has would make it infinite, so
//                     p is mixed with 1e-4 of the uniform distribution.
//                     Documents that no topic explains at all have no distribution and are left out of the mean.
#pragma once

#include <vector>

#include "core/data/samples.h"

namespace sotto {

/// The largest entries of a topic, largest first; entries that are zero are none. Ties go to the smaller number.
std::vector<std::vector<Index>> top_terms(const Matrix& T, std::size_t count);

struct Coherence {
  double umass;
  double npmi;
};
/// Over all topics that have two terms or more; no numbers where none has.
Coherence coherence(const std::vector<std::vector<Index>>& terms, const Samples& documents);

/// `weights`: topics x training documents.
double perplexity(const Matrix& T, const Matrix& weights, const Samples& unseen);

}  // namespace sotto
