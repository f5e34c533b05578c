// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>
#include <impl/Tomokkos_RayTilesSegments.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <impl/Tomokkos_WindowedKernels.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Finds the first row that returns to a tile that it has left.
template <class MemorySpace>
struct FirstRowOutOfOrder {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal tile;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row >= first) return;
    for (Offset k = row_offsets(row) + 1; k < row_offsets(row + 1); ++k)
      if (columns(k) / tile < columns(k - 1) / tile) {
        first = row;
        return;
      }
  }
};

/// Counts the segments of all rows.
template <class MemorySpace>
struct SumSegments {
  Vector<long long, MemorySpace> total;

  struct Row {
    long long* total;
    KOKKOS_FUNCTION void opens(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void closes(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void takes(Offset, Ordinal, Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void ends(Ordinal found) const { add_shared(total, found); }
  };
  KOKKOS_FUNCTION Row of_row(Offset) const { return {total.data()}; }
};

/// Computes the begins and lengths of the segments.
template <class MemorySpace>
struct StoreSegments {
  Kokkos::View<const Offset*, MemorySpace> row_offsets, row_segments;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const double*, MemorySpace> numbers;
  Kokkos::View<const Ordinal*, MemorySpace> by_rows;  // lengths, in the order of the rows
  Kokkos::View<Offset*, MemorySpace> begins;
  Kokkos::View<std::uint16_t*, MemorySpace> lengths;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const auto number = static_cast<Offset>(numbers(at));
    Offset begin = row_offsets(rows(at));
    for (Offset before = row_segments(rows(at)); before < number; ++before)
      begin += by_rows(before);
    begins(at) = begin;
    lengths(at) = static_cast<std::uint16_t>(by_rows(number));
  }
};

/// Stores the first row of every block.
template <class MemorySpace>
struct StoreFirstRows {
  Kokkos::View<const Offset*, MemorySpace> segment_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<Ordinal*, MemorySpace> first;
  KOKKOS_FUNCTION void operator()(const Offset b) const { first(b) = rows(segment_offsets(b)); }
};

template <class ExecutionSpace, class Functor>
void launch_windows(const ExecutionSpace& exec, const std::string& label, Offset blocks,
                    Ordinal tile, const Functor& functor) {
  if (blocks == 0) return;
  Kokkos::parallel_for(label,
                       typename Functor::Policy(exec, static_cast<int>(blocks), window_threads)
                           .set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes(tile))),
                       functor);
}

/// Number of windows on a host, whatever the number of threads.
inline constexpr Offset host_windows = 64;

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
WindowedPlan<ExecutionSpace, Scalar>::WindowedPlan(const ExecutionSpace& exec, const matrix_type& A,
                                                   Ordinal tile) {
  require(tile >= 1 && tile <= largest_tile,
          Impl::text("windows must have 1 to {} columns, not {}", largest_tile, tile));
  const Impl::ScopedRegion region("Tomokkos::WindowedPlan");
  num_rows_ = A.num_rows;
  nonzeros_ = A.num_nonzeros();
  tile_ = tile;
  num_tiles_ = static_cast<Ordinal>((Offset{A.num_cols} + tile - 1) / tile);
  Ordinal first = A.num_rows;
  Kokkos::parallel_reduce("Tomokkos::windowed::order",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                          Impl::FirstRowOutOfOrder<memory_space>{A.row_offsets, A.columns, tile},
                          Kokkos::Min<Ordinal>(first));
  Impl::fence(exec, "WindowedPlan: the first row out of order");
  require(first >= A.num_rows,
          Impl::text("windows require rows with ascending columns; those of row {} do not ascend",
                     first));
  list_segments(exec, A);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    const Offset tiles = std::max<Offset>(num_tiles_, 1);
    const Offset wanted = (Impl::host_windows + tiles - 1) / tiles;
    shares_ = static_cast<int>(std::clamp<Offset>((num_blocks() + tiles - 1) / tiles, 1, wanted));
    windows_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::WindowedPlan::windows",
                                                      Offset{num_tiles_} * shares_ * tile);
  } else {
    order_blocks(exec);
    bound_columns(exec, A);
  }
  Impl::fence(exec, "WindowedPlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void WindowedPlan<ExecutionSpace, Scalar>::list_segments(const ExecutionSpace& exec,
                                                         const matrix_type& A) {
  RayTilesLayout<ExecutionSpace> layout(exec, A.num_rows, A.num_cols, nonzeros_, {tile_, 0});
  layout.count(exec, A.row_offsets, A.columns);
  const auto segments = layout.by_tiles(exec);
  const auto count = segments.rows.extent(0);
  const auto begins = allocate<Kokkos::View<Offset*, memory_space>>(
      exec, "Tomokkos::WindowedPlan::segment_begins", count);
  const auto lengths = allocate<Kokkos::View<std::uint16_t*, memory_space>>(
      exec, "Tomokkos::WindowedPlan::segment_lengths", count);
  Kokkos::parallel_for(
      "Tomokkos::windowed::segments", Impl::element_range(exec, count),
      Impl::StoreSegments<memory_space>{A.row_offsets, layout.row_segments(), segments.rows,
                                        segments.numbers, segments.lengths, begins, lengths});
  segment_begins_ = begins;
  segment_lengths_ = lengths;
  segment_rows_ = segments.rows;
  std::vector<Offset> tile_blocks(static_cast<std::size_t>(num_tiles_) + 1, 0);
  for (const Ordinal t : segments.block_tiles) ++tile_blocks[static_cast<std::size_t>(t) + 1];
  for (std::size_t t = 1; t < tile_blocks.size(); ++t) tile_blocks[t] += tile_blocks[t - 1];
  require(tile_blocks.back() <= 2147483647,
          "the windows have more blocks than a launch can handle");
  tile_blocks_ =
      Impl::device_copy<memory_space>(exec, "Tomokkos::WindowedPlan::tile_blocks", tile_blocks);
  block_tiles_ = Impl::device_copy<memory_space>(exec, "Tomokkos::WindowedPlan::block_tiles",
                                                 segments.block_tiles);
  segment_offsets_ = Impl::device_copy<memory_space>(
      exec, "Tomokkos::WindowedPlan::segment_offsets", segments.segment_offsets);
}

template <class ExecutionSpace, class Scalar>
void WindowedPlan<ExecutionSpace, Scalar>::order_blocks(const ExecutionSpace& exec) {
  const auto first = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::WindowedPlan::first_rows", num_blocks());
  Kokkos::parallel_for("Tomokkos::windowed::first_rows", Impl::element_range(exec, num_blocks()),
                       Impl::StoreFirstRows<memory_space>{segment_offsets_, segment_rows_, first});
  const std::vector<Ordinal> rows =
      Impl::host_copy(exec, Kokkos::View<const Ordinal*, memory_space>(first));
  std::vector<Ordinal> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Ordinal a, Ordinal b) {
    return rows[static_cast<std::size_t>(a)] < rows[static_cast<std::size_t>(b)];
  });
  block_order_ =
      Impl::device_copy<memory_space>(exec, "Tomokkos::WindowedPlan::block_order", order);
}

template <class ExecutionSpace, class Scalar>
void WindowedPlan<ExecutionSpace, Scalar>::bound_columns(const ExecutionSpace& exec,
                                                         const matrix_type& A) {
  double least = 0, most = 0;
  if (nonzeros_ > 0)
    Kokkos::parallel_reduce("Tomokkos::windowed::value_range", Impl::element_range(exec, nonzeros_),
                            Impl::ValueRange<Scalar, memory_space>{A.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(most));
  const double largest = std::max(-least, most);
  require(std::isfinite(largest), "windows require a matrix with finite values");
  bound_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::WindowedPlan::bound", 1);
  column_faults_ = allocate<Vector<unsigned char, memory_space>>(
      exec, "Tomokkos::WindowedPlan::column_faults", A.num_cols);
  Kokkos::deep_copy(exec, column_faults_, static_cast<unsigned char>(0));
  // Sum |A| by columns. The loose bound makes these sums accurate enough.
  const double loose = largest * num_rows_;
  if (loose > 0) {
    const auto sums = allocate<Vector<long long, memory_space>>(
        exec, "Tomokkos::WindowedPlan::long_column_sums", A.num_cols);
    Kokkos::deep_copy(exec, sums, 0LL);
    Kokkos::deep_copy(exec, bound_, 1.0);
    constexpr int bits = Impl::fixed_point_bits<long long>;
    Impl::launch_windows(exec, "Tomokkos::windowed::column_bounds", num_blocks(), tile_,
                         Impl::WindowedColumnSums<ExecutionSpace, Scalar, long long, true>{
                             Impl::WindowStreams<Scalar>(*this, A, {0, A.num_rows}), nullptr, 1,
                             bound_.data(), loose, bits, sums.data(), column_faults_.data()});
    Impl::largest_finite(exec, "Tomokkos::windowed::largest_entry", sums.data(), A.num_cols, 1,
                         bound_);
    column_bound_ = Impl::read_entry(exec, bound_, 0, "WindowedPlan: the largest sum") *
                    Impl::power_of_two(-Impl::fixed_point_exponent(loose, bits)) * 1.0001;
    Impl::require_summable_columns<Scalar>(column_bound_, "windows");
  }
  column_sums_ = allocate<Vector<integer_type, memory_space>>(
      exec, "Tomokkos::WindowedPlan::column_sums", A.num_cols);
  Kokkos::deep_copy(exec, column_sums_, integer_type(0));
}

std::uint64_t windowed_construction_bytes(bool gpu, std::size_t scalar_bytes, std::uint64_t rows,
                                          std::uint64_t columns, std::uint64_t segments,
                                          Ordinal tile) {
  // Bytes per segment while the list of segments is reordered from rows to tiles: tile and length,
  // row and number, pack and run. Bytes per column: its narrow sum, an integer of the size of the
  // values, its wide sum, and its fault flag; on hosts also the windows.
  constexpr std::uint64_t segment_bytes = 56;
  const std::uint64_t column_bytes = scalar_bytes + sizeof(long long) + 1;
  const auto width = static_cast<std::uint64_t>(tile);
  const std::uint64_t windows = gpu ? 0 : columns / width + Impl::host_windows;
  return Impl::MemoryNeed()
      .add(windows * width, sizeof(double))
      .add(segments, segment_bytes)
      .add(rows + 1, 2 * sizeof(Offset))
      .add(columns, column_bytes)
      .bytes();
}

template <class ExecutionSpace, class Scalar>
std::uint64_t windowed_plan_bytes(const ExecutionSpace& exec,
                                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                                  Ordinal tile) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  // Allocate a single number only: this check runs before memory is allocated and must not need
  // any.
  const auto total =
      allocate<Vector<long long, MemorySpace>>(exec, "Tomokkos::WindowedPlan::num_segments", 1);
  Kokkos::deep_copy(exec, total, 0LL);
  Impl::visit_segments(exec, "Tomokkos::windowed::count", A.row_offsets, A.columns, tile,
                       Impl::SumSegments<MemorySpace>{total});
  const long long segments =
      Impl::read_entry(exec, total, 0, "windowed_plan_bytes: the number of segments");
  return windowed_construction_bytes(
      !Impl::is_host_space<ExecutionSpace>, sizeof(Scalar), static_cast<std::uint64_t>(A.num_rows),
      static_cast<std::uint64_t>(A.num_cols), static_cast<std::uint64_t>(segments), tile);
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose_windowed(const ExecutionSpace& exec,
                             const WindowedPlan<ExecutionSpace, Scalar>& plan,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                             RowRange rows, Coefficient<Scalar> alpha,
                             const InputMultiVector<ExecutionSpace, Scalar>& X,
                             Coefficient<Scalar> beta,
                             const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  require_equal("rows of A", A.num_rows, "rows of the matrix of the plan", plan.num_rows());
  require_equal("nonzeros of A", A.num_nonzeros(), "nonzeros of the matrix of the plan",
                plan.num_nonzeros());
  Impl::require_operands(Impl::Operand("X", X, Impl::rows_in(range, A.num_rows), count),
                         Impl::Operand("Y", Y, "columns of A", A.num_cols));
  const Impl::WindowStreams<Scalar> streams(plan, A, range);
  const auto stride = static_cast<int>(X.extent(1));
  for (int v = 0; v < stride; ++v) {
    const Scalar* const x = X.data() + v;
    Scalar* const y = Y.data() + v;
    if constexpr (Impl::is_host_space<ExecutionSpace>) {
      using Policy = Kokkos::RangePolicy<ExecutionSpace, Offset, Kokkos::Schedule<Kokkos::Dynamic>>;
      Kokkos::parallel_for(
          "Tomokkos::spmv_transpose::windowed",
          Policy(exec, 0, Offset{plan.num_tiles()} * plan.shares()),
          Impl::WindowedHost<Scalar>{streams, x, stride, plan.shares(), plan.windows().data()});
      Kokkos::parallel_for("Tomokkos::spmv_transpose::windowed_finish",
                           Impl::element_range(exec, A.num_cols),
                           Impl::AddHostWindows<Scalar>{plan.windows().data(), plan.tile(),
                                                        plan.shares(), alpha, beta, y, stride});
    } else {
      using Integer = typename WindowedPlan<ExecutionSpace, Scalar>::integer_type;
      const int bits = Impl::column_sum_bits<Integer>(A.num_rows);
      Impl::largest_finite(exec, "Tomokkos::windowed::largest_entry", x, count, stride,
                           plan.bound());
      Impl::launch_windows(exec, "Tomokkos::spmv_transpose::windowed", plan.num_blocks(),
                           plan.tile(),
                           Impl::WindowedColumnSums<ExecutionSpace, Scalar, Integer>{
                               streams, x, stride, plan.bound().data(), plan.column_bound(), bits,
                               plan.column_sums().data(), plan.column_faults().data()});
      Impl::store_fixed_sums(
          exec, "Tomokkos::spmv_transpose::windowed_finish", A.num_cols,
          Impl::FixedSums<Scalar, Integer>{plan.bound().data(), plan.column_bound(), bits, alpha,
                                           beta, plan.column_sums().data(),
                                           plan.column_faults().data(), y, stride});
    }
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                  \
  template class WindowedPlan<SPACE, SCALAR>;                                \
  template std::uint64_t windowed_plan_bytes<SPACE, SCALAR>(                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal); \
  template void spmv_transpose_windowed<SPACE, SCALAR>(                      \
      const SPACE&, const WindowedPlan<SPACE, SCALAR>&,                      \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,       \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,     \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
