// PPDNMF's only communication (the paper's algorithm 1, lines 8-15):
//
//     D_i = sum_{j in N_i} g_ij g_ji (U_j - U_i)
//
// where g_ij is known to i alone and g_ji to j alone. In integers, so that it can be encrypted, and so that the plain run is
// the oracle of every encrypted one: I = rint(N_max U), G = round(2^penalty_bits g), and
//
//     i -> j   Enc_i(-I_i)                     one vector of ciphertexts for all neighbors          (lines 8, 9)
//     j -> i   Enc_i(G_ji (I_j - I_i))         = respond(request, G_ji, G_ji I_j)                   (lines 11, 12)
//     D_i = sum_j G_ij Dec_i(reply_j) / (N_max 2^(2 penalty_bits))                                  (lines 13-15)
//
// exact in 128 bits and rounded once.
// privacy = "published": g_ij is drawn anew in each round, uniform in (previous g_ij, g_i].
// Who learns what (semi-honest neighbor, any scheme): i decrypts G_ji (I_j - I_i) for every entry with ONE factor; the
// greatest common divisor of these integers IS G_ji, so i learns U_j exactly. The label says so.
// With `factors_in_clear` (variant = "published", whose eq. (9) needs rho_i) j also sends its next G_ji in clear.
//
// The stop flag rides on both messages. Threading: belongs to its agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fixed_point.h"
#include "core/protocols/stop_flag.h"
#include "crypto/additive_scheme.h"
#include "network/agent.h"
#include "network/task.h"

namespace sotto {

struct ExchangeSettings;

/// A penalty bound g must have at least so many steps of 2^-penalty_bits, or rounding would decide what agents exchange.
inline constexpr std::int64_t min_penalty_steps = 16;

class NeighborExchange {
 public:
  struct Bounds {
    double own = 0;       ///< g_i: what this agent's factors grow toward
    double everyone = 0;  ///< G: a public bound on every g
  };

  /// Derives this agent's keys from its own stream: the same after a restart. CryptoError if the integers of
  /// the exchange cannot fit 127 bits.
  NeighborExchange(Agent& me, const ExchangeSettings& settings, Bounds bounds, std::size_t entries,
                   bool factors_in_clear);

  /// Before the first round: public keys (and first factors in clear) to the neighbors.
  Task<void> open();
  /// One round: D_i. Raises `flag` if a neighbor's message carried one.
  Task<Matrix> round(const Matrix& U, StopFlag& flag);
  /// c_i = d_i g_i G in the integers of the exchange: never below rho_i.
  double proximal_weight() const;
  /// rho_i = sum_j g_ij g_ji of the coming round; only with factors in clear.
  double rho() const;

  /// The part of a boundary state that belongs to the exchange.
  void save(Writer& w) const;
  void load(Reader& r);

  static std::vector<std::string> labels(const ExchangeSettings& settings, bool factors_in_clear);

 private:
  void draw_factors();
  void send_request(const std::vector<std::int64_t>& I, const StopFlag& flag);
  void answer(std::size_t k, const Bytes& message, const std::vector<std::int64_t>& I, StopFlag& flag);
  void add_reply(std::size_t k, const Bytes& message, std::vector<Int128>& sum, StopFlag& flag);
  void open_responders();
  std::int64_t as_integer(double g) const;

  Agent& me_;
  Bounds bounds_;
  FixedPoint grid_;
  int penalty_bits_;
  bool factors_in_clear_;
  std::unique_ptr<AdditiveScheme> scheme_;
  ExchangeRange range_;
  std::unique_ptr<KeyOwner> owner_;
  std::vector<std::unique_ptr<Responder>> responders_;  // by neighbor
  RandomStream factor_stream_;
  RandomStream cipher_stream_;

  std::vector<Bytes> peer_keys_;                    // by neighbor; empty before open()
  std::vector<double> g_;                           // g_ij of the last draw, by neighbor
  std::vector<std::int64_t> G_;                     // G_ij of the current round
  std::vector<std::int64_t> next_G_, peer_next_G_;  // with factors in clear: announced for the coming round
};

}  // namespace sotto
