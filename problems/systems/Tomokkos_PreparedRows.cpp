// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_PreparedRows.hpp>
#include <Tomokkos_Transpose.hpp>

namespace Tomokkos {
namespace {

/// Operator of CSR rows whose entries, and those of their transpose, lie in host memory.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_streamed(
    const ExecutionSpace& exec, const SystemTask& task,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    StreamedArrays<ExecutionSpace>& arrays) {
  const OperatorWish& wish = task.wish;
  if (const std::string obstacle = obstacle_to_streaming(task); !obstacle.empty())
    throw ConfigError("operator.format: " + obstacle);
  OperatorOptions options;
  options.spmv = spmv_options(task.needs, wish, wish.variant);
  options.transpose_spmv = spmv_options(task.needs, wish, wish.transpose_variant);
  options.transpose = TransposeMethod::atomic;  // never used without a transposed product
  std::optional<CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> transposed;
  if (task.needs.transpose) {
    options.transpose = TransposeMethod::stored;
    transposed = with_streamed_entries(
        exec, transpose<ExecutionSpace, Scalar>(exec, A, {.variant = task.wish.transposition}),
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

std::string obstacle_to_streaming(const SystemTask& task) {
  const OperatorWish& wish = task.wish;
  if (builds_tiles_directly(task) || wish.is(MatrixFormat::csr) || wish.is_automatic()) return {};
  if (wish.is(MatrixFormat::ray_tiles))
    return "ray_tiles of a file or with a mask cannot be streamed from host memory; csr can";
  return "the entries of " + wish.format_name() +
         " cannot be streamed from host memory; csr and ray_tiles can";
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_csr_rows(
    const ExecutionSpace& exec, const SystemTask& task,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowsOptions<ExecutionSpace>& options) {
  if (options.fingerprint != nullptr)
    *options.fingerprint = csr_fingerprint<ExecutionSpace, Scalar>(exec, A);
  if (options.streamed != nullptr)
    return prepare_streamed<ExecutionSpace, Scalar>(exec, task, A, *options.streamed);
  // Some of the rows of a scan do not form a grid.
  return prepare_operator<ExecutionSpace, Scalar>(exec, task, A);
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_rows(
    const ExecutionSpace& exec, const SystemTask& task,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& natural_offsets,
    const RowsOptions<ExecutionSpace>& options) {
  if (!builds_tiles_directly(task))
    return prepare_csr_rows<ExecutionSpace, Scalar>(
        exec, task,
        build_in_order<ExecutionSpace, Scalar>(exec, task, order, MatrixUse::products,
                                               natural_offsets),
        options);
  auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(
      exec, task, options.fingerprint != nullptr, {},
      DirectRows<ExecutionSpace>{natural_offsets, order}, options.streamed);
  if (options.fingerprint != nullptr) *options.fingerprint = tiles.fingerprint;
  return prepare_built_operator<ExecutionSpace, Scalar>(exec, task, std::move(tiles.made),
                                                        tiles.statistics);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template PreparedOperator<SPACE, SCALAR> prepare_rows<SPACE, SCALAR>(                    \
      const SPACE&, const SystemTask&, const MatrixOrder<SPACE::memory_space>&,            \
      const Kokkos::View<const Offset*, SPACE::memory_space>&, const RowsOptions<SPACE>&); \
  template PreparedOperator<SPACE, SCALAR> prepare_csr_rows<SPACE, SCALAR>(                \
      const SPACE&, const SystemTask&, const CsrMatrix<SCALAR, SPACE::memory_space>&,      \
      const RowsOptions<SPACE>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
