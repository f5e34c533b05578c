// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices whose entries all lie on one side of the diagonal.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <string>

namespace Tomokkos {

/// \brief Side of the diagonal on which all other entries of a square matrix lie. `none` for a
/// matrix with entries on both sides or on the diagonal only, and for one that is not square.
enum class StoredTriangle { none, lower, upper };

/// \brief Finds the triangle that holds all entries that are not 0. Cost: one pass over the
/// entries, on the calling thread.
template <class Scalar>
StoredTriangle stored_triangle(const HostCsrMatrix<Scalar>& A);

/// \brief Says that only this triangle is stored and how to get the other one if the matrix is
/// symmetric: "only the lower triangle is stored; if this is half of a symmetric matrix, give ...".
///
/// \pre \p triangle is not `none`
std::string describe_triangle(StoredTriangle triangle);

}  // namespace Tomokkos
