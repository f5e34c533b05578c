// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_PreparedRows.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_Transpose.hpp>

namespace Tomokkos {
namespace {

/// Operator of CSR rows whose entries, and those of their transpose, lie in host memory.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_streamed(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    StreamedArrays<ExecutionSpace>& arrays) {
  const OperatorSection& section = config.matrix_operator;
  if (const std::string obstacle = obstacle_to_streaming(config); !obstacle.empty())
    throw ConfigError(prefix_of(section.format_position) + "operator.format: " + obstacle);
  OperatorOptions options;
  options.spmv = spmv_options(config, section.variant);
  options.transpose_spmv = spmv_options(config, section.transpose_variant);
  options.transpose = TransposeMethod::atomic;  // never used without a transposed product
  std::optional<CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> transposed;
  if (uses_transpose(config.solver.kind())) {
    options.transpose = TransposeMethod::stored;
    transposed =
        with_streamed_entries(exec,
                              transpose<ExecutionSpace, Scalar>(
                                  exec, A, {.variant = config.matrix_operator.transposition}),
                              arrays);
  }
  const auto statistics = row_statistics(exec, A);
  CsrOperator<ExecutionSpace, Scalar> made(exec, with_streamed_entries(exec, A, arrays), options,
                                           transposed);
  Description report = Description::map();
  report.set("format", MatrixFormat::csr);
  report.set("transpose", *options.transpose);
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(made)), statistics, A.memory_bytes(),
          std::move(report)};
}

}  // namespace

std::string obstacle_to_streaming(const RunConfig& config) {
  const OperatorSection& section = config.matrix_operator;
  if (section.library) return "variant: library cannot stream entries from host memory";
  if (builds_tiles_directly(config) || section.is(MatrixFormat::csr) || section.is_automatic())
    return {};
  if (section.is(MatrixFormat::ray_tiles))
    return "ray_tiles of a file or with a mask cannot be streamed from host memory; csr can";
  return "the entries of " + section.format_name() +
         " cannot be streamed from host memory; csr and ray_tiles can";
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_csr_rows(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const RowsOptions<ExecutionSpace>& options) {
  if (options.fingerprint != nullptr)
    *options.fingerprint = csr_fingerprint<ExecutionSpace, Scalar>(exec, A);
  if (options.streamed != nullptr)
    return prepare_streamed<ExecutionSpace, Scalar>(exec, config, A, *options.streamed);
  // Some of the rows of a scan do not form a grid.
  return prepare_operator<ExecutionSpace, Scalar>(exec, config, A, vectors, {});
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_rows(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& natural_offsets,
    const RowsOptions<ExecutionSpace>& options) {
  if (!builds_tiles_directly(config))
    return prepare_csr_rows<ExecutionSpace, Scalar>(
        exec, config,
        build_in_order<ExecutionSpace, Scalar>(exec, config, input, order, MatrixUse::products,
                                               natural_offsets),
        input.slices, options);
  auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(
      exec, config, input, options.fingerprint != nullptr, options.available,
      DirectRows<ExecutionSpace>{natural_offsets, order}, options.streamed);
  if (options.fingerprint != nullptr) *options.fingerprint = tiles.fingerprint;
  return prepare_built_operator<ExecutionSpace, Scalar>(
      exec, config, std::move(tiles.made), tiles.statistics,
      system_matrix_bytes<Scalar>(tiles.statistics.rows, tiles.statistics.nonzeros), input.slices);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PreparedOperator<SPACE, SCALAR> prepare_rows<SPACE, SCALAR>(                         \
      const SPACE&, const RunConfig&, const RunInput&, const MatrixOrder<SPACE::memory_space>&, \
      const Kokkos::View<const Offset*, SPACE::memory_space>&, const RowsOptions<SPACE>&);      \
  template PreparedOperator<SPACE, SCALAR> prepare_csr_rows<SPACE, SCALAR>(                     \
      const SPACE&, const RunConfig&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal,   \
      const RowsOptions<SPACE>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
