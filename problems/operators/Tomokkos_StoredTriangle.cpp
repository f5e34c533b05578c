// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_StoredTriangle.hpp>

namespace Tomokkos {

template <class Scalar>
StoredTriangle stored_triangle(const HostCsrMatrix<Scalar>& A) {
  if (A.num_rows != A.num_cols) return StoredTriangle::none;
  bool has_lower = false, has_upper = false;
  for (Ordinal row = 0; row < A.num_rows; ++row) {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      if (A.values(k) == Scalar(0)) continue;
      has_lower = has_lower || A.columns(k) < row;
      has_upper = has_upper || A.columns(k) > row;
    }
    if (has_lower && has_upper) return StoredTriangle::none;
  }
  return has_lower   ? StoredTriangle::lower
         : has_upper ? StoredTriangle::upper
                     : StoredTriangle::none;
}

std::string describe_triangle(StoredTriangle triangle) {
  const bool is_lower = triangle == StoredTriangle::lower;
  return std::string("only the ") + (is_lower ? "lower" : "upper") +
         " triangle is stored, without an entry " + (is_lower ? "above" : "below") +
         " the diagonal; if it is half of a symmetric matrix, give both halves (scipy: A + A.T - "
         "scipy.sparse.diags(A.diagonal()))";
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template StoredTriangle stored_triangle(const HostCsrMatrix<Scalar>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
