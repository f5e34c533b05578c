// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_Orderings.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

namespace {

/// Copies a device array to the host.
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

std::vector<Ordinal> natural_order(Ordinal count) {
  std::vector<Ordinal> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Natural indices in the order of the matrix, after masking; empty: natural order.
using Order = std::optional<std::vector<Ordinal>>;

struct Orders {
  Order rows, columns;
};

/// Rows with the views distributed over subsets; single rows if the views are not known.
std::vector<Ordinal> subset_row_order(const MatrixGrids& grids, int subsets, Ordinal rows) {
  if (grids.crystals > 0) return subset_pair_order(grids.crystals, grids.crystals_around, subsets);
  if (grids.views > 0) return subset_ray_order(grids.views, grids.detectors, subsets);
  return subset_ray_order(rows, 1, subsets);
}

Orders geometric_orders(const OrderingOptions& ordering, const MatrixGrids& grids) {
  Orders result;
  if (orders_pixels(ordering)) {
    if (grids.image_rows == 0)
      throw ConfigError("ordering: columns: " + std::string(to_string(ordering.columns)) +
                        " applies only to the pixels of an image, which this matrix does not have");
    if (grids.image_slices > 0 && ordering.columns != Ordering::tiles)
      throw ConfigError("ordering: columns: " + std::string(to_string(ordering.columns)) +
                        " applies only to the pixels of an image, not to the voxels of a volume");
    result.columns =
        grids.image_slices > 0
            ? boxed_voxel_order(grids.image_slices, grids.image_rows, grids.image_columns)
        : ordering.columns == Ordering::tiles
            ? tiled_pixel_order(grids.image_rows, grids.image_columns)
        : ordering.columns == Ordering::squares
            ? square_pixel_order(grids.image_rows, grids.image_columns)
            : hilbert_order(grids.image_rows, grids.image_columns);
  }
  if (ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert) {
    if (grids.views == 0)
      throw ConfigError("ordering: rows: " + std::string(to_string(ordering.rows)) +
                        " applies only to the rays of a scan, which this matrix does not have");
    result.rows = ordering.rows == Ordering::tiles ? tiled_ray_order(grids.views, grids.detectors)
                                                   : hilbert_order(grids.views, grids.detectors);
  }
  if (ordering.rows == Ordering::subsets && (grids.views > 0 || grids.crystals > 0))
    result.rows = subset_row_order(grids, ordering.subsets, 0);
  return result;
}

/// Map of an order of `count` indices, or of the natural one, without the indices that a mask
/// removes.
template <class ExecutionSpace>
std::optional<MapOn<ExecutionSpace>> map_of(const ExecutionSpace& exec, const Order& order,
                                            const std::vector<char>& mask) {
  if (!order && mask.empty()) return std::nullopt;
  const std::size_t all = mask.empty() ? order->size() : mask.size();
  const auto count = static_cast<Ordinal>(all);
  return make_index_map(exec, count, kept_of(order ? *order : natural_order(count), mask));
}

}  // namespace

OrderingOptions ordering_named(Ordering name) {
  OrderingOptions ordering;
  if (name != Ordering::by_length && name != Ordering::subsets) ordering.columns = name;
  if (name != Ordering::squares) ordering.rows = name;
  return ordering;
}

std::optional<Ordering> single_name(const OrderingOptions& ordering) {
  for (const auto& [value, name] : EnumNames<Ordering>::names) {
    OrderingOptions named = ordering_named(value);
    named.subsets = ordering.subsets;
    if (named == ordering) return value;
  }
  return std::nullopt;
}

OrderingOptions default_ordering(int subsets) {
  OrderingOptions ordering = ordering_named(subsets > 1 ? Ordering::subsets : Ordering::natural);
  ordering.subsets = subsets;
  return ordering;
}

Description description_of(const OrderingOptions& ordering) {
  if (const auto name = single_name(ordering)) return *name;
  return describe_map(
      {{"columns", ordering.columns}, {"rows", ordering.rows}, {"entries", ordering.entries}},
      true);
}

Kokkos::View<const Offset*, Kokkos::HostSpace> mapped_offsets(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& natural_offsets,
    const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& to_natural) {
  const std::size_t count = to_natural.extent(0);
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::mapped_offsets", count + 1);
  for (std::size_t p = 0; p < count; ++p) {
    const Ordinal row = to_natural(p);
    offsets(p + 1) = offsets(p) + natural_offsets(row + 1) - natural_offsets(row);
  }
  return offsets;
}

template <class ExecutionSpace>
OrderOn<ExecutionSpace> geometric_order(const ExecutionSpace& exec, const OrderingOptions& ordering,
                                        const MatrixGrids& grids, const MatrixMasks& masks) {
  const Orders orders = geometric_orders(ordering, grids);
  return {map_of(exec, orders.rows, masks.rows), map_of(exec, orders.columns, masks.columns)};
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_matrix(const ExecutionSpace& exec,
                                                   const OrderingOptions& ordering,
                                                   const MatrixGrids& grids,
                                                   const MatrixOn<ExecutionSpace, Scalar>& A,
                                                   const MatrixMasks& masks) {
  if (is_natural(ordering))
    return {A, {map_of(exec, {}, masks.rows), map_of(exec, {}, masks.columns)}};
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::require_memory(A.memory_bytes(), "the matrix in another order needs");
  Orders orders = geometric_orders(ordering, grids);
  // Orders that depend on A refer to the kept rows only.
  const auto natural_of = [](std::vector<Ordinal> order, const std::vector<char>& mask) {
    if (mask.empty()) return order;
    const auto kept = kept_of(natural_order(static_cast<Ordinal>(mask.size())), mask);
    for (Ordinal& index : order) index = kept[static_cast<std::size_t>(index)];
    return order;
  };
  if (ordering.rows == Ordering::subsets && !orders.rows) {
    // Masked rows count, so that the kept rows stay in their subsets.
    const auto all = masks.rows.empty() ? A.num_rows : static_cast<Ordinal>(masks.rows.size());
    orders.rows = subset_row_order(grids, ordering.subsets, all);
  } else if (ordering.rows == Ordering::by_length) {
    const auto offsets = host_copy<ExecutionSpace, Offset>(exec, A.row_offsets);
    orders.rows = natural_of(order_by_length(offsets), masks.rows);
  } else if (ordering.rows == Ordering::rcm) {
    if (A.num_rows != A.num_cols)
      throw ConfigError("ordering: rcm needs a square matrix; this one is " +
                        std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols));
    const auto offsets = host_copy<ExecutionSpace, Offset>(exec, A.row_offsets);
    const auto columns = host_copy<ExecutionSpace, Ordinal>(exec, A.columns);
    const auto both = reverse_cuthill_mckee(offsets, columns);
    orders.rows = natural_of(both, masks.rows);
    orders.columns = natural_of(both, masks.columns);
  }
  const auto moves = [&](const Order& order, const std::vector<char>& mask, Ordinal count) {
    return order ? make_index_map(exec, count, positions_among_kept(kept_of(*order, mask), mask))
                 : identity_map(exec, count);
  };
  return {csr_mapped<ExecutionSpace, Scalar>(exec, A, moves(orders.rows, masks.rows, A.num_rows),
                                             moves(orders.columns, masks.columns, A.num_cols)),
          {map_of(exec, orders.rows, masks.rows), map_of(exec, orders.columns, masks.columns)}};
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                    \
  template OrderOn<SPACE> geometric_order<SPACE>(const SPACE&, const OrderingOptions&, \
                                                 const MatrixGrids&, const MatrixMasks&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template OrderedMatrix<SPACE, SCALAR> order_matrix<SPACE, SCALAR>(                            \
      const SPACE&, const OrderingOptions&, const MatrixGrids&, const MatrixOn<SPACE, SCALAR>&, \
      const MatrixMasks&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

SubsetDivision divide_into_subsets(const MatrixGrids& grids, Ordering rows, int subsets,
                                   Ordinal view_rows, const std::vector<char>& mask) {
  SubsetDivision cut;
  const bool is_dealt = rows == Ordering::subsets;
  // In other orders, neighbouring rows do not belong to one view.
  if (is_dealt)
    cut.unit = grids.subset_unit();
  else if (rows == Ordering::natural)
    cut.unit = view_rows;
  if (mask.empty() || subsets == 1 || (cut.unit == 1 && !is_dealt)) return cut;
  const auto count = static_cast<Ordinal>(mask.size());
  const std::vector<Ordinal> order =
      is_dealt ? subset_row_order(grids, subsets, count) : natural_order(count);
  const RowSubsets all(static_cast<Ordinal>(order.size()), subsets, cut.unit);
  cut.begins = begins_of_kept(order, all, mask);
  return cut;
}

std::vector<Ordinal> subset_visits(int subsets, ViewOrder order, std::uint64_t seed,
                                   Ordering rows) {
  if (order == ViewOrder::sequential) return {};
  std::vector<Ordinal> visits = view_visits(static_cast<Ordinal>(subsets), order, seed);
  if (rows != Ordering::subsets) return visits;
  // Subsets are numbered by their first view, but stored in a different order.
  const std::vector<Ordinal> classes = subset_class_order(subsets);
  std::vector<Ordinal> place(classes.size());
  for (std::size_t p = 0; p < classes.size(); ++p)
    place[static_cast<std::size_t>(classes[p])] = static_cast<Ordinal>(p);
  for (Ordinal& visit : visits) visit = place[static_cast<std::size_t>(visit)];
  return visits;
}

}  // namespace Tomokkos
