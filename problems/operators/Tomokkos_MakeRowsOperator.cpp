// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MakeRowsOperator.hpp>

namespace Tomokkos {
namespace {

/// Throws unless the matrix fits into memory. Its number of nonzeros is estimated by
/// `sampled_nonzeros`.
template <class ExecutionSpace, class Scalar>
void require_room(const ExecutionSpace& exec, const RowSource& source) {
  const double nonzeros = sampled_nonzeros(exec, source);
  const double bytes =
      nonzeros * (sizeof(Ordinal) + sizeof(Scalar)) + (num_rows(source) + 1.0) * sizeof(Offset);
  Impl::require_memory(Impl::whole_bytes(bytes), "the matrix " + matrix_name(source) + " needs",
                       available_memory(exec), "build a smaller part of the matrix at a time");
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> build_in_order(const ExecutionSpace& exec,
                                                     const RowSource& source,
                                                     const OrderingOptions& ordering) {
  const MatrixGrids grids = grids_of(source);
  if (!is_natural(ordering) && is_geometric(ordering) && traits_of(source).in_any_order) {
    auto order = geometric_order(exec, ordering, grids);
    return {build_ordered_rows<ExecutionSpace, Scalar>(exec, source, {}, order), order};
  }
  auto A = build_rows<ExecutionSpace, Scalar>(exec, source);
  if (is_natural(ordering)) return {std::move(A), {}};
  return order_matrix<ExecutionSpace, Scalar>(exec, ordering, grids, A);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> make_operator(const ExecutionSpace& exec,
                                                  const RowSource& source, MakeOptions options,
                                                  const OrderingOptions& ordering) {
  const MatrixGrids grids = grids_of(source);
  options.rows_are_rays = grids.views > 0 || grids.crystals > 0;
  options.interleaved = ordering.entries == EntryOrder::interleaved;
  if (!options.available_bytes) options.available_bytes = available_memory(exec);
  if (!traits_of(source).is_read) require_room<ExecutionSpace, Scalar>(exec, source);
  auto ordered = build_in_order<ExecutionSpace, Scalar>(exec, source, ordering);
  auto* const packed = options.format ? std::get_if<PackedRowsOptions>(&*options.format) : nullptr;
  if (packed != nullptr && ordering.rows == Ordering::natural) {
    packed->views = grids.views;
    packed->detectors = grids.detectors;
  }
  return {make_operator<ExecutionSpace, Scalar>(exec, ordered.A, options), std::move(ordered.order),
          row_statistics(exec, ordered.A), ordered.A.memory_bytes()};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                         \
  template BuiltSystem<SPACE, SCALAR> make_operator<SPACE, SCALAR>( \
      const SPACE&, const RowSource&, MakeOptions, const OrderingOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
