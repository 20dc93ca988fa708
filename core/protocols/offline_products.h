// SPDX-License-Identifier: MIT
// The offline phase without a dealer: the parties draw their shares themselves and multiply them under their own keys, with any
// additively homomorphic scheme (crypto/additive_scheme.h): (sum_i x_i) (sum_j y_j) has the terms x_i y_j of ordered pairs, and
//     i -> j   Enc_i(x_i)                      one request for all others
//     j -> i   Enc_i(x_i y_j + mask)           `respond`: one operation, random again
//     i's share is what it decrypts, j's is - mask.
// Elements of 128 to 256 bits are cut into limbs of 32; a mask has 124 bits where a product of limbs has 63: each is hidden but for
// 2^-61, so that the some 10 d of a vector, over thousands of vectors, add up to less than 2^-25. Pairs that are no neighbors send
// through others, who see ciphertexts.
//
// Who learns what: nothing, as long as the scheme holds; all parties but one may collude: the honest one's shares and masks are
// its own. Every pair of parties puts a mask between its two shares of a product. Shares of what a party drew itself (masks, beta) are
// short; whatever is opened has a share in it that is uniform but for its sum.
//
// Cost per vector of d entries: three kinds of products,
//   a_j a_j        for the sum of squares: a factor for every entry; for Paillier a ciphertext each, ten limb products
//   beta a_j       one factor for all: packed
//   powers         of beta and rho, some hundred limb products, in three turns
// Tests: tests/core/protocols/normed_secure_sum_test.cpp
#pragma once

#include <memory>

#include "core/protocols/offline.h"
#include "crypto/additive_scheme.h"

namespace sotto {

template <class Vec>
std::unique_ptr<Offline<Vec>> make_product_offline(Agent& me, const NormedSumPlan& plan,
                                                   std::shared_ptr<const AdditiveScheme> scheme);

}  // namespace sotto
