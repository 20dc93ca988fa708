// SPDX-License-Identifier: MIT
// PPDNMF's only communication (the paper's algorithm 1, lines 8-15):
//
//     D_i = sum_{j in N_i} g_ij g_ji (U_j - U_i)
//
// where g_ij is known to i alone and g_ji to j alone. In integers, so that it can be encrypted, and so that the plain run is
// the oracle of every encrypted one: I = rint(N_max U), G = round(2^penalty_bits g), and
//
//     i -> j   Enc_i(-I_i)                           one vector for all neighbors                           (lines 8, 9)
//     j -> i   Enc_i(F (I_j - I_i) + t + M)          = respond(request, F, F I_j + t, M)                    (lines 11, 12)
//     D_i = sum_j W Dec_i(reply_j) / (N_max 2^(2 penalty_bits))                                             (lines 13-15)
//
// exact in 128 bits and rounded once. What F, the dither t, the mask M and i's weight W are, and what a semi-honest i learns
// of its neighbors under any scheme:
//
//   published          F = G_ji, drawn anew each round, uniform in (previous, g_j]; no t, no M; W = G_ij.
//                      All entries share ONE factor: the greatest common divisor of a reply IS the factor, so i reads U_j.
//   per-entry          F = F_ji,e, one per entry and edge, drawn once from (1/2, 1] g_j; t uniform in [-F/2, F/2), fresh; no
//                      M; W = F_ij,e. i knows each entry of U_j - U_i up to its factor and the dither.
//   neighborhood-sum   F = G_j, one per agent, drawn once from (1/2, 1] g_j, used toward all; t uniform in [-G_j/2, G_j/2),
//                      fresh; M: masks of i's neighbors, which cancel in the sum; W = G_i. i reads the sum over its
//                      neighbors and nothing else. Colluders read whatever their sums combine to: i with all its neighbors
//                      but one read that one, and so do two agents whose neighborhoods differ by one agent, because G_j is
//                      the same toward both. Needs two neighbors everywhere.
//
// The dither is not optional: without it the gcd over rounds of one entry is its factor, and lattice reduction on a round's
// entries finds the span of all U_j - U_i. It comes from j's own stream, so the plain run still matches.
// Masks: i's neighbors agree on keys by twos (X25519); i relays their public keys, and is trusted to relay what it got.
// With `factors_in_clear` (variant = "published", whose eq. (9) needs rho_i) j also sends its next G_ji in clear.
//
// The stop flag rides on both messages. Threading: belongs to its agent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/figure.h"
#include "base/fixed_point.h"
#include "core/protocols/exchange_options.h"
#include "core/protocols/stop_flag.h"
#include "crypto/additive_scheme.h"
#include "crypto/key_agreement.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

/// What an agent's part in the exchange came to so far.
struct ExchangeFigures {
  std::uint64_t ciphertexts = 0;  ///< made: requests once, however many they go to, and replies
  std::uint64_t bytes = 0;        ///< of requests and replies, on the wire
  std::uint64_t plain_bytes = 0;  ///< of the same messages unencrypted
  std::uint64_t table_bytes = 0;  ///< of the powers that this agent keeps: its own key's and its neighbors'

  void count(Counters& counters) const;
};
/// What exchanges cost, over all agents.
std::span<const CounterFigure> exchange_figures();

class NeighborExchange {
 public:
  struct Bounds {
    double own = 0;       ///< g_i: what this agent's factors grow toward
    double everyone = 0;  ///< G: a public bound on every g
  };

  /// Derives this agent's keys from its own stream: the same after a restart, unless it is the system's. CryptoError if
  /// the integers of the exchange cannot fit.
  NeighborExchange(Agent& me, std::shared_ptr<const AdditiveScheme> scheme, const ExchangeOptions& settings,
                   Bounds bounds, std::size_t entries, bool factors_in_clear);

  /// Before the first round: public keys (and first factors in clear) to the neighbors.
  Task<void> open();
  /// One round: D_i. Raises `flag` if a neighbor's message carried one.
  Task<Matrix> round(const Matrix& U, StopFlag& flag);
  /// c_i in the integers of the exchange: never below rho_i. d_i g_i G, with the factor itself for g_i where it is fixed.
  double proximal_weight() const;
  /// rho_i = sum_j g_ij g_ji of the coming round; only with factors in clear.
  double rho() const;

  /// The part of a boundary state that belongs to the exchange.
  void save(Writer& w) const;
  void load(Reader& r);

  const ExchangeFigures& figures() const { return figures_; }
  /// What an agent's keys come from: the same in every trial and method, unless it is the system.
  static RandomStream key_stream(const Agent& me) { return me.lasting_secret_random("exchange keys"); }
  static std::vector<std::string> labels(const AdditiveScheme& scheme, const ExchangeOptions& settings,
                                         bool factors_in_clear);

 private:
  /// What this agent knows of a neighbor.
  struct Peer {
    Bytes key;                         // the scheme's public key
    int slot_bits = 0;                 // that it announced
    std::optional<std::size_t> place;  // in its shared replies
    AgreementKey agreement{};
    std::vector<AgreementKey> others;  // the peer's other neighbors'
    std::unique_ptr<Responder> responder;
    std::vector<RandomStream> masks;  // one shared with each of them
    std::vector<bool> subtract;

    /// Slot bits and place as one word: of an announcement, of a saved state.
    std::uint32_t announced() const;
    void hear(std::uint32_t word);
  };

  bool masked() const { return privacy_ == ExchangePrivacy::neighborhood_sum; }
  bool announces() const { return masked() || !owner_->public_key().empty(); }
  std::uint32_t announcement(std::size_t k) const;
  void draw_factors();
  void draw_lasting_factors();
  Task<void> relay_agreement_keys();
  void send_request(const std::vector<std::int64_t>& I, const StopFlag& flag);
  void answer(std::size_t k, const Bytes& message, const std::vector<std::int64_t>& I, StopFlag& flag);
  std::vector<Int128> addend_for(std::size_t k, const std::vector<std::int64_t>& I);
  void prepare_peers();
  void count_message(std::size_t payload, std::size_t word_bits);
  std::int64_t as_integer(double g) const;

  Agent& me_;
  Bounds bounds_;
  ExchangePrivacy privacy_;
  FixedPoint grid_;
  int penalty_bits_;
  bool factors_in_clear_;
  std::shared_ptr<const AdditiveScheme> scheme_;
  ExchangeRange range_;
  std::unique_ptr<KeyOwner> owner_;
  std::optional<KeyAgreement> agreement_;  // neighborhood-sum
  RandomStream factor_stream_;
  RandomStream dither_stream_;
  RandomStream cipher_stream_;

  std::vector<Peer> peers_;                         // by neighbor; empty before open()
  std::vector<double> g_;                           // published: g_ij of the last draw, by neighbor
  std::vector<std::vector<std::int64_t>> F_;        // factors in force, by neighbor: one, or one per entry
  std::vector<std::int64_t> next_G_, peer_next_G_;  // with factors in clear: announced for the coming round
  std::uint64_t rounds_ = 0;
  ExchangeFigures figures_;
};

}  // namespace sotto
