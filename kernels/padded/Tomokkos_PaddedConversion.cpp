// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of ELLPACK, ELLPACK-R and SELL from and to CSR.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <impl/Tomokkos_PaddedSlots.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
EllMatrix<Scalar, typename ExecutionSpace::memory_space> ell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PaddingLimit& limit) {
  EllMatrix<Scalar, typename ExecutionSpace::memory_space> target;
  const RowStatistics rows = row_statistics(exec, A);
  Impl::set_ell_shape<ExecutionSpace>(target, A.num_rows, A.num_cols, A.num_nonzeros(),
                                      rows.longest);
  Impl::check_storage<ExecutionSpace>("ell", static_cast<Offset>(A.num_rows) * target.width,
                                      A.num_nonzeros(), limit, Impl::padded_entry_bytes<Scalar>);
  Impl::fill_ell(exec, A, "Tomokkos::EllMatrix", target);
  return target;
}

template <class ExecutionSpace, class Scalar>
EllRMatrix<Scalar, typename ExecutionSpace::memory_space> ell_r_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const EllROptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  EllRMatrix<Scalar, MemorySpace> target;
  const RowStatistics rows = row_statistics(exec, A);
  Impl::set_ell_shape<ExecutionSpace>(target, A.num_rows, A.num_cols, A.num_nonzeros(),
                                      rows.longest);
  Impl::check_storage<ExecutionSpace>("ell_r", static_cast<Offset>(A.num_rows) * target.width,
                                      A.num_nonzeros(), options.limit,
                                      Impl::padded_entry_bytes<Scalar>);
  if (options.sort_by_length)
    target.rows = Impl::rows_by_length(exec, A.row_offsets, A.num_rows, rows.longest, 0);
  const auto lengths = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::EllRMatrix::row_lengths", A.num_rows);
  Kokkos::parallel_for("Tomokkos::convert::row_lengths",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                       Impl::SlotLengths<MemorySpace>{
                           A.row_offsets, options.sort_by_length ? target.rows.data() : nullptr,
                           A.num_rows, lengths});
  target.row_lengths = lengths;
  Impl::fill_ell(exec, A, "Tomokkos::EllRMatrix", target);
  return target;
}

template <class ExecutionSpace, class Scalar>
SellMatrix<Scalar, typename ExecutionSpace::memory_space> sell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const SellOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(options.chunk >= 0 && options.sigma >= 0, "chunk and sigma must not be negative");
  SellMatrix<Scalar, MemorySpace> target;
  target.num_rows = A.num_rows;
  target.num_cols = A.num_cols;
  target.nonzeros = A.num_nonzeros();
  target.chunk = options.chunk > 0 ? options.chunk : Impl::default_chunk<ExecutionSpace, Scalar>();
  target.pack = Impl::is_host_space<ExecutionSpace> ? 1 : Impl::gpu_sell_pack;
  target.sigma = options.sigma;
  require(options.sigma <= 1 || options.sigma % target.chunk == 0,
          Impl::text("sigma {} is not a multiple of the chunk of {} rows", options.sigma,
                     target.chunk));
  const RowStatistics statistics = row_statistics(exec, A);
  if (options.sigma != 1)
    target.rows =
        Impl::rows_by_length(exec, A.row_offsets, A.num_rows, statistics.longest, options.sigma);
  const Offset chunks = (static_cast<Offset>(A.num_rows) + target.chunk - 1) / target.chunk;
  const Offset slots = chunks * target.chunk;
  require(slots <= 2147483647, "the slots of SELL must not exceed 2^31 - 1");
  const auto lengths = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::SellMatrix::row_lengths", slots);
  const auto offsets = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::SellMatrix::chunk_offsets", chunks + 1);
  Kokkos::parallel_for(
      "Tomokkos::convert::row_lengths", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, slots),
      Impl::SlotLengths<MemorySpace>{
          A.row_offsets, options.sigma != 1 ? target.rows.data() : nullptr, A.num_rows, lengths});
  Kokkos::parallel_for("Tomokkos::convert::chunk_sizes",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks),
                       Impl::ChunkSizes<MemorySpace>{lengths, target.chunk, target.pack, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::convert::chunk_offsets", offsets);
  const Offset entries = Impl::read_entry(exec, offsets, chunks, "convert: entries of all chunks");
  Impl::check_storage<ExecutionSpace>("sell", entries, A.num_nonzeros(), options.limit,
                                      Impl::padded_entry_bytes<Scalar>);
  const auto columns =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::SellMatrix::columns", entries);
  const auto values =
      allocate<Kokkos::View<Scalar*, MemorySpace>>(exec, "Tomokkos::SellMatrix::values", entries);
  target.chunk_offsets = offsets;
  target.row_lengths = lengths;
  target.columns = columns;
  target.values = values;
  Kokkos::parallel_for("Tomokkos::convert::fill_sell",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, slots),
                       Impl::FillSlots<Scalar, MemorySpace>{A, Impl::padded_rows(target),
                                                            columns.data(), values.data()});
  Impl::fence(exec, "convert: the chunks are filled");
  return target;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const EllMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return Impl::csr_from_padded(exec, Impl::padded_rows(A), A.nonzeros);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const EllRMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return Impl::csr_from_padded(exec, Impl::padded_rows(A), A.nonzeros);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const SellMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return Impl::csr_from_padded(exec, Impl::padded_rows(A), A.nonzeros);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  template EllMatrix<SCALAR, SPACE::memory_space> ell_from_csr<SPACE, SCALAR>(           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PaddingLimit&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                 \
      const SPACE&, const EllMatrix<SCALAR, SPACE::memory_space>&);                      \
  template EllRMatrix<SCALAR, SPACE::memory_space> ell_r_from_csr<SPACE, SCALAR>(        \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const EllROptions&);  \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                 \
      const SPACE&, const EllRMatrix<SCALAR, SPACE::memory_space>&);                     \
  template SellMatrix<SCALAR, SPACE::memory_space> sell_from_csr<SPACE, SCALAR>(         \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const SellOptions&);  \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                 \
      const SPACE&, const SellMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
