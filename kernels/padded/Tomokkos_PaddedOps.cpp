// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on every entry of COO, ELLPACK, ELLPACK-R, HYB and SELL. A thread visits the entries
// of one row of a padded format, or one entry of COO.
#include <Tomokkos_ListFormats.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>

namespace Tomokkos::Impl {

template <class Scalar, class Visitor>
struct VisitPaddedRows {
  PaddedRows<Scalar> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Ordinal length = A.length(slot);
    for (Ordinal k = 0; k < length; ++k) {
      const Offset at = A.position(slot, k);
      visit(A.row(slot), A.columns[at], at);
    }
  }
};

template <class MemorySpace, class Visitor>
struct VisitList {
  Kokkos::View<const Ordinal*, MemorySpace> rows, columns;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Offset at) const { visit(rows(at), columns(at), at); }
};

template <class Scalar, class MemorySpace>
struct FormatEntries<CooMatrix<Scalar, MemorySpace>> {
  template <class ExecutionSpace, class Visitor>
  static void visit(const ExecutionSpace& exec, const std::string& label,
                    const CooMatrix<Scalar, MemorySpace>& A, const Visitor& visitor) {
    Kokkos::parallel_for(label, element_range(exec, A.num_nonzeros()),
                         VisitList<MemorySpace, Visitor>{A.rows, A.columns, visitor});
  }
};

template <class Matrix>
struct PaddedEntries {
  template <class ExecutionSpace, class Visitor>
  static void visit(const ExecutionSpace& exec, const std::string& label, const Matrix& A,
                    const Visitor& visitor) {
    using Scalar = typename Matrix::scalar_type;
    const PaddedRows<Scalar> rows = padded_rows(A);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows.num_slots),
                         VisitPaddedRows<Scalar, Visitor>{rows, visitor});
  }
};
template <class Scalar, class MemorySpace>
struct FormatEntries<EllMatrix<Scalar, MemorySpace>>
    : PaddedEntries<EllMatrix<Scalar, MemorySpace>> {};
template <class Scalar, class MemorySpace>
struct FormatEntries<EllRMatrix<Scalar, MemorySpace>>
    : PaddedEntries<EllRMatrix<Scalar, MemorySpace>> {};
template <class Scalar, class MemorySpace>
struct FormatEntries<SellMatrix<Scalar, MemorySpace>>
    : PaddedEntries<SellMatrix<Scalar, MemorySpace>> {};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, CooMatrix<SCALAR, SPACE::memory_space>)  \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, EllMatrix<SCALAR, SPACE::memory_space>)  \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, HybMatrix<SCALAR, SPACE::memory_space>)  \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
