// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PackedRowsSizes.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Description packed_rows_sizes(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                              const IndexMap<typename ExecutionSpace::memory_space>& rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto bytes = [&]<class Other, StoredPrecision Values>() {
    // Sizes follow from the pattern; the values are not read.
    CsrMatrix<Other, MemorySpace> pattern;
    pattern.num_rows = A.num_rows;
    pattern.num_cols = A.num_cols;
    pattern.row_offsets = A.row_offsets;
    pattern.columns = A.columns;
    pattern.values = Kokkos::View<const Other*, MemorySpace>(nullptr, A.values.extent(0));
    return packed_csr_size<ExecutionSpace, Other, Values>(exec, pattern, {}, rows).bytes;
  };
  try {
    Description plain = Description::map(true), packed = Description::map(true);
#define TOMOKKOS_ADD(SCALAR) \
  plain.set(scalar_name<SCALAR>(), bytes.template operator()<SCALAR, StoredPrecision::plain>());
    TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
    packed.set(scalar_name<float>(), bytes.template operator()<float, StoredPrecision::half>());
    return Description::map()
        .set("packed_csr", plain)
        .set("packed_csr_half", packed)
        .set("packed_csr_scaled", packed);
  } catch (const Refused&) {
    // Packed rows cannot hold this matrix, so it has no size.
    return Description::map();
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                        \
  template Description packed_rows_sizes<SPACE, SCALAR>(           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, \
      const IndexMap<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
