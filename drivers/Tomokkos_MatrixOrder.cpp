// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_Orderings.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

namespace {

/// A device array on the host.
template <class ExecutionSpace, class Value, class View>
std::vector<Value> host_copy(const ExecutionSpace& exec, const View& from) {
  std::vector<Value> result(from.extent(0));
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Value*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          result.data(), result.size()),
      from);
  exec.fence();
  return result;
}

}  // namespace

template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> geometric_order(const ExecutionSpace& exec,
                                                                   const OrderingOptions& ordering,
                                                                   const MatrixGrids& grids) {
  MatrixOrder<typename ExecutionSpace::memory_space> result;
  if (orders_pixels(ordering)) {
    if (grids.image_rows == 0)
      throw ConfigError("ordering: columns: " + std::string(to_string(ordering.columns)) +
                        " is for the pixels of an image, which this matrix does not have");
    if (grids.image_slices > 0 && ordering.columns != Ordering::tiles)
      throw ConfigError("ordering: columns: " + std::string(to_string(ordering.columns)) +
                        " is for the pixels of an image, not for the voxels of a volume");
    const auto order =
        grids.image_slices > 0
            ? boxed_voxel_order(grids.image_slices, grids.image_rows, grids.image_columns)
        : ordering.columns == Ordering::tiles
            ? tiled_pixel_order(grids.image_rows, grids.image_columns)
        : ordering.columns == Ordering::squares
            ? square_pixel_order(grids.image_rows, grids.image_columns)
            : hilbert_order(grids.image_rows, grids.image_columns);
    result.columns = make_index_map(exec, static_cast<Ordinal>(order.size()), order);
  }
  if (ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert) {
    if (grids.views == 0)
      throw ConfigError("ordering: rows: " + std::string(to_string(ordering.rows)) +
                        " is for the rays of a scan, which this matrix does not have");
    const auto order = ordering.rows == Ordering::tiles
                           ? tiled_ray_order(grids.views, grids.detectors)
                           : hilbert_order(grids.views, grids.detectors);
    result.rows = make_index_map(exec, grids.views * grids.detectors, order);
  }
  if (ordering.rows == Ordering::subsets && grids.views > 0)
    result.rows = make_index_map(exec, grids.views * grids.detectors,
                                 subset_ray_order(grids.views, grids.detectors, ordering.subsets));
  if (ordering.rows == Ordering::subsets && grids.crystals > 0)
    result.rows =
        make_index_map(exec, grids.crystals * grids.crystals,
                       subset_pair_order(grids.crystals, grids.crystals_around, ordering.subsets));
  return result;
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_matrix(
    const ExecutionSpace& exec, const OrderingOptions& ordering, const MatrixGrids& grids,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  if (is_natural(ordering)) return {A, {}};
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::require_memory(A.memory_bytes(), "the matrix in another order needs");
  auto order = geometric_order(exec, ordering, grids);
  if (ordering.rows == Ordering::subsets && !order.rows) {
    order.rows =
        make_index_map(exec, A.num_rows, subset_ray_order(A.num_rows, 1, ordering.subsets));
  } else if (ordering.rows == Ordering::by_length) {
    const auto offsets = host_copy<ExecutionSpace, Offset>(exec, A.row_offsets);
    order.rows = make_index_map(exec, A.num_rows, order_by_length(offsets));
  } else if (ordering.rows == Ordering::rcm) {
    if (A.num_rows != A.num_cols)
      throw ConfigError("ordering: rcm needs a square matrix; this one is " +
                        std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols));
    const auto offsets = host_copy<ExecutionSpace, Offset>(exec, A.row_offsets);
    const auto columns = host_copy<ExecutionSpace, Ordinal>(exec, A.columns);
    order.rows = make_index_map(exec, A.num_rows, reverse_cuthill_mckee(offsets, columns));
    order.columns = order.rows;
  }
  return {csr_mapped<ExecutionSpace, Scalar>(
              exec, A, order.rows ? *order.rows : identity_map(exec, A.num_rows),
              order.columns ? *order.columns : identity_map(exec, A.num_cols)),
          order};
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                 \
  template MatrixOrder<SPACE::memory_space> geometric_order<SPACE>( \
      const SPACE&, const OrderingOptions&, const MatrixGrids&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                          \
  template OrderedMatrix<SPACE, SCALAR> order_matrix<SPACE, SCALAR>( \
      const SPACE&, const OrderingOptions&, const MatrixGrids&,      \
      const CsrMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
