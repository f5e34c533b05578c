// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_OrderNames.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <variant>

namespace Tomokkos {
namespace {

template <class ExecutionSpace>
MakeOptions make_options(const ExecutionSpace& exec, const SystemTask& task,
                         const OperatorWish& wish, Ordinal rows, Ordinal vectors,
                         const MatrixGrids& grids) {
  const SolverNeeds& needs = task.needs;
  MakeOptions options;
  options.format = wish.stored;
  auto* const packed = options.format ? std::get_if<PackedRowsOptions>(&*options.format) : nullptr;
  if (packed != nullptr && wish.ordering.rows == Ordering::natural) {
    packed->views = grids.views;
    packed->detectors = grids.detectors;
  }
  options.spmv = spmv_options(task.needs, wish, wish.variant);
  options.transpose = wish.transpose;
  options.transpose_spmv = spmv_options(task.needs, wish, wish.transpose_variant);
  options.transposition = wish.transposition;
  options.available_bytes = available_memory(exec);
  // Products with stored orbits use all orbits or their own ranges.
  if (!wish.symmetric()) options.row_ranges = needs.num_ranges(rows);
  options.vectors = static_cast<int>(vectors);
  options.interleaved = wish.ordering.entries == EntryOrder::interleaved;
  options.with_transpose = needs.transpose;
  options.largest_fill = wish.largest_fill;
  options.with_ranges = needs.rows || needs.has_ranges();
  // Block ART also reads the entries of single rows.
  options.rows_are_rays = task.rows_are_rays && !needs.blocks;
  return options;
}

/// Completes the report with the workspace of the products and the order actually used. This may
/// differ from the configured order: entries are not interleaved for products with a single lane.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> finished(const ExecutionSpace& exec,
                                                  const SystemTask& task, Ordinal vectors,
                                                  BuiltOperator<ExecutionSpace, Scalar> made,
                                                  const RowStatistics& statistics,
                                                  std::size_t csr_bytes, bool is_csr) {
  // Reserve the scratch now; otherwise the report would not include it.
  made.A.reserve(exec, vectors);
  Description report = Description::map();
  report.set_all(made.description);
  OrderingOptions ordering = task.wish.ordering;
  if (is_csr && !made.is_interleaved) ordering.entries = EntryOrder::sorted;
  report.set("ordering", description_of(ordering));
  report.set("memory_bytes", made.A.memory_bytes());
  return {std::move(made.A), statistics, csr_bytes, std::move(report)};
}

}  // namespace

SpmvOptions spmv_options(const SolverNeeds& needs, const OperatorWish& wish, SpmvVariant variant) {
  SpmvOptions options;
  options.variant = variant;
  options.deterministic = needs.deterministic;
  if (has_sections(variant)) options.items_per_tile = wish.sections;
  return options;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const SystemTask& task, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics, std::size_t csr_bytes, Ordinal vectors) {
  return finished(exec, task, vectors, std::move(made), statistics, csr_bytes, false);
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_operator(
    const ExecutionSpace& exec, const SystemTask& task, const OperatorWish& wish,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const MatrixGrids& grids) {
  try {
    auto made = make_operator<ExecutionSpace, Scalar>(
        exec, A, make_options(exec, task, wish, A.num_rows, vectors, grids));
    const bool is_csr = stored_csr(made.A) != nullptr;
    return finished(exec, task, vectors, std::move(made), row_statistics(exec, A), A.memory_bytes(),
                    is_csr);
  } catch (const Refused& error) {
    // A refusal by windows concerns the transpose, any other the format.
    const bool may_be_csr = wish.is_automatic() || wish.is(MatrixFormat::csr);
    if (may_be_csr && wish.transpose != TransposeMethod::windowed) throw;
    throw ConfigError((may_be_csr ? std::string("operator.transpose: ") : "operator.format: ") +
                      error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template PreparedOperator<SPACE, SCALAR> prepare_built_operator<SPACE, SCALAR>(          \
      const SPACE&, const SystemTask&, BuiltOperator<SPACE, SCALAR>, const RowStatistics&, \
      std::size_t, Ordinal);                                                               \
  template PreparedOperator<SPACE, SCALAR> prepare_operator<SPACE, SCALAR>(                \
      const SPACE&, const SystemTask&, const OperatorWish&,                                \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal, const MatrixGrids&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
