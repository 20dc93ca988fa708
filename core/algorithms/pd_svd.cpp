// SPDX-License-Identifier: MIT
// PD-SVD and PD-PCA: the leading right singular vectors of everybody's samples, or of the centered ones, by block power iteration over
// sums (Tsikhanovich et al. 2019, section 3, appendices B.4 and D).
//
//  paper, algorithm 4 (PD-SVD, as party m)       | here
// -----------------------------------------------+------------------------------------------------------------
//  1    S = X' X                                  | never formed: Z (Z' V)
//  2-3  V = SECSUM(own normal draws)              | shared_normal_basis(), orthonormal from the start
//  4    for t = 1, ..., tau                       | live(): while (!s_.finished)
//  5-6    V_i = NORMEDSECSUM(S V_i)               | sums = "normed": all columns in one call
//                                                 | sums = "revealing": SECSUM, which shows |S V_i|, so the singular values
//  7      V = Orthonormalize(V)                   | core/factorization/orthonormal.h
//  algorithm 6 (PD-PCA)                           |
//  1-3  n, the mean                               | ONE secure sum of d + 1 numbers. Line 2 as printed weighs a party's mean by
//                                                 | its size twice; the global mean is sum_m sum_i X_i / n
//
// S is divided by `bound`, so that |S v| <= 1. norm_bound is public: a number that was agreed on beforehand, or "sum":
// sum_m sigma_1(X_m)^2 >= |S| (PD-PCA: sum_m tr S_m), which a secure sum shows everybody. (The paper sums |X_m' X_m|_F: larger, and it
// shows the scale just as well, which normalized sums are to hide.)
//
// Who learns what: everybody V after every iteration. normed: nothing of the overall scale, if norm_bound is a number and the
// data are not centered; but the ratios sigma_i / sigma_1 follow from an early V and the last one. revealing: the singular values too.
// PD-PCA: also n and the mean. Regression on the components (algorithm.response_fit = "shared"): its normal equations.
// All parties see convergence in the same iteration: the share of the space that is new is at most `tolerance`, `dwell` times.
#include <optional>

#include "base/decompositions.h"
#include "core/algorithms/iteration_options.h"
#include "core/algorithms/references.h"
#include "core/algorithms/shared_power.h"
#include "core/factorization/nndsvd.h"

namespace sotto {

namespace {

enum class SumsShown : std::uint8_t { normed, revealing };
enum class ResponseFit : std::uint8_t { shared, own };

/// Part of [algorithm].
struct PowerOptions {
  SumsShown sums = SumsShown::normed;
  bool norm_bound_from_sum = true;  ///< norm_bound = "sum"
  double norm_bound = 1;            ///< public, of |X' X|
  ResponseFit response_fit = ResponseFit::shared;
};

struct PdSvdState {
  std::uint64_t iteration = 0;
  bool finished = false;
  bool converged = false;
  std::uint64_t quiet = 0;
  double bound = 1;
  Vector mean;  ///< empty: not centered
  Matrix V;
  Vector weights;                                           ///< of the response, at the end
  SumFigures sum_figures, normed_figures, offline_figures;  ///< as saved
  const Samples* Z = nullptr;
  const SecureSum* sums = nullptr;
  const NormedSecureSum* normed = nullptr;

  /// rank x own samples
  Matrix scores() const {
    Matrix Y = Z->transposed_times(V).transpose();
    if (mean.size() > 0) Y.colwise() -= V.transpose() * mean;
    return Y;
  }

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.put<std::uint8_t>(converged);
    w.put(quiet);
    w.put(bound);
    w.matrix(mean);
    w.matrix(V);
    w.matrix(scores());
    w.matrix(weights);
    w.put(sums->figures());
    w.put(normed != nullptr ? normed->figures() : SumFigures{});
    w.put(normed != nullptr ? normed->offline_figures() : SumFigures{});
    sums->save(w);
    if (normed != nullptr) normed->save(w);
  }
  /// Everything but the sums, which the reader still holds.
  static PdSvdState load(Reader& r, Matrix& scores) {
    PdSvdState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.converged = r.get<std::uint8_t>() != 0;
    s.quiet = r.get<std::uint64_t>();
    s.bound = r.get<double>();
    const Matrix mean = r.matrix();
    if (mean.size() > 0) s.mean = mean.col(0);
    s.V = r.matrix();
    scores = r.matrix();
    const Matrix weights = r.matrix();
    if (weights.size() > 0) s.weights = weights.col(0);
    s.sum_figures = r.get<SumFigures>();
    s.normed_figures = r.get<SumFigures>();
    s.offline_figures = r.get<SumFigures>();
    return s;
  }
};

class PdSvdParty {
 public:
  PdSvdParty(Agent& me, const OptionSet& options, const PublicFacts& facts, const Kit& kit,
             const PartyInput& input, bool centered)
      : me_(me),
        limits_(options.get<IterationOptions>()),
        power_(options.get<PowerOptions>()),
        facts_(facts),
        input_(input),
        Z_(input.samples),
        centered_(centered),
        sums_(me, options.get<SecureSumOptions>(), *kit.sums, kit.scheme) {
    if (kit.normed) normed_ = NormedSecureSum::make(me, *kit.normed, *kit.sums);
  }

  Task<void> live(const Bytes& start) {
    s_.Z = &Z_;
    if (start.empty()) {
      co_await sums_.open();
      if (normed_) co_await normed_->open();
      if (centered_) co_await find_mean();
      s_.bound = power_.norm_bound;
      if (power_.norm_bound_from_sum) co_await find_bound();
      s_.V = co_await shared_normal_basis(me_, sums_, facts_.agents, Z_.rows(), limits_.rank);
    } else {
      resume(start);
    }
    s_.sums = &sums_;
    s_.normed = normed_.get();
    while (!s_.finished) {
      const Matrix before = s_.V;
      if (normed_)
        s_.V = co_await normed_power_step(me_, *normed_, Z_, s_.mean, before, s_.bound);
      else
        s_.V = co_await revealing_power_step(me_, sums_, Z_, s_.mean, before, s_.bound);
      ++s_.iteration;
      watch_convergence(before);
      if (s_.finished && fits_response()) co_await fit_response();
      if (normed_) normed_->at_boundary(s_.iteration, s_.finished);
      co_await me_.boundary(s_);
    }
  }

 private:
  void resume(const Bytes& start) {
    Reader r(start);
    Matrix scores;
    s_ = PdSvdState::load(r, scores);
    s_.Z = &Z_;
    sums_.load(r);
    if (normed_) normed_->load(r);
    r.finish();
  }

  bool fits_response() const {
    return power_.response_fit == ResponseFit::shared && input_.response.size() > 0;
  }

  void watch_convergence(const Matrix& before) {
    s_.quiet = basis_change(before, s_.V) <= limits_.tolerance ? s_.quiet + 1 : 0;
    s_.converged = limits_.converged(s_.quiet);
    s_.finished = s_.converged || s_.iteration >= limits_.most_iterations();
  }

  /// Algorithm 6, lines 1 to 3.
  Task<void> find_mean() {
    me_.compute(Operation::flop, static_cast<std::uint64_t>(Z_.stored()));
    Vector own(Z_.rows() + 1);
    own << Z_.times_transposed(Matrix::Ones(1, Z_.cols())).col(0), static_cast<double>(Z_.cols());
    own = co_await sums_.sum(std::move(own));
    s_.mean = own.head(Z_.rows()) / own[Z_.rows()];
  }

  /// |S| <= sum_m |S_m|: the largest eigenvalue of each, or, where centering would make sparse samples dense, its trace.
  Task<void> find_bound() {
    double own_norm = 0;
    if (centered_) {
      me_.compute(Operation::flop, 2 * static_cast<std::uint64_t>(Z_.stored()));
      const Vector sum = Z_.times_transposed(Matrix::Ones(1, Z_.cols())).col(0);
      own_norm =
          Z_.squared_norm() - 2 * s_.mean.dot(sum) + static_cast<double>(Z_.cols()) * s_.mean.squaredNorm();
    } else {
      const TruncatedSvd own_svd = truncated_svd(Z_, 1);
      me_.compute(Operation::flop, own_svd.flops);
      own_norm = own_svd.sigma[0] * own_svd.sigma[0];
    }
    constexpr double for_rounding = 1.0001;
    Vector own = Vector::Constant(1, for_rounding * own_norm);
    own = co_await sums_.sum(std::move(own));
    s_.bound = own[0];
  }

  /// Regression of everybody's response on everybody's scores and a constant: the normal equations are sums over samples, so one
  /// secure sum of (k + 1) (k + 2) numbers gives what all samples in one place would.
  Task<void> fit_response() {
    const Index unknowns = s_.V.cols() + 1;
    const double unit = std::sqrt(s_.bound);
    me_.compute(Operation::flop, covariance_flops(Z_, s_.V.cols()) / 2 +
                                     static_cast<std::uint64_t>(unknowns * (unknowns + 1) * Z_.cols()));
    Matrix rows(unknowns, Z_.cols());
    rows << s_.scores() / unit, Matrix::Ones(1, Z_.cols());
    Matrix own(unknowns, unknowns + 1);
    own << rows * rows.transpose(), rows * input_.response;
    Vector flat = own.reshaped();
    flat = co_await sums_.sum(std::move(flat));
    const Matrix all = flat.reshaped(unknowns, unknowns + 1);
    s_.weights = least_squares(all.leftCols(unknowns), all.col(unknowns));
    s_.weights.head(unknowns - 1) /= unit;
  }

  Agent& me_;
  const IterationOptions& limits_;
  const PowerOptions& power_;
  const PublicFacts& facts_;
  const PartyInput& input_;
  const Samples& Z_;
  bool centered_;
  SecureSum sums_;
  std::unique_ptr<NormedSecureSum> normed_;
  PdSvdState s_;
};

class PdSvd final : public Algorithm {
 public:
  PdSvd(const OptionSet& options, const PublicFacts& facts, const Kit& kit, bool centered)
      : options_(options), facts_(facts), kit_(kit), centered_(centered) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    PdSvdParty party(me, options_, facts_, kit_, input, centered_);
    co_await party.live(start);
  }

  std::vector<Role> roles(std::span<const Bytes> starts) const override {
    if (!kit_.normed) return {};
    return kit_.normed->roles(starts);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    FactorView view;
    PdSvdState s = PdSvdState::load(r, view.Y);
    view.iteration = s.iteration;
    view.round = s.sum_figures.calls + s.normed_figures.calls;
    view.finished = s.finished;
    view.converged = s.converged;
    view.X = std::move(s.V);
    view.mean = std::move(s.mean);
    view.weights = std::move(s.weights);
    s.sum_figures.count("sums", view.counters);
    s.normed_figures.count("normed", view.counters);
    s.offline_figures.count("offline", view.counters);
    return view;
  }

  std::vector<std::string> labels() const override {
    auto labels = SecureSum::labels(options_.get<SecureSumOptions>(), *kit_.sums, nullptr);
    if (kit_.normed)
      for (std::string& label : kit_.normed->labels()) labels.push_back(std::move(label));
    else
      labels.emplace_back("sums = revealing: everybody learns the singular values");
    if (options_.get<PowerOptions>().norm_bound_from_sum)
      labels.emplace_back(
          "norm_bound = sum: everybody learns a bound on the scale of all data; a number agreed on "
          "beforehand "
          "tells nothing");
    if (kit_.scheme)
      for (std::string& label : kit_.scheme->labels()) labels.push_back(std::move(label));
    if (kit_.seeded) labels.emplace_back(seeded_label);
    return labels;
  }

 private:
  OptionSet options_;
  PublicFacts facts_;
  Kit kit_;
  bool centered_;
};

}  // namespace

template <>
struct Words<SumsShown> {
  static constexpr std::string_view setting = "algorithm.sums";
  static constexpr Word<SumsShown> all[] = {{SumsShown::normed, "normed"},
                                            {SumsShown::revealing, "revealing"}};
};
template <>
struct Words<ResponseFit> {
  static constexpr std::string_view setting = "algorithm.response_fit";
  static constexpr Word<ResponseFit> all[] = {{ResponseFit::shared, "shared"}, {ResponseFit::own, "own"}};
};

namespace {

Schema pd_svd_settings() {
  using Options = PowerOptions;
  Schema rows = iteration_settings();
  append(rows, stopping_settings());
  SchemaOf<Options> s("algorithm");
  s.word(&Options::sums,
         "pd-svd, pd-pca: normalized secure sums, which hide the scale, or plain ones, which show singular "
         "values");
  s.real("norm_bound", &Options::norm_bound, {0, 1e300, true},
         "pd-svd, pd-pca: public bound on the norm of X'X of all data; sum: from a secure sum, which tells "
         "the scale")
      .or_word("sum", &Options::norm_bound_from_sum);
  s.word(&Options::response_fit,
         "pcr: regression on everybody's samples, by one more secure sum, or on a party's own");
  append(rows, s.take());
  return rows;
}

Needs pd_svd_needs(const OptionSet& options) {
  return {.sums = true,
          .normed_sums = options.get<PowerOptions>().sums == SumsShown::normed,
          .signed_data = true};
}

Workload pd_svd_workload(const OptionSet& options, const Sizes& n) {
  constexpr double openings = 15;  // of a normalized sum
  Workload work;
  work.iterations = static_cast<double>(options.get<IterationOptions>().outer_iterations);
  work.multiply_adds = basis_multiply_adds(n);
  work.sum_calls = openings;
  work.sum_numbers = 4 * n.rank * n.agents * (n.features + 1);
  return work;
}

template <bool centered>
std::unique_ptr<Algorithm> make_pd_svd(const OptionSet& options, const PublicFacts& facts, const Kit& kit) {
  return std::make_unique<PdSvd>(options, facts, kit, centered);
}

}  // namespace

extern const AlgorithmKind pd_svd_kind;
const AlgorithmKind pd_svd_kind{
    .name = "pd-svd",
    .help = "leading singular vectors of everybody's samples, by power iteration over secure sums",
    .has_stopping_rule = true,
    .reference = &svd_reference,
    .settings = pd_svd_settings,
    .needs = pd_svd_needs,
    .gives = basis_gives,
    .workload = pd_svd_workload,
    .make = make_pd_svd<false>,
};

extern const AlgorithmKind pd_pca_kind;
const AlgorithmKind pd_pca_kind{
    .name = "pd-pca",
    .help = "the same of centered samples: principal components",
    .has_stopping_rule = true,
    .reference = &pca_reference,
    .settings = pd_svd_settings,
    .needs = pd_svd_needs,
    .gives = basis_gives,
    .workload = pd_svd_workload,
    .make = make_pd_svd<true>,
};

}  // namespace sotto
