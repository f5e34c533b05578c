// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {
namespace Impl {

/// Maps x bijectively so that every bit of the result depends on every bit of x. Multiplications by
/// odd numbers propagate bits upwards, shifts propagate them downwards.
KOKKOS_INLINE_FUNCTION std::uint64_t scramble(std::uint64_t x) {
  for (int i = 0; i < 3; ++i) {
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio
  }
  return x ^ (x >> 29);
}

/// Returns the bits of a value.
template <class Scalar>
KOKKOS_INLINE_FUNCTION std::uint64_t bits_of(const Scalar value) {
  union {
    Scalar value;
    std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t> bits;
  } same{value};
  return same.bits;
}

template <class Scalar, class MemorySpace>
struct FingerprintEntries {
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;
  Offset before;  // entries in earlier rows

  KOKKOS_FUNCTION void operator()(const Offset k, std::uint64_t& sum) const {
    const std::uint64_t place = scramble(static_cast<std::uint64_t>(before + k));
    const std::uint64_t column = scramble(place + static_cast<std::uint64_t>(columns(k)));
    sum += scramble(column + bits_of(values(k)));
  }
};

KOKKOS_INLINE_FUNCTION std::uint64_t fingerprint_of_row(Offset row, Offset offset) {
  const std::uint64_t place = scramble(~static_cast<std::uint64_t>(row));
  return scramble(place + static_cast<std::uint64_t>(offset));
}

template <class MemorySpace>
struct FingerprintRows {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Offset rows_before, entries_before;

  KOKKOS_FUNCTION void operator()(const Offset i, std::uint64_t& sum) const {
    sum += fingerprint_of_row(rows_before + i, entries_before + row_offsets(i));
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void CsrFingerprint<ExecutionSpace, Scalar>::add(
    const ExecutionSpace& exec,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  std::uint64_t entries = 0, rows = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::csr_fingerprint::entries", Impl::element_range(exec, block.values.extent(0)),
      Impl::FingerprintEntries<Scalar, MemorySpace>{block.columns, block.values, entries_},
      entries);
  // The end of the last row is counted as the begin of the next block or by value().
  Kokkos::parallel_reduce("Tomokkos::csr_fingerprint::rows",
                          Impl::element_range(exec, static_cast<std::size_t>(block.num_rows)),
                          Impl::FingerprintRows<MemorySpace>{block.row_offsets, rows_, entries_},
                          rows);
  Impl::fence(exec, "csr_fingerprint: the sums must have arrived");
  sum_ += entries + rows;
  rows_ += block.num_rows;
  entries_ += block.num_nonzeros();
}

template <class ExecutionSpace, class Scalar>
std::uint64_t CsrFingerprint<ExecutionSpace, Scalar>::value(Ordinal num_cols) const {
  return Impl::scramble(sum_ + Impl::fingerprint_of_row(rows_, entries_) +
                        static_cast<std::uint64_t>(num_cols));
}

template <class ExecutionSpace, class Scalar>
std::uint64_t csr_fingerprint(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  CsrFingerprint<ExecutionSpace, Scalar> sum;
  sum.add(exec, A);
  return sum.value(A.num_cols);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)              \
  template class CsrFingerprint<SPACE, SCALAR>;          \
  template std::uint64_t csr_fingerprint<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
