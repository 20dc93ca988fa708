// SPDX-License-Identifier: MIT
// What the algorithms are without a network (ReferenceKind), and what they share with their networked forms.
#pragma once

#include "core/algorithms/kinds.h"

namespace sotto {

extern const ReferenceKind descent_reference;  ///< "bcd": block coordinate descent, PPDNMF without a network
extern const ReferenceKind rri_reference;      ///< "rri": RRI-NMF
extern const ReferenceKind svd_reference;      ///< "svd": singular vectors
extern const ReferenceKind pca_reference;      ///< "pca": of centered samples

/// Block coordinate descent takes "random", "own-random" or "ones". `besides`: what else the message offers.
void check_descent_start(const MethodCheck& check, std::string_view name, std::string_view besides);
/// AlgorithmKind::start of block coordinate descent.
std::string descent_start(const OptionSet& options, bool one_place);
Workload descent_workload(const OptionSet& options, const Sizes& sizes);

/// Of one iteration of a power method, or of one decomposition.
double basis_multiply_adds(const Sizes& sizes);
Gives basis_gives(const OptionSet& options);

/// The label of everything that runs in one place.
std::vector<std::string> labels_of_place(bool one_place);

}  // namespace sotto
