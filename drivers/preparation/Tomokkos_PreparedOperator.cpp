// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_LibraryOperator.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <variant>

namespace Tomokkos {
namespace {

template <class ExecutionSpace>
MakeOptions make_options(const ExecutionSpace& exec, const RunConfig& config, Ordinal rows,
                         Ordinal vectors, const MatrixGrids& grids) {
  const OperatorSection& section = config.matrix_operator;
  const SolverSection& solver = config.solver;
  MakeOptions options;
  options.format = section.stored;
  auto* const packed = options.format ? std::get_if<PackedRowsOptions>(&*options.format) : nullptr;
  if (packed != nullptr && section.ordering.rows == Ordering::natural) {
    packed->views = grids.views;
    packed->detectors = grids.detectors;
  }
  options.spmv = spmv_options(config, section.variant);
  options.transpose = section.transpose;
  options.transpose_spmv = spmv_options(config, section.transpose_variant);
  options.transposition = section.transposition;
  options.available_bytes = available_memory(exec);
  // Products with stored orbits use all orbits or their own ranges.
  if (!section.symmetric()) options.row_ranges = row_ranges(config, rows);
  options.vectors = static_cast<int>(vectors);
  options.interleaved = section.ordering.entries == EntryOrder::interleaved;
  options.with_transpose = uses_transpose(solver.kind());
  options.largest_fill = section.largest_fill;
  options.with_ranges = has_sweeps(solver.kind()) || solver.uses_row_ranges();
  // Block ART also reads the entries of single rows.
  options.rows_are_rays =
      config.problem.kind == ProblemKind::tomography && solver.kind() != SolverKind::block_art;
  return options;
}

/// Completes the report with the workspace of the products and the order actually used. This may
/// differ from the configured order: entries are not interleaved for products with a single lane.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> finished(const ExecutionSpace& exec,
                                                  const RunConfig& config, Ordinal vectors,
                                                  BuiltOperator<ExecutionSpace, Scalar> made,
                                                  const RowStatistics& statistics,
                                                  std::size_t csr_bytes, bool is_csr) {
  // Reserve the scratch now; otherwise the report would not include it.
  made.A.reserve(exec, vectors);
  Description report = Description::map();
  report.set_all(made.description);
  OrderingOptions ordering = config.matrix_operator.ordering;
  if (is_csr && !made.is_interleaved) ordering.entries = EntryOrder::sorted;
  report.set("ordering", description_of(ordering_node(ordering)));
  report.set("memory_bytes", made.A.memory_bytes());
  return {std::move(made.A), statistics, csr_bytes, std::move(report)};
}

}  // namespace

SpmvOptions spmv_options(const RunConfig& config, SpmvVariant variant) {
  SpmvOptions options;
  options.variant = variant;
  options.deterministic = config.run.deterministic;
  if (has_sections(variant)) options.items_per_tile = config.matrix_operator.sections;
  return options;
}

int row_ranges(const RunConfig& config, Ordinal rows) {
  const SolverSection& solver = config.solver;
  if (solver.kind() != SolverKind::block_art || rows == 0) return solver.subsets();
  return (rows - 1) / solver.sweep.block_rows.value_or(rows) + 1;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const RunConfig& config, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics, std::size_t csr_bytes, Ordinal vectors) {
  return finished(exec, config, vectors, std::move(made), statistics, csr_bytes, false);
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const MatrixGrids& grids) {
  const OperatorSection& section = config.matrix_operator;
  try {
    auto made = section.library
                    ? make_library_operator<ExecutionSpace, Scalar>(
                          exec, A, uses_transpose(config.solver.kind()), section.transposition)
                    : make_operator<ExecutionSpace, Scalar>(
                          exec, A, make_options(exec, config, A.num_rows, vectors, grids));
    const bool is_csr = stored_csr(made.A) != nullptr;
    return finished(exec, config, vectors, std::move(made), row_statistics(exec, A),
                    A.memory_bytes(), is_csr);
  } catch (const Refused& error) {
    // A refusal by windows concerns the transpose, any other the format.
    const bool may_be_csr = section.is_automatic() || section.is(MatrixFormat::csr);
    if (may_be_csr && section.transpose != TransposeMethod::windowed) throw;
    throw ConfigError((may_be_csr ? prefix_of(section.transpose_position) + "operator.transpose: "
                                  : std::string("operator.format: ")) +
                      error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                   \
  template PreparedOperator<SPACE, SCALAR> prepare_built_operator<SPACE, SCALAR>(             \
      const SPACE&, const RunConfig&, BuiltOperator<SPACE, SCALAR>, const RowStatistics&,     \
      std::size_t, Ordinal);                                                                  \
  template PreparedOperator<SPACE, SCALAR> prepare_operator<SPACE, SCALAR>(                   \
      const SPACE&, const RunConfig&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal, \
      const MatrixGrids&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
