// SPDX-License-Identifier: MIT
// Averages by gossip: after k rounds with its neighbors alone every agent is near the mean of all agents' matrices.
//
//     x <- p_k(W) x,   W: Metropolis weights,  w_ij = 1 / (1 + max(d_i, d_j)) for neighbors, w_ii = 1 - sum_j w_ij
//     p_k(t) = T_k(t / lambda) / T_k(1 / lambda),   T_k: Chebyshev's polynomial
//     x_1 = W x_0,   x_{k+1} = x_{k-1} + omega_{k+1} (W x_k - x_{k-1})
//     omega_1 = 1, omega_2 = 1 / (1 - lambda^2 / 2), omega_{k+1} = 1 / (1 - lambda^2 omega_k / 4)
//
// W is symmetric and its rows sum to 1, so p_k(1) = 1 keeps the mean. lambda is public: a bound on the modulus of all other
// eigenvalues of W (metropolis_second_eigenvalue_bound). Of all polynomials with p(1) = 1 this one is smallest on
// [-lambda, lambda]; the interval is symmetric, so a spectrum with a long negative side (graphs that are nearly bipartite)
// needs no other recursion: lambda is the larger of both sides. With lambda = 0 (complete graphs) it is plain averaging. Error:
//
//     |x_k - mean|_F <= |x_0 - mean|_F / T_k(1 / lambda) = |x_0 - mean|_F 2 q^k / (1 + q^2k),
//     q = lambda / (1 + sqrt(1 - lambda^2)),   over all agents together
//
// and k = O(log(1 / contraction) / sqrt(1 - lambda)) rounds, where plain gossip takes O(log(1 / contraction) / (1 - lambda)).
// FastMix (Liu and Morse 2011; Ye and Zhang 2021), x_{k+1} = (1 + q^2) W x_k - q^2 x_{k-1} with x_{-1} = x_0, is what the
// recursion tends to: the same q, but (1 + O(k)) q^k instead of 2 q^k. Worst case over all x_0 on 30 agents, 20 rounds:
//                 lambda   Chebyshev   FastMix   plain
//     ring        0.985    0.064       0.13      0.75
//     path        0.996    0.35        0.48      0.93
//     star        0.967    0.011       0.030     0.51
//     grid        0.941    0.0018      0.0061    0.30
//     regular     0.764    4.3e-7      2.5e-6    0.0046
// To 1e-3 with lambda = 0.941 it takes 22 rounds, FastMix 26 and plain gossip 114. FastMix is made for W without negative
// eigenvalues: near -lambda it lets a disagreement grow first (14 times in 20 rounds, lambda = 0.9987), which this one never
// does.
// A lambda that is too large costs rounds; one that is too small is no error in the mean, but the bound no longer holds.
//
// Who learns what: neighbors see each other's numbers of every round in the clear, from the first on, and each other's degrees.
// Nothing is hidden: use it for what may be public among neighbors.
// Messages carry the flag of stop_flag.h too, which so travels one hop a round.
// Threading: belongs to its agent. Everybody calls average with matrices of one size and as many rounds.
// References: M. Arioli and J. Scott, "Chebyshev acceleration of iterative refinement", Numerical Algorithms 66 (2014); J. Liu
// and A. S. Morse, "Accelerated linear iterations for distributed averaging", Annual Reviews in Control 35 (2011); L. Xiao and
// S. Boyd, "Fast linear iterations for distributed averaging", Systems & Control Letters 53 (2004).
#pragma once

#include <span>
#include <vector>

#include "base/figure.h"
#include "base/matrix.h"
#include "core/protocols/stop_flag.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

/// So far, of one agent.
struct GossipFigures {
  std::uint64_t averages = 0;
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;  ///< that this agent sent
  std::uint64_t bytes = 0;     ///< in them

  bool operator==(const GossipFigures&) const = default;
  void count(Counters& counters) const;
};
/// What gossip costs, over all agents.
std::span<const CounterFigure> gossip_figures();

class Gossip {
 public:
  /// `lambda`: from 0 to below 1.
  Gossip(Agent& me, double lambda);

  /// Before the first average: degrees, one message to every neighbor.
  Task<void> open();
  /// Near the mean of everybody's `own`. `flag`: told to the neighbors in every round, and heard from them.
  Task<Matrix> average(Matrix own, std::uint64_t rounds, StopFlag& flag);
  /// Without a flag.
  Task<Matrix> average(Matrix own, std::uint64_t rounds);

  /// 1 / T_k(1 / lambda): what `rounds` rounds leave of the disagreement, at most.
  static double contraction(std::uint64_t rounds, double lambda);
  /// The fewest rounds with contraction(rounds, lambda) <= wanted. RunError unless wanted is in (0, 1]. Takes as many steps:
  /// ask once, not once per agent.
  static std::uint64_t rounds_for(double wanted, double lambda);

  const GossipFigures& figures() const { return figures_; }
  /// The part of a boundary state that belongs to the averages.
  void save(Writer& w) const;
  void load(Reader& r);

 private:
  void send(AgentId to, Tag tag, Bytes message);
  Task<Matrix> neighborhood_mean(const Matrix& x, StopFlag& flag);

  Agent& me_;
  double lambda_;
  std::vector<double> weights_;  // of the neighbors, in their order
  GossipFigures figures_;
};

}  // namespace sotto
