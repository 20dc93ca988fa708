// SPDX-License-Identifier: MIT
// How good topics are, beyond the error of the factorization. T is features x topics; documents are columns of `documents`.
// Rows of W and T are brought to sum to 1 first (W takes what T loses), as distributions over topics and over words.
//
//   UMass coherence   log((D(a, b) + 1) / D(a)) for a pair of top terms, a ranked above b, D: documents with both, or with a
//                     (Mimno et al. 2011). Twice: the mean over pairs and topics, which does not grow with the number of terms;
//                     and the sum over a topic's pairs, topics weighted by their share of the training documents, the
//                     mean of W_it over i (Tsikhanovich's thesis, eqs. (1.27), (1.28))
//   NPMI coherence    mean over pairs of log(p(a, b) / (p(a) p(b))) / -log p(a, b), p: shares of documents; -1 for a pair
//                     that never meets, so between -1 and 1
//   perplexity        exp(-sum_mj E_mj log p_j / |E|_1) with p_j the mean over training documents of (W T)_j (Tsikhanovich's
//                     thesis, figure 1.12). One distribution for all unseen documents: nearly that of words in the training documents, whatever
//                     the topics, so that it says little about them.
//   completion perplexity   the same with a distribution for every unseen document: half of its distinct words fit its weights by
//                     nonnegative least squares, and the other half is scored under W T (document completion: Wallach et al. 2009)
// A word that no topic has would make a perplexity infinite, so every distribution of words is mixed with 1e-4 of the uniform
// distribution. Documents that no topic explains at all have no distribution: they are left out of means, and completed
// by the mean distribution.
#pragma once

#include <vector>

#include "core/data/samples.h"

namespace sotto {

/// The largest entries of a topic, largest first; entries that are zero are none. Ties go to the smaller number.
std::vector<std::vector<Index>> top_terms(const Matrix& T, std::size_t count);

/// Every topic's share of the training documents: adds up to 1, or all 0 where no topic explains anything. `weights`: topics x
/// training documents.
Vector topic_shares(const Matrix& T, const Matrix& weights);

struct Coherence {
  double umass;
  double umass_weighted;  ///< sums over pairs, topics weighted by their shares
  double npmi;
};
/// Means are over topics that have two terms or more; a topic with fewer adds 0 to the weighted sum. No numbers where no topic
/// has two.
Coherence coherence(const std::vector<std::vector<Index>>& terms, const Samples& documents,
                    const Vector& shares);

/// `shares`: topic_shares().
double perplexity(const Matrix& T, const Vector& shares, const Samples& unseen);

/// Unseen documents cut in two by their distinct words, the larger half to be given. Which words go where depends on a
/// document's place among them and on nothing else.
struct DocumentHalves {
  Samples given;
  Samples scored;
};
DocumentHalves document_halves(const Samples& unseen);

/// Not a number where there is nothing to score: documents of one word have no second half.
double completion_perplexity(const Matrix& T, const Vector& shares, const Samples& unseen);

}  // namespace sotto
