// The singular value decomposition without a network: solver = "svd", and "pca" for centred samples.
//   centralized   of everybody's samples in one place: what PD-SVD and PD-PCA converge to
//   local         of an agent's own samples: what uplift is measured against; with fewer samples than `rank`, fewer vectors
// One step: Lanczos iterations to the last digit (core/factorization/nndsvd.h).
#include "core/algorithms/algorithm.h"
#include "core/experiment/scenario.h"
#include "core/factorization/nndsvd.h"
#include "core/factorization/orthonormal.h"

namespace sotto {

namespace {

struct State {
  std::uint64_t iteration = 1;
  bool finished = true;
  Vector mean;
  Matrix V;
  Matrix scores;

  void save(Writer& w) const {
    w.matrix(mean);
    w.matrix(V);
    w.matrix(scores);
  }
};

/// Z - mean 1', written out.
Samples centred(const Samples& Z, const Vector& mean) {
  Matrix all(Z.rows(), Z.cols());
  for (Index c = 0; c < Z.cols(); ++c) all.col(c) = Z.column(c) - mean;
  return all;
}

class SvdAlone final : public Algorithm {
 public:
  SvdAlone(const Scenario& scenario, bool one_place)
      : rank_(scenario.algorithm.rank), centred_(scenario.algorithm.solver == "pca"), one_place_(one_place) {}

  bool one_place() const override { return one_place_; }

  Task<void> party(Agent& me, const Samples& Z, const Bytes& start) const override {
    if (!start.empty()) co_return;  // it was finished
    State s;
    if (centred_)
      s.mean = Z.times_transposed(Matrix::Ones(1, Z.cols())).col(0) / static_cast<double>(Z.cols());
    const Samples its = centred_ ? centred(Z, s.mean) : Z;
    const Index rank = std::min({rank_, Z.rows(), Z.cols()});
    TruncatedSvd svd = truncated_svd(its, rank);
    Index resolved = 0;
    while (resolved < rank && svd.sigma[resolved] > 0) ++resolved;
    s.V = svd.V.leftCols(std::max<Index>(1, resolved));
    orthonormalize(s.V);
    s.scores = its.transposed_times(s.V).transpose();
    constexpr std::uint64_t products = 10;  // of Lanczos, per vector
    me.compute(Operation::flop,
               products * static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(its.stored()));
    co_await me.boundary(s);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    FactorView view;
    view.iteration = 1;
    view.finished = true;
    const Matrix mean = r.matrix();
    if (mean.size() > 0) view.mean = mean.col(0);
    view.X = r.matrix();
    view.Y = r.matrix();
    return view;
  }

  std::vector<std::string> labels() const override {
    if (one_place_) return {"centralized: everybody's data in one place"};
    return {};
  }

 private:
  Index rank_;
  bool centred_;
  bool one_place_;
};

}  // namespace

std::unique_ptr<Algorithm> make_svd_alone(const Scenario& scenario, bool one_place) {
  return std::make_unique<SvdAlone>(scenario, one_place);
}

}  // namespace sotto
