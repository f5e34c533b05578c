// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <utility>
#include <variant>

namespace Tomokkos {
namespace {

template <class ExecutionSpace>
MakeOptions make_options(const ExecutionSpace& exec, const SystemTask& task, Ordinal rows,
                         const MatrixGrids& grids) {
  const OperatorWish& wish = task.wish;
  const SolverNeeds& needs = task.needs;
  MakeOptions options;
  options.format = wish.stored;
  auto* const packed = options.format ? std::get_if<PackedRowsOptions>(&*options.format) : nullptr;
  if (packed != nullptr && wish.ordering.rows == Ordering::natural) {
    packed->views = grids.views;
    packed->detectors = grids.detectors;
  }
  options.spmv = Impl::spmv_options(needs, wish, wish.variant);
  options.transpose = wish.transpose;
  options.transpose_spmv = Impl::spmv_options(needs, wish, wish.transpose_variant);
  options.transposition = wish.transposition;
  options.available_bytes = available_memory(exec);
  // Products with stored orbits use all orbits or their own ranges.
  if (!wish.symmetric()) options.row_ranges = needs.num_ranges(rows);
  options.vectors = static_cast<int>(needs.vectors);
  options.interleaved = wish.ordering.entries == EntryOrder::interleaved;
  options.with_transpose = needs.transpose;
  options.largest_fill = wish.largest_fill;
  options.with_ranges = needs.rows || needs.has_ranges();
  // Block ART also reads the entries of single rows.
  options.rows_are_rays = task.rows_are_rays && !needs.blocks;
  return options;
}

}  // namespace

namespace Impl {

SpmvOptions spmv_options(const SolverNeeds& needs, const OperatorWish& wish, SpmvVariant variant) {
  SpmvOptions options;
  options.variant = variant;
  options.deterministic = needs.deterministic;
  if (has_sections(variant)) options.items_per_tile = wish.sections;
  return options;
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const SystemTask& task, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics) {
  // Reserve the scratch now; otherwise the report would not include it.
  made.A.reserve(exec, static_cast<int>(task.needs.vectors));
  Description report = Description::map();
  report.set_all(made.description);
  OrderingOptions ordering = task.wish.ordering;
  if (stored_csr(made.A) != nullptr && !made.is_interleaved) ordering.entries = EntryOrder::sorted;
  report.set("ordering", description_of(ordering));
  report.set("memory_bytes", made.A.memory_bytes());
  return {std::move(made.A), statistics, std::move(report)};
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::build() -> System {
  System result = [&] {
    switch (task.wish.part) {
      case StoredPart::block_row:
        return block_row();
      case StoredPart::orbits:
        return orbits();
      case StoredPart::nothing:
        return computed();
      case StoredPart::entries:
        break;
    }
    return stored_rows();
  }();
  result.order = std::move(order);
  result.subsets = subsets;
  result.subset_begins = std::move(subset_begins);
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_operator(const ExecutionSpace& exec,
                                                     const SystemTask& task,
                                                     const MatrixOn<ExecutionSpace, Scalar>& A,
                                                     const MatrixGrids& grids) {
  try {
    return Impl::prepare_built_operator<ExecutionSpace, Scalar>(
        exec, task,
        make_operator<ExecutionSpace, Scalar>(exec, A, make_options(exec, task, A.num_rows, grids)),
        row_statistics(exec, A));
  } catch (const Refused& error) {
    // A refusal by windows concerns the transpose, any other the format.
    const OperatorWish& wish = task.wish;
    const bool may_be_csr = wish.is_automatic() || wish.is(MatrixFormat::csr);
    if (may_be_csr && wish.transpose != TransposeMethod::windowed) throw;
    throw ConfigError((may_be_csr ? std::string("operator.transpose: ") : "operator.format: ") +
                      error.what());
  }
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_system(const ExecutionSpace& exec, const SystemTask& task,
                                                 const BuildObserver& observer) {
  return Impl::SystemBuilder<ExecutionSpace, Scalar>{exec, task, observer}.build();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template BuiltSystem<SPACE, SCALAR> Impl::prepare_built_operator<SPACE, SCALAR>(                 \
      const SPACE&, const SystemTask&, BuiltOperator<SPACE, SCALAR>, const RowStatistics&);        \
  template BuiltSystem<SPACE, SCALAR> Impl::SystemBuilder<SPACE, SCALAR>::build();                 \
  template BuiltSystem<SPACE, SCALAR> prepare_operator<SPACE, SCALAR>(                             \
      const SPACE&, const SystemTask&, const MatrixOn<SPACE, SCALAR>&, const MatrixGrids&);        \
  template BuiltSystem<SPACE, SCALAR> build_system<SPACE, SCALAR>(const SPACE&, const SystemTask&, \
                                                                  const BuildObserver&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
