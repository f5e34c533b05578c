// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_FigureNode.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <new>
#include <optional>

namespace Tomokkos {
namespace {

ConfigNode text_of(std::string_view text) { return ConfigNode::text(std::string(text)); }

SpmvOptions spmv_options(SpmvVariant variant, bool deterministic) {
  SpmvOptions options;
  options.variant = variant;
  options.deterministic = deterministic;
  return options;
}

template <class ExecutionSpace>
OperatorOptions csr_options(const ExecutionSpace& exec, const RunConfig& config, Ordinal rows,
                            Ordinal vectors) {
  const OperatorSection& section = config.matrix_operator;
  OperatorOptions options;
  options.spmv = spmv_options(section.variant, config.run.deterministic);
  // `atomic` is the method that keeps no copy.
  options.transpose =
      uses_transpose(config.solver.kind) ? section.transpose : TransposeMethod::atomic;
  options.available_bytes = available_memory(exec);
  // Stored orbits are multiplied whole, or by ranges of their own.
  if (!section.symmetric) options.row_ranges = row_ranges(config, rows);
  options.vectors = static_cast<int>(vectors);
  options.transpose_spmv = spmv_options(section.transpose_variant, config.run.deterministic);
  options.interleaved = section.ordering.entries == EntryOrder::interleaved;
  return options;
}

template <class ExecutionSpace, class Scalar>
ConfigNode csr_report(const CsrOperator<ExecutionSpace, Scalar>& A, bool uses_transpose) {
  const OperatorOptions& options = A.options();
  ConfigNode node = ConfigNode::map();
  node.set("format", text_of("csr"));
  node.set("variant", text_of(to_string(options.spmv.variant)));
  node.set("transpose", text_of(uses_transpose ? to_string(*options.transpose) : "none"));
  if (uses_transpose && options.transpose == TransposeMethod::stored)
    node.set("transpose_variant", text_of(to_string(options.transpose_spmv.variant)));
  if (uses_transpose && options.transpose == TransposeMethod::windowed) {
    node.set("tile", ConfigNode::integer(A.windows().tile()));
    node.set("segments", ConfigNode::integer(A.windows().num_segments()));
    node.set("mean_segment", ConfigNode::number(A.windows().mean_segment()));
  }
  return node;
}

/// The operator in CSR. A matrix that windows refuse is reported as an error of their key.
template <class ExecutionSpace, class Scalar>
CsrOperator<ExecutionSpace, Scalar> csr_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors) {
  const OperatorOptions options = csr_options(exec, config, A.num_rows, vectors);
  try {
    return {exec, A, options};
  } catch (const Refused& error) {
    if (options.transpose != TransposeMethod::windowed) throw;
    throw ConfigError(prefix_of(config.matrix_operator.transpose_position) +
                      "operator.transpose: " + error.what());
  }
}

template <class ExecutionSpace>
MakeOptions make_options(const ExecutionSpace& exec, const RunConfig& config,
                         const MatrixGrids& grids) {
  const OperatorSection& section = config.matrix_operator;
  MakeOptions options;
  options.format = *section.stored;
  auto* const packed = std::get_if<PackedRowsOptions>(&options.format);
  if (packed != nullptr && section.ordering.rows == Ordering::natural) {
    packed->views = grids.views;
    packed->detectors = grids.detectors;
  }
  options.spmv.deterministic = config.run.deterministic;
  options.transpose = section.transpose;
  options.available_bytes = available_memory(exec);
  options.with_transpose = uses_transpose(config.solver.kind);
  return options;
}

/// What the report says of a format beside CSR.
template <class ExecutionSpace, class Scalar>
ConfigNode format_report(const OperatorSection& section,
                         const MadeOperator<ExecutionSpace, Scalar>& made) {
  ConfigNode node = ConfigNode::map();
  node.set("format", text_of(section.format_name()));
  set_figures(made.figures, node);
  node.set("fill", ConfigNode::number(made.fill));
  node.set("transpose", text_of(made.one_copy    ? "same_copy"
                                : made.transpose ? to_string(*made.transpose)
                                                 : "none"));
  if (made.transpose == TransposeMethod::stored)
    node.set("transpose_fill", ConfigNode::number(made.transposed_fill));
  return node;
}

/// Why the system matrix of a scan is not brought into ray tiles; nothing where it is.
template <class ExecutionSpace, class Scalar>
std::optional<std::string> reason_against_tiles(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors) {
  const DeviceTraits device = format_traits(exec);
  RayTilesCase matrix;
  matrix.rows = row_statistics(exec, A);
  matrix.both_products = uses_transpose(config.solver.kind);
  matrix.vectors = static_cast<int>(vectors);
  if (auto why = why_no_ray_tiles(device, matrix, sizeof(Scalar))) return why;
  matrix.mean_segment = ray_tiles_size<ExecutionSpace, Scalar>(exec, A).mean_segment;
  return why_no_ray_tiles(device, matrix, sizeof(Scalar));
}

/// \p config with the format that suits A on this backend. \p against_tiles is told why a scan is
/// not in ray tiles.
template <class ExecutionSpace, class Scalar>
RunConfig with_chosen_format(const ExecutionSpace& exec, const RunConfig& config,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                             Ordinal vectors, std::optional<std::string>& against_tiles) {
  RunConfig chosen = config;
  // Block ART asks for the entries of rows, too.
  if (config.problem.kind == ProblemKind::tomography &&
      config.solver.kind != SolverKind::block_art) {
    against_tiles = reason_against_tiles<ExecutionSpace, Scalar>(exec, config, A, vectors);
    if (!against_tiles) {
      chosen.matrix_operator.stored = TiledOptions{};
      return chosen;
    }
  }
  chosen.matrix_operator.stored = CsrOptions{};
  // Of what is chosen from here on only CSR has single rows, and ranges of them.
  if (!has_sweeps(config.solver.kind) && !config.solver.takes_row_ranges())
    chosen.matrix_operator.stored =
        choose_format(exec, A, config.matrix_operator.largest_fill, vectors > 1);
  const std::optional<double>& limit = config.matrix_operator.largest_fill;
  with_format(*chosen.matrix_operator.stored, [&]<class Format>(typename Format::Options& options) {
    if constexpr (Format::pads)
      if (limit) options.limit.largest_fill = *limit;
  });
  return chosen;
}

/// Why CSR serves where another format was chosen, or would have been.
struct Fallback {
  std::optional<MatrixFormat> from;
  std::string reason;
};

/// What was chosen, in front of what the report says of any operator.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> as_choice(
    PreparedOperator<ExecutionSpace, Scalar> prepared, const OperatorSection& section,
    const std::optional<std::string>& against_tiles, const std::optional<Fallback>& fallback = {}) {
  ConfigNode report = ConfigNode::map();
  report.set("chosen_by", text_of("automatic"));
  if (fallback) {
    if (fallback->from) report.set("instead_of", text_of(to_string(*fallback->from)));
    report.set("because", text_of(fallback->reason));
  }
  if (against_tiles) report.set("no_ray_tiles", text_of(*against_tiles));
  for (const auto& entry : prepared.report.entries()) {
    report.set(entry.key, entry.value);
    if (entry.key != "format") continue;
    with_format(*section.stored, [&]<class Format>(const typename Format::Options& options) {
      set_figures(Format::chosen_shape(options), report);
    });
  }
  prepared.report = std::move(report);
  return prepared;
}

/// The format that suits A; CSR, which needs no conversion, where that one cannot be had.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_chosen(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const MatrixGrids& grids) {
  RunConfig chosen = config;
  Fallback fallback;
  std::optional<std::string> against_tiles;
  const auto fall_back = [&](const char* reason) {
    const OperatorSection& wanted = chosen.matrix_operator;
    if (wanted.is(MatrixFormat::csr)) return false;
    if (!wanted.is_automatic()) fallback.from = format_of(*wanted.stored);
    fallback.reason = reason;
    return true;
  };
  try {
    chosen = with_chosen_format(exec, config, A, vectors, against_tiles);
    return as_choice(prepare_operator<ExecutionSpace, Scalar>(exec, chosen, A, vectors, grids),
                     chosen.matrix_operator, against_tiles);
  } catch (const ConfigError& error) {
    // The transpose of A may be too uneven for the format that suits A.
    if (!fall_back(error.what())) throw;
  } catch (const MemoryError& error) {
    // A, its transpose and what they become are there at once.
    if (!fall_back(error.what())) throw;
  } catch (const std::bad_alloc&) {
    if (!fall_back("out of memory")) throw;
  }
  chosen.matrix_operator.stored = CsrOptions{};
  return as_choice(prepare_operator<ExecutionSpace, Scalar>(exec, chosen, A, vectors, grids),
                   chosen.matrix_operator, against_tiles, fallback);
}

/// With what products take, and with what was done of \p ordering, which is less than what was
/// asked for where a product has one lane.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> finished(
    const ExecutionSpace& exec, const OrderingOptions& ordering, Ordinal vectors,
    PreparedOperator<ExecutionSpace, Scalar> prepared) {
  // The solver would, and then it is in no figure here.
  prepared.A.reserve(exec, vectors);
  prepared.report.set("ordering", ordering_node(ordering));
  prepared.report.set("memory_bytes", ConfigNode::integer(prepared.A.memory_bytes()));
  return prepared;
}

}  // namespace

int row_ranges(const RunConfig& config, Ordinal rows) {
  const SolverSection& solver = config.solver;
  if (solver.kind != SolverKind::block_art || rows == 0) return solver.subsets;
  return (rows - 1) / solver.sweep.block_rows.value_or(rows) + 1;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_made_operator(
    const ExecutionSpace& exec, const RunConfig& config, MadeOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics, std::size_t csr_bytes, Ordinal vectors) {
  ConfigNode report = format_report(config.matrix_operator, made);
  return finished<ExecutionSpace, Scalar>(
      exec, config.matrix_operator.ordering, vectors,
      {std::move(made.A), statistics, csr_bytes, std::move(report)});
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const MatrixGrids& grids) {
  if (config.matrix_operator.is_automatic())
    return prepare_chosen<ExecutionSpace, Scalar>(exec, config, A, vectors, grids);
  const bool with_transpose = uses_transpose(config.solver.kind);
  if (config.matrix_operator.is(MatrixFormat::csr)) {
    auto matrix = csr_operator<ExecutionSpace, Scalar>(exec, config, A, vectors);
    ConfigNode report = csr_report(matrix, with_transpose);
    const RowStatistics statistics = matrix.statistics();
    OrderingOptions ordering = config.matrix_operator.ordering;
    if (!matrix.is_interleaved()) ordering.entries = EntryOrder::sorted;
    return finished<ExecutionSpace, Scalar>(
        exec, ordering, vectors,
        {std::move(matrix), statistics, A.memory_bytes(), std::move(report)});
  }
  try {
    MadeOperator<ExecutionSpace, Scalar> made =
        make_operator<ExecutionSpace, Scalar>(exec, A, make_options(exec, config, grids));
    return prepare_made_operator(exec, config, std::move(made), row_statistics(exec, A),
                                 A.memory_bytes(), vectors);
  } catch (const Refused& error) {
    throw ConfigError(std::string("operator.format: ") + error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                   \
  template PreparedOperator<SPACE, SCALAR> prepare_made_operator<SPACE, SCALAR>(              \
      const SPACE&, const RunConfig&, MadeOperator<SPACE, SCALAR>, const RowStatistics&,      \
      std::size_t, Ordinal);                                                                  \
  template PreparedOperator<SPACE, SCALAR> prepare_operator<SPACE, SCALAR>(                   \
      const SPACE&, const RunConfig&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal, \
      const MatrixGrids&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
