// The matrix types of the whole program. Column-major doubles; a column of a data matrix is a sample.
#pragma once

#include <Eigen/Core>

namespace sotto {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

}  // namespace sotto
