// PD-SVD and PD-PCA: the leading right singular vectors of everybody's samples, or of the centred ones, by block power iteration over
// sums (paper 000, section 3, appendices B.4 and D).
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
// data are not centred; but the ratios sigma_i / sigma_1 follow from an early V and the last one. revealing: the singular values too.
// PD-PCA: also n and the mean. Regression on the components (algorithm.response_fit = "shared"): its normal equations.
// All parties see convergence in the same iteration: the share of the space that is new is at most `tolerance`, `dwell` times.
#include <Eigen/QR>
#include <optional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/shared_power.h"
#include "core/experiment/scenario.h"
#include "core/factorization/nndsvd.h"

namespace sotto {

namespace {

struct State {
  std::uint64_t iteration = 0;
  bool finished = false;
  bool converged = false;
  std::uint64_t quiet = 0;
  double bound = 1;
  Vector mean;  ///< empty: not centred
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
  static State load(Reader& r, Matrix& scores) {
    State s;
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

class Party {
 public:
  Party(Agent& me, const Scenario& scenario, const PublicFacts& facts, const Samples& Z, bool centred)
      : me_(me),
        a_(scenario.algorithm),
        facts_(facts),
        Z_(Z),
        centred_(centred),
        sums_(me, scenario.secure_sum, *facts.sums, facts.scheme) {
    if (facts.normed) normed_ = NormedSecureSum::make(me, *facts.normed, *facts.sums);
  }

  Task<void> live(const Bytes& start) {
    s_.Z = &Z_;
    if (start.empty()) {
      co_await sums_.open();
      if (normed_) co_await normed_->open();
      if (centred_) co_await find_mean();
      s_.bound = a_.norm_bound;
      if (a_.norm_bound_from_sum) co_await find_bound();
      s_.V = co_await shared_normal_basis(me_, sums_, facts_.agents, Z_.rows(), a_.rank);
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
      if (s_.finished && !facts_.responses.empty()) co_await fit_response();
      if (normed_) normed_->at_boundary(s_.iteration, s_.finished);
      co_await me_.boundary(s_);
    }
  }

 private:
  void resume(const Bytes& start) {
    Reader r(start);
    Matrix scores;
    s_ = State::load(r, scores);
    s_.Z = &Z_;
    sums_.load(r);
    if (normed_) normed_->load(r);
    r.finish();
  }

  void watch_convergence(const Matrix& before) {
    s_.quiet = basis_change(before, s_.V) <= a_.tolerance ? s_.quiet + 1 : 0;
    s_.converged = a_.stops && s_.quiet >= static_cast<std::uint64_t>(a_.dwell);
    s_.finished = s_.converged || s_.iteration >= static_cast<std::uint64_t>(a_.outer_iterations);
  }

  /// Algorithm 6, lines 1 to 3.
  Task<void> find_mean() {
    Vector own(Z_.rows() + 1);
    own << Z_.times_transposed(Matrix::Ones(1, Z_.cols())).col(0), static_cast<double>(Z_.cols());
    own = co_await sums_.sum(std::move(own));
    s_.mean = own.head(Z_.rows()) / own[Z_.rows()];
  }

  /// |S| <= sum_m |S_m|: the largest eigenvalue of each, or, where centring would make sparse samples dense, its trace.
  Task<void> find_bound() {
    double own_norm = 0;
    if (centred_) {
      const Vector sum = Z_.times_transposed(Matrix::Ones(1, Z_.cols())).col(0);
      own_norm =
          Z_.squared_norm() - 2 * s_.mean.dot(sum) + static_cast<double>(Z_.cols()) * s_.mean.squaredNorm();
    } else {
      const double sigma = truncated_svd(Z_, 1).sigma[0];
      own_norm = sigma * sigma;
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
    Matrix rows(unknowns, Z_.cols());
    rows << s_.scores() / unit, Matrix::Ones(1, Z_.cols());
    Matrix own(unknowns, unknowns + 1);
    own << rows * rows.transpose(), rows * facts_.responses[me_.id()];
    Vector flat = own.reshaped();
    flat = co_await sums_.sum(std::move(flat));
    const Matrix all = flat.reshaped(unknowns, unknowns + 1);
    s_.weights = all.leftCols(unknowns).completeOrthogonalDecomposition().solve(all.col(unknowns));
    s_.weights.head(unknowns - 1) /= unit;
  }

  Agent& me_;
  const AlgorithmSettings& a_;
  const PublicFacts& facts_;
  const Samples& Z_;
  bool centred_;
  SecureSum sums_;
  std::unique_ptr<NormedSecureSum> normed_;
  State s_;
};

class PdSvd final : public Algorithm {
 public:
  PdSvd(const Scenario& scenario, const PublicFacts& facts, bool centred)
      : scenario_(scenario), facts_(facts), centred_(centred) {}

  Task<void> party(Agent& me, const Samples& Z, const Bytes& start) const override {
    Party party(me, scenario_, facts_, Z, centred_);
    co_await party.live(start);
  }

  std::vector<Role> roles(std::span<const Bytes> starts) const override {
    if (!facts_.normed) return {};
    return facts_.normed->roles(starts);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    FactorView view;
    State s = State::load(r, view.Y);
    view.iteration = s.iteration;
    view.round = s.sum_figures.calls + s.normed_figures.calls;
    view.finished = s.finished;
    view.converged = s.converged;
    view.X = std::move(s.V);
    view.mean = std::move(s.mean);
    view.weights = std::move(s.weights);
    view.sums = s.sum_figures;
    view.normed = s.normed_figures;
    view.offline = s.offline_figures;
    return view;
  }

  std::vector<std::string> labels() const override {
    auto labels = SecureSum::labels(scenario_.secure_sum, *facts_.sums);
    if (facts_.normed)
      for (std::string& label : facts_.normed->labels()) labels.push_back(std::move(label));
    else
      labels.emplace_back("sums = revealing: everybody learns the singular values");
    if (scenario_.algorithm.norm_bound_from_sum)
      labels.emplace_back(
          "norm_bound = sum: everybody learns a bound on the scale of all data; a number agreed on "
          "beforehand "
          "tells nothing");
    if (facts_.scheme)
      for (std::string& label : facts_.scheme->labels()) labels.push_back(std::move(label));
    if (scenario_.entropy == "seed") labels.emplace_back(seeded_label);
    return labels;
  }

 private:
  Scenario scenario_;
  PublicFacts facts_;
  bool centred_;
};

}  // namespace

std::unique_ptr<Algorithm> make_pd_svd(const Scenario& scenario, const PublicFacts& facts) {
  return std::make_unique<PdSvd>(scenario, facts, false);
}

std::unique_ptr<Algorithm> make_pd_pca(const Scenario& scenario, const PublicFacts& facts) {
  return std::make_unique<PdSvd>(scenario, facts, true);
}

}  // namespace sotto
