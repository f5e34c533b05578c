// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on every entry of packed rows with plain values: a thread visits the entries of a
// lane.
#include <Tomokkos_PackedCsrFormat.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>
#include <impl/Tomokkos_PackedCsrVisit.hpp>

namespace Tomokkos::Impl {

template <class Scalar, class MemorySpace>
struct FormatEntries<PackedCsrMatrix<Scalar, MemorySpace>> {
  using Matrix = PackedCsrMatrix<Scalar, MemorySpace>;

  template <class ExecutionSpace, class Visitor>
  static void visit(const ExecutionSpace& exec, const std::string& label, const Matrix& A,
                    const Visitor& visitor) {
    Kokkos::parallel_for(label, element_range(exec, Offset{A.num_bundles()} * A.group),
                         VisitPackedLanes<Scalar, Matrix::stored_precision, Visitor>{
                             PackedStreams<Scalar, Matrix::stored_precision>(A), visitor});
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, PackedCsrMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
