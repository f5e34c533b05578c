// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_PreparedSymmetric.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricTranspose.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {
namespace {

/// True if the transpose of the stored rays is to be kept in SELL.
template <class ExecutionSpace>
bool transposes_by_sell(const SystemTask& task) {
  const OperatorWish& wish = task.wish;
  if (wish.transpose_format) return wish.transpose_format == MatrixFormat::sell;
  return !Impl::is_host_space<ExecutionSpace> && wish.is(MatrixFormat::csr) &&
         wish.transpose == TransposeMethod::stored &&
         wish.transpose_variant == SpmvVariant::automatic && task.needs.transpose &&
         !task.needs.has_ranges() && !task.needs.blocks;
}

/// Transpose of \p E in SELL. Empty if CSR is to be used, also if SELL was not requested and does
/// not fit, because CSR needs less.
template <class ExecutionSpace, class Scalar>
std::optional<AnyOperator<ExecutionSpace, Scalar>> transpose_in_sell(
    const ExecutionSpace& exec, const SystemTask& task,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& E) {
  if (!transposes_by_sell<ExecutionSpace>(task)) return {};
  try {
    return make_symmetric_transpose<ExecutionSpace, Scalar>(exec, E,
                                                            {.variant = task.wish.transposition});
  } catch (const Refused& error) {
    if (!task.wish.transpose_format) return {};
    throw ConfigError(std::string("operator.transpose_format: sell: ") + error.what());
  } catch (const MemoryError&) {
    if (task.wish.transpose_format) throw;
    return {};
  }
}

/// True if `automatic` adds the rays of a range directly instead of by a stored transpose, whose
/// rows hold few entries of thin ranges. Measured on an H200 with 512 x 512 pixels and 720 views:
/// all ranges of one view 37 ms directly, 122 ms with a stored transpose; 20 ranges 6.8 and 6.3 ms.
bool has_thin_ranges(const SystemTask& task, Ordinal rays) {
  return task.wish.transpose == TransposeMethod::automatic && !task.needs.deterministic &&
         task.needs.num_ranges(rays) >= very_many_ranges;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> make_symmetric_system(
    const ExecutionSpace& exec, const SystemTask& task) {
  require_memory_to_build<ExecutionSpace, Scalar>(exec, task, MatrixUse::products);
  const auto& rays = std::get<ScanRows>(task.rows);
  return as_choice("operator.format: scsr", [&] {
    return build_symmetric_projection<ExecutionSpace, Scalar>(
        exec, rays.volume, rays.scan, rays.projector, task.masks.rows, task.masks.columns);
  });
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_symmetric_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics& statistics) {
  const Ordinal vectors = task.needs.vectors;
  constexpr auto images = static_cast<Ordinal>(num_square_symmetries);
  MatrixNumbers numbers;
  numbers.pixels = A.num_cols();
  numbers.stored_rays = A.symmetry.num_stored;
  const MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
  Impl::require_memory(
      Impl::whole_bytes(bytes_of_products(task, task.wish, machine, numbers) * vectors),
      "operator.format: scsr: the images of " + std::to_string(vectors) +
          " slices under the symmetries of the square need",
      machine.device_free, "select fewer slices");
  const auto transposed = transpose_in_sell<ExecutionSpace, Scalar>(exec, task, A.stored);
  const bool by_sell = transposed.has_value();
  SystemTask of_stored = task;
  of_stored.needs.vectors = images * vectors;
  // This method keeps no copy.
  if (by_sell || has_thin_ranges(task, A.num_rows()))
    of_stored.wish.transpose = TransposeMethod::atomic;
  auto stored = prepare_operator<ExecutionSpace, Scalar>(exec, of_stored, A.stored);
  const SymmetricOperator<ExecutionSpace, Scalar> made(A.symmetry, stored.A, transposed);
  // Reserve the scratch now; otherwise the report would not include it.
  made.reserve(exec, static_cast<int>(vectors));
  Description report = Description::map();
  report.set("format", "scsr");
  for (std::size_t i = 0; i < stored.report.items().size(); ++i) {
    const std::string& name = stored.report.names()[i];
    report.set(name == "format" ? "stored_format" : name, stored.report.items()[i]);
  }
  if (by_sell) {
    report.set("transpose", TransposeMethod::stored);
    report.set("transpose_format", MatrixFormat::sell);
  }
  const std::size_t csr_bytes = system_matrix_bytes<Scalar>(statistics.rows, statistics.nonzeros);
  report.set("stored_rays", A.symmetry.num_stored);
  report.set("stored_nonzeros", A.stored.num_nonzeros());
  report.set("stored_bytes", A.memory_bytes());
  report.set("compression", static_cast<double>(csr_bytes) / static_cast<double>(A.memory_bytes()));
  report.set("memory_bytes", made.memory_bytes());
  return {AnyOperator<ExecutionSpace, Scalar>(made), statistics, csr_bytes, std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template SymmetricProjection<SCALAR, SPACE::memory_space> make_symmetric_system<SPACE, SCALAR>( \
      const SPACE&, const SystemTask&);                                                           \
  template PreparedOperator<SPACE, SCALAR> prepare_symmetric_operator<SPACE, SCALAR>(             \
      const SPACE&, const SystemTask&, const SymmetricProjection<SCALAR, SPACE::memory_space>&,   \
      const RowStatistics&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
