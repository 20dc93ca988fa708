// SPDX-License-Identifier: MIT
// The singular value decomposition without a network: solver = "svd", and "pca" for centered samples.
//   centralized   of everybody's samples in one place: what PD-SVD and PD-PCA converge to
//   local         of an agent's own samples: what uplift is measured against; with fewer samples than `rank`, fewer vectors
// One step: Lanczos iterations to the last digit (core/factorization/nndsvd.h).
// Tests: tests/core/algorithms/pd_svd_test.cpp
#include "core/algorithms/iteration_options.h"
#include "core/algorithms/references.h"
#include "core/factorization/nndsvd.h"
#include "core/factorization/orthonormal.h"

namespace sotto {

namespace {

struct SvdReferenceState {
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

/// Of the mean, or of one product with a basis.
std::uint64_t basis_product_flops(const Samples& Z, Index rank) {
  return static_cast<std::uint64_t>(Z.stored()) * static_cast<std::uint64_t>(rank);
}

/// Z - mean 1', written out.
Samples centered(const Samples& Z, const Vector& mean) {
  Matrix all(Z.rows(), Z.cols());
  for (Index c = 0; c < Z.cols(); ++c) all.col(c) = Z.column(c) - mean;
  return all;
}

class SvdReference final : public Algorithm {
 public:
  SvdReference(const OptionSet& options, bool centered, bool one_place)
      : rank_(options.get<IterationOptions>().rank), centered_(centered), one_place_(one_place) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    const Samples& Z = input.samples;
    if (!start.empty()) co_return;  // it was finished
    SvdReferenceState s;
    if (centered_) me.compute(Operation::flop, basis_product_flops(Z, 1));
    if (centered_)
      s.mean = Z.times_transposed(Matrix::Ones(1, Z.cols())).col(0) / static_cast<double>(Z.cols());
    const Samples its = centered_ ? centered(Z, s.mean) : Z;
    const Index rank = std::min({rank_, Z.rows(), Z.cols()});
    TruncatedSvd svd = truncated_svd(its, rank);
    Index resolved = 0;
    while (resolved < rank && svd.sigma[resolved] > 0) ++resolved;
    s.V = svd.V.leftCols(std::max<Index>(1, resolved));
    orthonormalize(s.V);
    s.scores = its.transposed_times(s.V).transpose();
    me.compute(Operation::flop, svd.flops + basis_product_flops(its, s.V.cols()));
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

  std::vector<std::string> labels() const override { return labels_of_place(one_place_); }

 private:
  Index rank_;
  bool centered_;
  bool one_place_;
};

template <bool centered>
std::unique_ptr<Algorithm> make_svd_reference(const OptionSet& options, bool one_place, const Kit&) {
  return std::make_unique<SvdReference>(options, centered, one_place);
}

Schema svd_reference_settings() {
  return only(iteration_settings(), {"algorithm.rank"});
}

constexpr auto svd_reference_needs = [](const OptionSet&) { return Needs{.signed_data = true}; };
constexpr auto check_svd_reference = [](const MethodCheck&) {};
constexpr auto svd_reference_workload = [](const OptionSet&, const Sizes& n) {
  return Workload{.iterations = 1, .multiply_adds = basis_multiply_adds(n)};
};

}  // namespace

double basis_multiply_adds(const Sizes& n) {
  return 2 * n.rank * (n.stored + n.agents * n.features * n.rank);
}

Gives basis_gives(const OptionSet&) {
  return {Model::orthonormal_basis, CountedEntries::all};
}

const ReferenceKind svd_reference{.name = "svd",
                                  .settings = svd_reference_settings,
                                  .gives = basis_gives,
                                  .needs = svd_reference_needs,
                                  .check = check_svd_reference,
                                  .workload = svd_reference_workload,
                                  .make = make_svd_reference<false>};

const ReferenceKind pca_reference{.name = "pca",
                                  .settings = svd_reference_settings,
                                  .gives = basis_gives,
                                  .needs = svd_reference_needs,
                                  .check = check_svd_reference,
                                  .workload = svd_reference_workload,
                                  .make = make_svd_reference<true>};

}  // namespace sotto
