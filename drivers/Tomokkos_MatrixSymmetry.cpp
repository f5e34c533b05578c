// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_Transpose.hpp>

namespace Tomokkos {

namespace {

/// Counts the elements in which two arrays differ.
template <class View>
struct CountDifferences {
  View a, b;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& count) const {
    if (!(a(i) == b(i))) ++count;
  }
};

template <class ExecutionSpace, class View>
bool equal(const ExecutionSpace& exec, const View& a, const View& b) {
  Offset differences = 0;
  Kokkos::parallel_reduce("Tomokkos::matrix_symmetry::compare",
                          Impl::element_range(exec, a.extent(0)), CountDifferences<View>{a, b},
                          differences);
  return differences == 0;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
MatrixSymmetry matrix_symmetry(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  MatrixSymmetry result;
  if (A.num_rows != A.num_cols) return result;
  const auto T = transpose<ExecutionSpace, Scalar>(exec, A);
  result.pattern = equal(exec, A.row_offsets, T.row_offsets) && equal(exec, A.columns, T.columns);
  result.numeric = result.pattern && equal(exec, A.values, T.values);
  return result;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)               \
  template MatrixSymmetry matrix_symmetry<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
