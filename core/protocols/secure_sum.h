// SPDX-License-Identifier: MIT
// SECSUM: everybody learns the sum of all parties' vectors (Tsikhanovich et al. 2019, section 2.1 and appendix C). Numbers are fixed point
// modulo 2^64 or 2^128 (secret_sharing.h), the sum is exact, and every party decodes the same doubles.
// Adversary: semi-honest, parties may collude as said below. Whatever the protocol, a coalition learns the sum over the
// others: that is the sum minus its own. What it learns beyond that:
//
//   edge-masks      Neighbors i < j share a key k_ij (X25519); in call c
//                       y_i = x_i + sum_{j > i} F_kij(c) - sum_{j < i} F_kij(c),     j over the neighbors of i
//                   goes up a breadth-first tree, added on the way, and the total goes down it: the masks cancel.
//                   A coalition C learns the sums over the connected components of G - C, exactly, and nothing else. With
//                   vertex connectivity kappa any kappa - 1 colluders leave one component: nothing beyond the sum. A single
//                   cut vertex reads the parts on its sides, so graphs that have one are refused.
//   shares          The same masks between ALL pairs, adjacent or not, and every party sends its y_i to every other: the
//                   paper's sum-shares (a pair's two share streams F_kmi - F_kim are one stream here, with a sign: the same
//                   distribution). Keys and sums of parties that are no neighbors go hop by hop, sums sealed end to end
//                   (sealed_message.h). Any coalition of up to M - 2 learns nothing beyond the sum.
//   paillier-tree   One party holds a Paillier key. Ciphertexts go up a tree in which it is a leaf, each party multiplies those
//                   of its children, adds its own number and makes the product random again; the root, a neighbor of the
//                   key holder, forwards the total alone to it; the key holder decrypts, and the sum goes down.
//                   Nobody learns anything beyond the sum while the key holder colludes with nobody. With it, a coalition
//                   reads every ciphertext that its members received: sums over subtrees.
//
// Calls are numbered, and a call's masks are used for nothing else. A run that is started again from a saved boundary makes the
// same calls with the same numbers, and so sends the same messages again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "core/protocols/open.h"
#include "core/protocols/spanning_tree.h"
#include "core/protocols/sum_options.h"
#include "crypto/additive_scheme.h"
#include "crypto/key_agreement.h"
#include "crypto/prg.h"
#include "crypto/sealed_message.h"
#include "crypto/secret_sharing.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"
#include "network/topology/topology.h"

namespace sotto {

/// What all parties know of the graph and agree on before the first sum.
struct SumPlan {
  SumKind kind = SumKind::edge_masks;
  std::size_t parties = 1;
  AgentId root = 0;                   ///< of the tree
  std::uint64_t depth = 0;            ///< of the tree
  std::optional<AgentId> key_holder;  ///< paillier-tree
  std::optional<std::size_t> connectivity;

  /// The root is an agent in the middle. paillier-tree: the key holder is the last agent that the others stay connected
  /// without, the root its first neighbor. RunError for edge-masks on a graph with cut vertices, naming them.
  static SumPlan make(SumKind kind, const Topology& topology);
  /// The RunError alone.
  static void check(SumKind kind, const Topology& topology);
  /// What a coalition would learn on this graph, in words.
  std::string what_colluders_learn() const;
};

/// What secure sums cost, over all agents.
std::span<const CounterFigure> secure_sum_figures();
/// A label where sums came out right to few digits.
std::vector<std::string> coarse_labels(const Counters& counters);

class SecureSum {
 public:
  /// `scheme`: for paillier-tree, else null.
  SecureSum(Agent& me, const SecureSumOptions& options, const SumPlan& plan,
            std::shared_ptr<const AdditiveScheme> scheme);

  /// Before the first sum: keys and the tree.
  Task<void> open();
  /// The sum over all parties, who all call with as many numbers. CryptoError if one is out of range: nothing is sent then.
  Task<Vector> sum(Vector own);

  /// The largest number that is so near to the grid's step that all parties' rounding may be 2^-20 of it.
  double coarse_below() const;
  /// A sum that should have been larger: told in the labels, because it is right only to few digits.
  void note_coarse() { ++figures_.coarse; }

  const SumFigures& figures() const { return figures_; }
  /// The part of a boundary state that belongs to the sums.
  void save(Writer& w) const;
  void load(Reader& r);

  /// `scheme`: for paillier-tree, else null.
  static std::vector<std::string> labels(const SecureSumOptions& options, const SumPlan& plan,
                                         const AdditiveScheme* scheme);

 private:
  struct Peer {
    Peer(AgentId who, bool is_neighbor) : id(who), neighbor(is_neighbor) {}

    AgentId id;
    bool neighbor;
    AgreementKey key{};
    std::optional<MaskGenerator> masks;
    std::optional<MessageSeal> outgoing, incoming;  // where it is no neighbor
  };

  Task<void> exchange_keys();
  Task<void> hear_public_key();
  void prepare_peers();
  template <class Word>
  Task<Vector> masked_sum(Vector own);
  template <class Word>
  Task<void> over_all(std::vector<Word>& y);
  Task<Vector> encrypted_sum(Vector own);
  ExchangeRange range(std::size_t entries) const;
  Responder& responder(std::size_t entries);
  KeyOwner& owner(std::size_t entries);

  Agent& me_;
  SumPlan plan_;
  int fraction_bits_;
  bool wide_;  // elements of 128 bits
  std::shared_ptr<const AdditiveScheme> scheme_;
  RandomStream cipher_stream_;
  StreamKey key_seed_;  // paillier-tree: what the holder's key comes from, whatever the length
  std::optional<KeyAgreement> agreement_;
  std::vector<Peer> peers_;  // whom masks are shared with, sorted
  TreePlace place_;
  Bytes public_key_;                                          // paillier-tree: the key holder's
  std::map<std::size_t, std::unique_ptr<KeyOwner>> owners_;   // by length
  std::map<std::size_t, std::unique_ptr<Responder>> others_;  // by length
  SumFigures figures_;
};

}  // namespace sotto
