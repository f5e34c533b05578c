// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <cmath>
#include <impl/Tomokkos_PackedCsrGroups.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Computes the shape of the matrix without its entries.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values> packed_csr_shape(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PackedCsrOptions& options, const IndexMap<typename ExecutionSpace::memory_space>& rows,
    PackedCsrSize& size) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Lengths = Kokkos::View<Ordinal*, MemorySpace>;
  using Offsets = Kokkos::View<Offset*, MemorySpace>;
  constexpr bool gpu = !is_host_space<ExecutionSpace>;
  require(options.group == 0 || options.group == 8 || options.group == 16 || options.group == 32,
          Impl::text("packed rows: a group has 8, 16 or 32 entries, not {}", options.group));
  PackedCsrMatrix<Scalar, MemorySpace, Values> result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  result.nonzeros = A.num_nonzeros();
  result.pack = sell_pack(gpu);
  if (rows.size() > 0) {
    require_equal("rows of the order", rows.size(), "rows of A", A.num_rows);
    require(rows.is_permutation(), "packed rows: the order of the rows must contain all rows");
    result.rows = rows.to_natural;
  }
  const Ordinal* const order = rows.size() > 0 ? rows.to_natural.data() : nullptr;
  const auto measure = [&](int side, const Lengths& lengths, const Offsets& sizes) {
    const Offset bundles = (Offset{A.num_rows} + side - 1) / side;
    Offset stored = 0;
    Kokkos::parallel_reduce("Tomokkos::packed_csr::bundles",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, bundles),
                            PackedBundleSizes<MemorySpace>{A.row_offsets.data(), order, A.num_rows,
                                                           side, result.pack, lengths, sizes},
                            stored);
    return stored;
  };
  const int side = options.group > 0 ? options.group : sell_chunk(gpu, sizeof(Scalar));
  const Offset across = measure(side, {}, {});
  size.layout = options.layout != PackedLayout::automatic
                    ? options.layout
                    : choose_packed_layout(gpu, A.num_rows, A.num_nonzeros(), across);
  if (size.layout == PackedLayout::across_rows) {
    const double fill = A.num_nonzeros() > 0
                            ? static_cast<double>(across) / static_cast<double>(A.num_nonzeros())
                            : 1.0;
    require(fill <= options.limit.largest_fill,
            Impl::text("packed rows side by side would store {} entries for {} nonzeros, {} times "
                       "as many; the limit is {}",
                       across, A.num_nonzeros(), std::to_string(fill),
                       std::to_string(options.limit.largest_fill)));
    result.side = result.group = side;
  } else {
    // Short rows would leave lanes of a warp idle.
    const bool short_rows = A.num_nonzeros() < 64 * Offset{A.num_rows};
    result.group = options.group > 0 ? options.group : gpu && short_rows ? 8 : 32;
  }
  const Offset bundles = (Offset{A.num_rows} + result.side - 1) / result.side;
  require(bundles * result.side <= 2147483647, "the slots of packed rows must not exceed 2^31 - 1");
  const auto lengths =
      allocate<Lengths>(exec, "Tomokkos::PackedCsrMatrix::row_lengths", bundles * result.side);
  const auto offsets =
      allocate<Offsets>(exec, "Tomokkos::PackedCsrMatrix::bundle_offsets", bundles + 1);
  Kokkos::deep_copy(exec, offsets, Offset{0});
  size.stored = measure(result.side, lengths, offsets);
  exclusive_scan(exec, "Tomokkos::packed_csr::offsets", offsets);
  result.row_lengths = lengths;
  result.bundle_offsets = offsets;
  size.group = result.group;
  const Offset chunk = Offset{result.group} * result.pack;
  size.groups = (size.stored / chunk + (result.side == 1 ? bundles : 0)) * result.pack;
  return result;
}

template <class ExecutionSpace, class Scalar, class Matrix>
PackedSource packed_source(const ExecutionSpace&,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           const Matrix& shape) {
  return {PackedStreams<Scalar, Matrix::stored_precision>(shape), A.row_offsets.data(),
          A.columns.data()};
}

/// Counts the far groups and the bytes, which completes \p size.
template <class ExecutionSpace, class Scalar, class Matrix>
void count_far_groups(const ExecutionSpace& exec,
                      const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                      const Matrix& shape, PackedCsrSize& size) {
  size.far_groups = 0;
  Kokkos::parallel_reduce("Tomokkos::packed_csr::count_far", element_range(exec, size.groups),
                          CountFarGroups{packed_source(exec, A, shape), nullptr}, size.far_groups);
  require(size.far_groups <= Offset{packed_bits},
          "packed rows: more than 2^30 groups have columns more than 65535 apart; this format "
          "does not suit the matrix");
  size.bytes = shape.memory_bytes() +
               static_cast<std::size_t>(size.groups) * sizeof(std::uint32_t) +
               static_cast<std::size_t>(size.far_groups * size.group) * sizeof(Ordinal) +
               static_cast<std::size_t>(size.stored) * Matrix::entry_bytes;
}

/// Returns the least and the largest value; throws if one is not finite.
template <StoredPrecision Values, class ExecutionSpace, class Scalar>
std::pair<double, double> packed_value_range(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  double least = 0, largest = 0;
  if (A.num_nonzeros() > 0)
    Kokkos::parallel_reduce("Tomokkos::packed_csr::value_range",
                            element_range(exec, A.num_nonzeros()),
                            ValueRange<Scalar, typename ExecutionSpace::memory_space>{A.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
  require(std::isfinite(least) && std::isfinite(largest),
          "packed rows with values of 16 bits cannot hold values that are not finite");
  if (Values == StoredPrecision::half)
    require(least > -65520 && largest < 65520,
            "values of 16 bits in packed rows cannot exceed 65504; scale the matrix, or use "
            "`scaled`");
  return {least, largest};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
PackedCsrSize packed_csr_size(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                              const PackedCsrOptions& options,
                              const IndexMap<typename ExecutionSpace::memory_space>& rows) {
  PackedCsrSize size;
  const auto shape =
      Impl::packed_csr_shape<ExecutionSpace, Scalar, Values>(exec, A, options, rows, size);
  Impl::count_far_groups(exec, A, shape, size);
  return size;
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values> packed_csr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PackedCsrOptions& options, const IndexMap<typename ExecutionSpace::memory_space>& rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Words = Kokkos::View<std::uint32_t*, MemorySpace>;
  using Matrix = PackedCsrMatrix<Scalar, MemorySpace, Values>;
  Impl::ScopedRegion region("Tomokkos::packed_csr_from_csr");
  PackedCsrSize size;
  Matrix result =
      Impl::packed_csr_shape<ExecutionSpace, Scalar, Values>(exec, A, options, rows, size);
  if (Values != StoredPrecision::plain) {
    const auto [least, largest] = Impl::packed_value_range<Values>(exec, A);
    if (Values == StoredPrecision::scaled) {
      result.least = static_cast<float>(least);
      result.step = static_cast<float>((largest - least) / 65535);
    }
  }
  Impl::count_far_groups(exec, A, result, size);
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::MemoryNeed().add(size.bytes, 1).require_available("the matrix in packed rows");

  constexpr bool packed = Matrix::is_packed;
  const auto bases = allocate<Words>(exec, "Tomokkos::PackedCsrMatrix::bases", size.groups);
  const auto far_columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::PackedCsrMatrix::far_columns", size.far_groups * size.group);
  const auto offsets = allocate<Kokkos::View<std::uint16_t*, MemorySpace>>(
      exec, "Tomokkos::PackedCsrMatrix::offsets", packed ? 0 : size.stored);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::PackedCsrMatrix::values", packed ? 0 : size.stored);
  const auto words =
      allocate<Words>(exec, "Tomokkos::PackedCsrMatrix::words", packed ? size.stored : 0);
  const auto source = Impl::packed_source(exec, A, result);
  Kokkos::View<Offset*, MemorySpace> far;
  if (size.far_groups > 0) {
    far = allocate<Kokkos::View<Offset*, MemorySpace>>(
        exec, "Tomokkos::PackedCsrMatrix::far_before", size.groups + 1);
    Kokkos::parallel_reduce("Tomokkos::packed_csr::mark_far",
                            Impl::element_range(exec, size.groups),
                            Impl::CountFarGroups{source, far.data()}, size.far_groups);
    Impl::exclusive_scan(exec, "Tomokkos::packed_csr::scan", far);
  }
  Kokkos::parallel_for("Tomokkos::packed_csr::fill", Impl::element_range(exec, size.groups),
                       Impl::FillPackedGroup<Scalar, Values>{
                           source, A.values.data(), far.data(), bases.data(), far_columns.data(),
                           offsets.data(), values.data(), words.data(), result.least, result.step});
  result.bases = bases;
  result.far_columns = far_columns;
  result.offsets = offsets;
  result.values = values;
  result.words = words;
  Impl::fence(exec, "packed_csr_from_csr: any instance may read it from now on");
  return result;
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, A.num_rows);
  const Impl::PackedStreams<Scalar, Values> streams(A);
  const auto row_offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  const auto csr = Impl::allocate_entries<Scalar>(exec, row_offsets, A.nonzeros);
  Kokkos::parallel_for("Tomokkos::packed_csr::count", slots,
                       Impl::ScatterPackedLengths{streams, row_offsets.data()});
  Impl::exclusive_scan(exec, "Tomokkos::packed_csr::row_offsets", row_offsets);
  Kokkos::parallel_for("Tomokkos::packed_csr::to_csr", slots,
                       Impl::CopyPackedRow<Scalar, Values>{streams, row_offsets.data(),
                                                           csr.columns.data(), csr.values.data()});
  Impl::fence(exec, "to_csr: any instance may read it from now on");
  return csr.matrix(A.num_rows, A.num_cols);
}

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES)                                  \
  template PackedCsrSize packed_csr_size<SPACE, SCALAR, VALUES>(                            \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PackedCsrOptions&, \
      const IndexMap<SPACE::memory_space>&);                                                \
  template PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>                             \
  packed_csr_from_csr<SPACE, SCALAR, VALUES>(                                               \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PackedCsrOptions&, \
      const IndexMap<SPACE::memory_space>&);                                                \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR, VALUES>(            \
      const SPACE&, const PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, StoredPrecision::plain)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
