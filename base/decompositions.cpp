// SPDX-License-Identifier: MIT
#include "base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace sotto {

SymmetricEigen symmetric_eigen(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Matrix& matrix) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen tridiagonal_eigen(const Vector& diagonal, const Vector& beside) {
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

ThinSvd thin_svd(const Matrix& matrix) {
  const Eigen::JacobiSVD<Matrix> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Vector singular_values(const Matrix& matrix) {
  return Eigen::JacobiSVD<Matrix>(matrix).singularValues();
}

Vector least_squares(const Matrix& A, const Vector& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace sotto
