// SPDX-License-Identifier: MIT
#include "core/protocols/normed_secure_sum.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "core/protocols/offline_dealer.h"
#include "core/protocols/offline_products.h"

namespace sotto {

namespace {

template <class Vec>
class NormedSum final : public NormedSecureSum {
 public:
  NormedSum(Agent& me, const NormedSumFacts& facts, const SumPlan& tree)
      : me_(me), plan_(facts.plan), tree_(tree), dither_(me.secret_random("dither")) {
    if (facts.offline == OfflinePhase::dealer)
      offline_ = make_dealer_client<Vec>(me, plan_, static_cast<AgentId>(plan_.parties));
    else
      offline_ = make_product_offline<Vec>(me, plan_, facts.scheme);
  }

  Task<void> open() override {
    if (plan_.parties > 1) place_ = co_await spanning_tree(me_, tree_.root, tree_.key_holder, tree_.depth);
    co_await offline_->open();
  }

  Task<void> prepare(std::size_t columns) override {
    prepared_.push_back(co_await offline_->prepare(prepared_calls_++, columns));
  }

  Task<Matrix> normalize(Matrix own) override {
    const auto columns = static_cast<std::size_t>(own.cols());
    check(own);
    if (prepared_.empty()) co_await prepare(columns);
    const std::vector<NormedSumShares<Vec>> shares = std::move(prepared_.front());
    prepared_.pop_front();
    if (shares.size() != columns)
      throw CryptoError(fmt::format("{} vectors to normalize, but shares for {}", columns, shares.size()));

    std::vector<Vec> e = masked(own, shares);
    co_await opened(e);
    const auto column_of = [&](std::size_t c) {
      return std::span(e).subspan(c * plan_.entries, plan_.entries);
    };

    std::vector<Vec> squares(columns);
    for (std::size_t c = 0; c < columns; ++c)
      squares[c] = square_share<Vec>(column_of(c), shares[c], first()) + shares[c].square_mask;
    co_await opened(squares);

    const std::vector<MaskedScalar> y = co_await inverse_norms(squares, shares);

    for (std::size_t c = 0; c < columns; ++c) scaled_shares<Vec>(column_of(c), shares[c], y[c], first());
    add_dither(e);
    co_await opened(e);
    me_.compute(Operation::ring_word, 8 * e.size() * sizeof(Vec) / sizeof(std::uint64_t));
    ++figures_.calls;
    decode(e, own);
    refuse_bad_norms(own);
    co_return own;
  }

  void at_boundary(std::uint64_t iteration, bool finished) override {
    offline_->at_boundary(iteration, finished);
  }
  const SumFigures& figures() const override { return figures_; }
  const SumFigures& offline_figures() const override { return offline_->figures(); }

  void save(Writer& w) const override {
    if (!prepared_.empty()) throw RunError("a boundary with shares of a normalized sum that were not used");
    place_.save(w);
    w.put(prepared_calls_);
    w.put(dither_.position());
    w.put(figures_);
    offline_->save(w);
  }
  void load(Reader& r) override {
    place_ = TreePlace::load(r);
    prepared_calls_ = r.get<std::uint64_t>();
    dither_.seek(r.get<std::uint64_t>());
    figures_ = r.get<SumFigures>();
    offline_->load(r);
  }

 private:
  /// Who adds what is public.
  bool first() const { return me_.id() == 0; }

  template <class Word>
  Task<void> opened(std::vector<Word>& shares) {
    return open_shares(me_, place_, tree_.depth, shares, figures_);
  }

  void check(const Matrix& own) const {
    if (static_cast<std::size_t>(own.rows()) != plan_.entries)
      throw CryptoError(fmt::format("a normalized sum of {} entries, not {}", plan_.entries, own.rows()));
    for (Index c = 0; c < own.cols(); ++c)
      if (const double norm = own.col(c).norm(); !(norm <= 1))
        throw CryptoError(
            fmt::format("vector {} of a normalized sum has the norm {}: a party's may be 1 at most, so "
                        "divide the data by a "
                        "larger public bound (algorithm.norm_bound)",
                        c, norm));
  }

  /// x - a: this party's share of e.
  std::vector<Vec> masked(const Matrix& own, const std::vector<NormedSumShares<Vec>>& shares) const {
    std::vector<Vec> e;
    e.reserve(static_cast<std::size_t>(own.size()));
    const double unit = std::ldexp(1.0, plan_.input_bits);
    for (std::size_t c = 0; c < shares.size(); ++c)
      for (std::size_t j = 0; j < plan_.entries; ++j) {
        const double x = own(static_cast<Index>(j), static_cast<Index>(c));
        e.push_back(ring_element<Vec>(std::llrint(x * unit)) - shares[c].mask[j]);
      }
    return e;
  }

  /// Newton's iteration from y = 2^-h, every step opened under its mask.
  Task<std::vector<MaskedScalar>> inverse_norms(std::span<const Vec> opened_squares,
                                                const std::vector<NormedSumShares<Vec>>& shares) {
    const std::size_t columns = shares.size();
    std::vector<MaskedScalar> n(columns), y(columns);
    for (std::size_t c = 0; c < columns; ++c)
      n[c] = truncated(opened_squares[c], plan_.square_shift(), plan_.drawers);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      std::vector<Ring256> next(columns);
      for (std::size_t c = 0; c < columns; ++c) {
        const InverseShares* before = i > 0 ? &shares[c].steps[i - 1] : nullptr;
        next[c] = step_share(plan_, i, n[c], i > 0 ? &y[c] : nullptr, before, shares[c].rho, first()) +
                  shares[c].steps[i].mask;
      }
      co_await opened(next);
      for (std::size_t c = 0; c < columns; ++c)
        y[c] = truncated(next[c], plan_.inverse_shift(), plan_.drawers);
    }
    co_return y;
  }

  /// Uniform in [0, 2^t) for every entry.
  void add_dither(std::span<Vec> shares) {
    for (Vec& x : shares) x += Vec(dither_.next() >> (64 - plan_.dither_bits()));
  }

  /// round_f of what was opened, less the dithers' mean.
  void decode(std::span<const Vec> opened_products, Matrix& out) const {
    const int t = plan_.dither_bits();
    const Vec top = Vec(1) << (ring_bits<Vec> - 1);
    const Vec half = Vec(1) << (t - 1);
    const Vec mean = Vec(plan_.parties) * half;
    const auto lowest = static_cast<std::uint64_t>(top >> t);
    const double unit = std::ldexp(1.0, -plan_.output_bits);
    for (std::size_t k = 0; k < opened_products.size(); ++k) {
      const Vec above = (opened_products[k] - mean + half + top) >> t;  // no longer negative
      const auto steps = static_cast<std::int64_t>(static_cast<std::uint64_t>(above) - lowest);
      out.data()[k] = static_cast<double>(steps) * unit;
    }
  }

  /// What everybody sees, and so everybody ends.
  void refuse_bad_norms(const Matrix& out) const {
    for (Index c = 0; c < out.cols(); ++c) {
      const double norm = out.col(c).norm();
      if (plan_.plausible_norm(norm)) continue;
      throw RunError(fmt::format(
          "normalized sum {} of call {} came out with the norm {:.6g}: the sum's own norm was below 2^-{}, "
          "and this output "
          "tells everybody something of it; raise secure_sum.norm_bound_bits, or lower algorithm.rank or "
          "algorithm.norm_bound",
          c, figures_.calls - 1, norm, plan_.norm_bound_bits));
    }
  }

  Agent& me_;
  const NormedSumPlan& plan_;
  const SumPlan& tree_;
  RandomStream dither_;
  std::unique_ptr<Offline<Vec>> offline_;
  std::deque<std::vector<NormedSumShares<Vec>>> prepared_;
  std::uint64_t prepared_calls_ = 0;
  TreePlace place_;
  SumFigures figures_;
};

}  // namespace

namespace {

/// Nothing where there were no sums of this family.
double of_family(const Counters& c, std::string_view calls, std::string_view name) {
  return c.get(calls) > 0 ? c.get(name) : no_figure;
}

constexpr CounterFigure normed_figure_table[] = {
    {{"normed_sums", "", "normalized secure sums", Better::lower, Scope::cost},
     [](const Counters& c) { return of_family(c, "normed.calls", "normed.calls"); }},
    {{"normed_sum_rounds", "rounds", "messages of normalized sums that follow on each other", Better::lower,
      Scope::cost},
     [](const Counters& c) { return of_family(c, "normed.calls", "normed.rounds"); }},
    {{"normed_sum_messages", "", "messages of normalized sums, of all agents", Better::lower, Scope::cost},
     [](const Counters& c) { return of_family(c, "normed.calls", "normed.messages"); }},
    {{"normed_sum_elements", "", "ring elements in them", Better::lower, Scope::cost},
     [](const Counters& c) { return of_family(c, "normed.calls", "normed.elements"); }},
    {{"normed_sum_bytes", "bytes", "bytes of these messages", Better::lower, Scope::cost},
     [](const Counters& c) { return of_family(c, "normed.calls", "normed.bytes"); }},
    {{"offline_messages", "", "messages that prepare normalized sums, of all agents", Better::lower,
      Scope::cost},
     [](const Counters& c) { return of_family(c, "offline.calls", "offline.messages"); }},
    {{"offline_bytes", "bytes", "bytes of these messages", Better::lower, Scope::cost},
     [](const Counters& c) { return of_family(c, "offline.calls", "offline.bytes"); }},
};

}  // namespace

std::span<const CounterFigure> normed_sum_figures() {
  return normed_figure_table;
}

NormedSumFacts NormedSumFacts::make(const NormedSumOptions& options, std::size_t parties, std::size_t entries,
                                    std::shared_ptr<const AdditiveScheme> scheme) {
  const std::size_t drawers = options.offline == OfflinePhase::dealer ? 1 : parties;
  return {NormedSumPlan::make(parties, entries, drawers, static_cast<int>(options.output_bits),
                              static_cast<int>(options.norm_bound_bits)),
          options.offline, std::move(scheme)};
}

std::vector<Role> NormedSumFacts::roles(std::span<const Bytes> starts) const {
  if (offline != OfflinePhase::dealer) return {};
  return {dealer_role(plan, starts.empty() ? Bytes{} : starts[0])};
}

std::vector<std::string> NormedSumFacts::labels() const {
  std::vector<std::string> labels;
  if (offline == OfflinePhase::dealer)
    labels.emplace_back(
        "offline = dealer: normalized sums are private while the dealer colludes with nobody; it sees no "
        "data");
  else
    labels.push_back(
        fmt::format("offline = {}: normalized sums are private while one party is honest", word_of(offline)));
  return labels;
}

std::unique_ptr<NormedSecureSum> NormedSecureSum::make(Agent& me, const NormedSumFacts& facts,
                                                       const SumPlan& tree) {
  if (facts.plan.vector_bits == ring_bits<Ring128>)
    return std::make_unique<NormedSum<Ring128>>(me, facts, tree);
  return std::make_unique<NormedSum<Ring192>>(me, facts, tree);
}

}  // namespace sotto
