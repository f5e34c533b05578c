// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

namespace {

template <class ExecutionSpace, class Scalar>
void check_memory(const ExecutionSpace& exec, const SystemTask& task, const CirculantSize& size,
                  MatrixUse use) {
  const MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
  const bool expands = use != MatrixUse::matrix && !task.wish.block_circulant();
  const std::string shape = std::to_string(size.blocks) + " blocks of " +
                            std::to_string(size.block_rows) + " x " +
                            std::to_string(size.block_cols);
  const std::string with_entries = shape + " with " + std::to_string(size.stored) + " entries";
  Impl::require_memory(
      Impl::whole_bytes(bytes_of_circulant_run(task, task.wish, machine, size, use, 1).least()),
      size.stored == 0
          ? "the vectors and row offsets of a matrix with a block row of " + shape + " need"
      : expands ? "the matrix has a block row of " + with_entries + "; expanded to " +
                      std::to_string(static_cast<long long>(size.nonzeros())) +
                      " nonzeros, together with the other memory of the run, it needs"
                : "the run with a block row of " + with_entries + " needs",
      machine.device_free,
      expands
          ? "use operator.format: block_circulant, which stores only the block row"
          : "make the problem smaller, or use run.scalar: float or operator.transpose: direct, "
            "which needs no second copy" +
                std::string(is_traced(task.rows) && task.masks.columns.empty() && !task.needs.views
                                ? ", or operator.format: computed, which stores no matrix"
                                : ""));
}

/// Order in which position i k + p holds row p m_B + i of a matrix that is numbered block by block.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> from_blocks(const ExecutionSpace& exec,
                                                            Ordinal block_size, Ordinal blocks) {
  std::vector<Ordinal> order(static_cast<std::size_t>(block_size) *
                             static_cast<std::size_t>(blocks));
  for (Ordinal i = 0; i < block_size; ++i)
    for (Ordinal p = 0; p < blocks; ++p)
      order[static_cast<std::size_t>(i) * static_cast<std::size_t>(blocks) +
            static_cast<std::size_t>(p)] = p * block_size + i;
  return make_index_map(exec, block_size * blocks, order);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> make_block_row(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use, RowRange rows) {
  if (const auto* beam = std::get_if<ConeBeamRows>(&task.rows)) {
    CirculantSize size = beam->circulant_size();
    size.block_rows = rows.size(size.block_rows);
    // The first check ignores the nonzeros, which are not known yet, but needs no tracing of rays.
    check_memory<ExecutionSpace, Scalar>(exec, task, size, use);
    size.stored = count_cone_beam_nonzeros(exec, beam->volume, beam->scan, rows);
    check_memory<ExecutionSpace, Scalar>(exec, task, size, use);
    return beam->build_blocks<ExecutionSpace, Scalar>(exec, rows);
  }
  auto [row, size] = std::get<CirculantFileRows>(task.rows).read<Scalar>();
  task.check_shape(size.block_rows * size.blocks, row.num_cols);
  const RowRange range = rows.resolved(size.block_rows);
  size.block_rows = range.end - range.begin;
  size.stored = row.row_offsets(range.end) - row.row_offsets(range.begin);
  check_memory<ExecutionSpace, Scalar>(exec, task, size, use);
  return block_circulant_from_block_row<ExecutionSpace, Scalar>(
      exec, csr_row_range<ExecutionSpace, Scalar>(exec, row, range), size.blocks);
}

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> circulant_row_range(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows) {
  return block_circulant_from_block_row<ExecutionSpace, Scalar>(
      exec,
      csr_row_range<ExecutionSpace, Scalar>(
          exec, block_row_from_block_circulant<ExecutionSpace, Scalar>(exec, A), rows),
      A.blocks);
}

template <class ExecutionSpace, class Scalar>
CirculantSystem<ExecutionSpace, Scalar> make_circulant_system(const ExecutionSpace& exec,
                                                              const SystemTask& task,
                                                              MatrixUse use) {
  if (traits_of(task.rows).is_circulant)
    return {make_block_row<ExecutionSpace, Scalar>(exec, task, use), {}};
  const CirculantWish& wish = task.wish.circulant;
  // Masks leave out rows and columns later: they need not repeat from block to block.
  SystemTask whole = task;
  whole.masks = {};
  const auto C = make_matrix<ExecutionSpace, Scalar>(exec, whole, MatrixUse::matrix);
  CirculantSystem<ExecutionSpace, Scalar> result;
  result.A = as_choice("operator.format", [&] {
    return block_circulant_from_csr<ExecutionSpace, Scalar>(exec, C, wish.blocks, wish.order);
  });
  if (wish.order == CirculantOrder::blocks) {
    result.order.rows = from_blocks(exec, result.A.block_rows, wish.blocks);
    result.order.columns = from_blocks(exec, result.A.block_cols, wish.blocks);
  }
  return result;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_expanded_matrix(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use) {
  const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, use);
  Impl::require_memory(system_matrix_bytes<Scalar>(A.num_rows(), A.num_nonzeros()),
                       "a matrix of " + std::to_string(A.num_nonzeros()) + " nonzeros needs",
                       available_memory(exec));
  return csr_from_block_circulant<ExecutionSpace, Scalar>(exec, A, CirculantOrder::rotations);
}

template <class Scalar, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> positions_as_csr(
    const BlockCirculantMatrix<Scalar, MemorySpace>& A) {
  require(!A.is_rounded(), "positions_as_csr: a matrix with values of 16 bits has no plain values");
  using Columns =
      Kokkos::View<const Ordinal*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  CsrMatrix<Scalar, MemorySpace> result;
  result.num_rows = A.block_rows;
  result.num_cols = A.block_cols;
  result.row_offsets = A.row_offsets;
  result.columns =
      Columns(reinterpret_cast<const Ordinal*>(A.positions.data()), A.positions.extent(0));
  result.values = A.values;
  return result;
}

template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  RowStatistics result = row_statistics<ExecutionSpace, Scalar>(exec, positions_as_csr(A));
  result.rows = A.num_rows();
  result.columns = A.num_cols();
  result.nonzeros = A.num_nonzeros();
  result.empty_rows *= A.blocks;
  return result;
}

#define TOMOKKOS_INSTANTIATE(MEMORY, SCALAR) \
  template CsrMatrix<SCALAR, MEMORY> positions_as_csr(const BlockCirculantMatrix<SCALAR, MEMORY>&);
TOMOKKOS_FOR_EACH_MEMORY_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space> make_block_row<SPACE, SCALAR>(      \
      const SPACE&, const SystemTask&, MatrixUse, RowRange);                                     \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space> circulant_row_range<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, RowRange);         \
  template CirculantSystem<SPACE, SCALAR> make_circulant_system<SPACE, SCALAR>(                  \
      const SPACE&, const SystemTask&, MatrixUse);                                               \
  template CsrMatrix<SCALAR, SPACE::memory_space> make_expanded_matrix<SPACE, SCALAR>(           \
      const SPACE&, const SystemTask&, MatrixUse);                                               \
  template RowStatistics expanded_statistics<SPACE, SCALAR>(                                     \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
