// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of the plan for products with ray tiles: bounds of the sums, and orders of the
// blocks.
#pragma once

#include <Tomokkos_SpmvRayTiles.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <impl/Tomokkos_RayTilesHosts.hpp>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>
#include <impl/Tomokkos_RayTilesTeams.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Least number of teams of a ray-tile kernel that share a multiprocessor. It limits the registers
/// per thread.
template <class Matrix>
inline constexpr int tile_teams = Matrix::is_packed ? 3 : 2;

template <class Matrix, class ExecutionSpace, class Functor>
void launch_blocks(const ExecutionSpace& exec, const std::string& label, const Matrix& A,
                   Offset blocks, const Functor& functor) {
  if (blocks == 0) return;
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<tile_threads, tile_teams<Matrix>>>;
  Kokkos::parallel_for(
      label,
      Policy(exec, static_cast<int>(blocks), tile_threads)
          .set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes(A.tile) + 16)),
      functor);
}

/// Makes the kernel that adds up row sums of A, or of |A| if `absolute`.
template <bool absolute, class ExecutionSpace, class Matrix, class Rows>
auto forward_kernel(const Matrix& A, const Rows& rows, const typename Matrix::scalar_type* x,
                    const double* bound, double row_bound, long long* sums, unsigned char* faults) {
  using Scalar = typename Matrix::scalar_type;
  return RayTilesForward<ExecutionSpace, Scalar, Matrix::stored_precision, Rows, absolute>{
      RayTilesStreams<Scalar, Matrix::stored_precision>(A),
      rows,
      x,
      bound,
      row_bound,
      sums,
      faults};
}

template <bool absolute, class ExecutionSpace, class Matrix, class Rows, class Integer>
auto back_kernel(const Matrix& A, const Rows& rows, const typename Matrix::scalar_type* y,
                 const double* bound, double column_bound, int bits, Integer* sums,
                 unsigned char* faults) {
  using Scalar = typename Matrix::scalar_type;
  return RayTilesBack<ExecutionSpace, Scalar, Matrix::stored_precision, Integer, Rows, absolute>{
      RayTilesStreams<Scalar, Matrix::stored_precision>(A),
      rows,
      y,
      bound,
      column_bound,
      bits,
      sums,
      faults};
}

/// Range of the groups that contain some rows.
struct GroupRange {
  Offset first, last;
};
template <class Matrix>
GroupRange groups_of(const Matrix& A, RowRange rows) {
  const Offset first = rows.begin < A.num_rows ? rows.begin / A.group_rows : 0;
  return {first, rows.begin < rows.end ? (rows.end - 1) / A.group_rows + 1 : first};
}

/// Blocks of successive groups of rows, as a part of the matrix's list `group_blocks`.
struct BlocksOfGroups {
  const Ordinal* blocks;
  Offset count;
};

template <class Plan, class Matrix>
BlocksOfGroups blocks_of_groups(const Plan& plan, const Matrix& A, GroupRange groups) {
  const std::vector<Offset>& offsets = plan.group_offsets();
  const Offset first = offsets[static_cast<std::size_t>(groups.first)];
  return {A.group_blocks.data() + first, offsets[static_cast<std::size_t>(groups.last)] - first};
}

/// Range of the tiles that cover some columns.
struct TileRange {
  Offset first, last;
};
template <class Matrix>
TileRange tiles_of(const Matrix& A, RowRange columns) {
  if (columns.begin == columns.end) return {0, 0};
  return {columns.begin / A.tile, (columns.end - 1) / A.tile + 1};
}

/// Block, and the number of its chunks that have to be read.
struct SizedBlock {
  Ordinal block;
  Offset chunks;
};

/// Sorts blocks by descending number of chunks and drops those without any. Blocks of equal size
/// keep their order.
template <class ExecutionSpace>
Vector<Ordinal, typename ExecutionSpace::memory_space> largest_first(
    const ExecutionSpace& exec, std::vector<SizedBlock> blocks) {
  std::erase_if(blocks, [](const SizedBlock& block) { return block.chunks == 0; });
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const SizedBlock& a, const SizedBlock& b) { return a.chunks > b.chunks; });
  std::vector<Ordinal> list(blocks.size());
  std::transform(blocks.begin(), blocks.end(), list.begin(),
                 [](const SizedBlock& block) { return block.block; });
  const auto result = allocate<Vector<Ordinal, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::RayTilesPlan::largest_first", list.size());
  Kokkos::deep_copy(
      exec, result,
      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          list.data(), list.size()));
  fence(exec, "RayTilesPlan: the list of blocks on the host may be freed");
  return result;
}

/// Lists the blocks `first` to `last` of A with all their chunks.
template <class ExecutionSpace, class Matrix>
std::vector<SizedBlock> sized_blocks(const ExecutionSpace& exec, const Matrix& A, Offset first,
                                     Offset last) {
  if (first == last) return {};
  const auto chunks = host_copy(
      exec, Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>(Kokkos::subview(
                A.chunk_offsets,
                std::pair(static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1))));
  std::vector<SizedBlock> blocks(static_cast<std::size_t>(last - first));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = {static_cast<Ordinal>(first) + static_cast<Ordinal>(i), chunks[i + 1] - chunks[i]};
  return blocks;
}

inline constexpr const char* tiles_largest = "Tomokkos::ray_tiles::largest_entry";

/// Finds the largest absolute value of A; an infinity if some value is not finite.
template <class Scalar, StoredPrecision Values>
struct LargestTileValue {
  RayTilesStreams<Scalar, Values> A;
  KOKKOS_FUNCTION void operator()(const Offset b, double& largest) const {
    const auto block = A.block(b);
    for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
      const auto pack = block.pack(p);
      for (int c = 0; c < tile_pack; ++c) {
        const double value = fabs(static_cast<double>(block.value(pack, c)));
        const double met = value - value == 0 ? value : HUGE_VAL;
        if (met > largest) largest = met;
      }
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
RayTilesPlan<ExecutionSpace, Matrix>::RayTilesPlan(const ExecutionSpace& exec, const Matrix& A)
    : shared_(std::make_shared<Shared>()) {
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    using Scalar = scalar_type;
    bound_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::RayTilesPlan::bound", 1);
    const auto host_bound = [&] {
      return Impl::read_entry(exec, bound_, 0, "RayTilesPlan: a bound of the matrix");
    };
    row_sums_ = allocate<Vector<long long, memory_space>>(exec, "Tomokkos::RayTilesPlan::row_sums",
                                                          A.num_rows);
    row_faults_ = allocate<Vector<unsigned char, memory_space>>(
        exec, "Tomokkos::RayTilesPlan::row_faults", A.num_rows);
    column_faults_ = allocate<Vector<unsigned char, memory_space>>(
        exec, "Tomokkos::RayTilesPlan::column_faults", A.num_cols);
    Kokkos::deep_copy(exec, row_sums_, 0LL);
    Kokkos::deep_copy(exec, row_faults_, static_cast<unsigned char>(0));
    Kokkos::deep_copy(exec, column_faults_, static_cast<unsigned char>(0));

    Kokkos::parallel_reduce(
        "Tomokkos::ray_tiles::largest_value", Impl::element_range(exec, A.num_blocks()),
        Impl::LargestTileValue<Scalar, Matrix::stored_precision>{
            Impl::RayTilesStreams<Scalar, Matrix::stored_precision>(A)},
        Kokkos::Max<double, memory_space>(
            Kokkos::View<double, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                bound_.data())));
    const double largest = A.num_stored() > 0 ? host_bound() : 0.0;
    require(largest - largest == 0, "ray tiles cannot hold values that are not finite");
    // Exact enough for bounds, even from a starting bound that is as large as possible.
    auto ones = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::RayTilesPlan::ones",
                                                       std::max(A.num_rows, A.num_cols));
    Kokkos::deep_copy(exec, ones, Scalar(1));
    const auto bound_of = [&](Offset count, double loose, auto& sums) {
      if (!(loose > 0)) return 0.0;
      Impl::largest_finite(exec, Impl::tiles_largest, sums.data(), count, 1, bound_);
      return host_bound() *
             Impl::power_of_two(
                 -Impl::fixed_point_exponent(loose, Impl::fixed_point_bits<long long>)) *
             1.0001;
    };
    const auto one = allocate<Vector<double, memory_space>>(exec, "Tomokkos::RayTilesPlan::one", 1);
    Kokkos::deep_copy(exec, one, 1.0);
    const double loose_rows = largest * A.num_cols, loose_columns = largest * A.num_rows;
    Impl::launch_blocks(exec, "Tomokkos::ray_tiles::row_bounds", A, A.num_blocks(),
                        Impl::forward_kernel<true, ExecutionSpace>(
                            A, Impl::EveryRow(), ones.data(), one.data(), loose_rows,
                            row_sums_.data(), row_faults_.data()));
    row_bound_ = bound_of(A.num_rows, loose_rows, row_sums_);
    Kokkos::deep_copy(exec, row_sums_, 0LL);
    {
      auto sums = allocate<Vector<long long, memory_space>>(
          exec, "Tomokkos::RayTilesPlan::long_column_sums", A.num_cols);
      Kokkos::deep_copy(exec, sums, 0LL);
      Impl::launch_blocks(
          exec, "Tomokkos::ray_tiles::column_bounds", A, A.num_blocks(),
          Impl::back_kernel<true, ExecutionSpace>(A, Impl::EveryRow(), ones.data(), one.data(),
                                                  loose_columns, Impl::fixed_point_bits<long long>,
                                                  sums.data(), column_faults_.data()));
      column_bound_ = bound_of(A.num_cols, loose_columns, sums);
    }
    if (largest > 0) Impl::require_summable_columns<Scalar>(column_bound_, "ray tiles");
    column_sums_ = allocate<Vector<integer_type, memory_space>>(
        exec, "Tomokkos::RayTilesPlan::column_sums", A.num_cols);
    Kokkos::deep_copy(exec, column_sums_, integer_type(0));
    group_offsets_ = Impl::host_copy(exec, A.group_offsets);
    tile_blocks_ = Impl::host_copy(exec, A.tile_blocks);
    largest_first_ =
        Impl::largest_first(exec, Impl::sized_blocks(exec, A, Offset{0}, A.num_blocks()));
    using Orders = Impl::BlockOrders<memory_space>;
    shared_->of_rows = Orders(Impl::row_lists, A.num_blocks());
    shared_->of_columns = Orders(Impl::column_lists, A.num_blocks());
  } else {
    share_begins_ =
        Impl::begins_of_shares(A.tile_blocks.data(), A.chunk_offsets.data(), A.num_tiles(), A.tile);
    if (share_begins_.back() > A.num_tiles())
      windows_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::RayTilesPlan::windows",
                                                        Offset{share_begins_.back()} * A.tile);
  }
  Impl::fence(exec, "RayTilesPlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Matrix>
auto RayTilesPlan<ExecutionSpace, Matrix>::largest_of_rows(const ExecutionSpace& exec,
                                                           const Matrix& A, RowRange rows) const
    -> const Vector<Ordinal, memory_space>* {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return nullptr;
  } else {
    const Impl::BlocksOfGroups all = Impl::blocks_of_groups(*this, A, Impl::groups_of(A, rows));
    return shared_->of_rows.find_or_make(rows, all.count, [&] {
      using Ordinals = Kokkos::View<const Ordinal*, memory_space>;
      const auto chunks = allocate<Vector<Ordinal, memory_space>>(
          exec, "Tomokkos::RayTilesPlan::part_chunks", all.count);
      Kokkos::parallel_for(
          "Tomokkos::ray_tiles::part_chunks", Impl::element_range(exec, all.count),
          Impl::CountPartChunks<scalar_type, Matrix::stored_precision>{
              Impl::RayTilesStreams<scalar_type, Matrix::stored_precision>(A),
              Impl::RowsOfGroups{all.blocks, rows.begin, rows.end}, chunks.data()});
      const auto numbers = Impl::host_copy(exec, Ordinals(all.blocks, chunks.extent(0)));
      const auto sizes = Impl::host_copy(exec, Ordinals(chunks));
      std::vector<Impl::SizedBlock> blocks(sizes.size());
      for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = {numbers[i], sizes[i]};
      return Impl::largest_first(exec, std::move(blocks));
    });
  }
}

template <class ExecutionSpace, class Matrix>
auto RayTilesPlan<ExecutionSpace, Matrix>::largest_of_columns(const ExecutionSpace& exec,
                                                              const Matrix& A,
                                                              RowRange columns) const
    -> const Vector<Ordinal, memory_space>* {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return nullptr;
  } else {
    const Impl::TileRange tiles = Impl::tiles_of(A, columns);
    const Offset first = tile_blocks_[static_cast<std::size_t>(tiles.first)];
    const Offset last = tile_blocks_[static_cast<std::size_t>(tiles.last)];
    return shared_->of_columns.find_or_make(columns, last - first, [&] {
      return Impl::largest_first(exec, Impl::sized_blocks(exec, A, first, last));
    });
  }
}

}  // namespace Tomokkos
