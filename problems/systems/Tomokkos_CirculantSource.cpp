// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_CirculantSubsetOperator.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
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
MapOn<ExecutionSpace> from_blocks(const ExecutionSpace& exec, Ordinal block_size, Ordinal blocks) {
  std::vector<Ordinal> order(static_cast<std::size_t>(block_size) *
                             static_cast<std::size_t>(blocks));
  for (Ordinal i = 0; i < block_size; ++i)
    for (Ordinal p = 0; p < blocks; ++p)
      order[static_cast<std::size_t>(i) * static_cast<std::size_t>(blocks) +
            static_cast<std::size_t>(p)] = p * block_size + i;
  return make_index_map(exec, block_size * blocks, order);
}

/// View of the block row, with plain values, as CSR whose columns are positions, for statistics and
/// fingerprints. Copies nothing.
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

/// Numbers of a problem by positions in the order `CirculantOrder::rotations`, on the host.
struct NaturalNumbers {
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> to_natural;  // empty: the same numbers

  template <class MemorySpace>
  explicit NaturalNumbers(const std::optional<IndexMap<MemorySpace>>& map) {
    if (map) to_natural = map_on_host(*map).to_natural;
  }
  Ordinal operator()(Ordinal position) const {
    return to_natural.extent(0) > 0 ? to_natural(position) : position;
  }
};

/// Puts the rows of a block-circulant matrix into the order of the subsets of the solver, subsets
/// of the blocks, which are the views; and leaves out what masks exclude. Sets the order and the
/// subsets of \p builder.
///
/// \param system the part of the matrix that this rank holds, and the numbering of the whole matrix
/// \param rows rows of each block that this rank holds, out of \p block_rows
/// \throws ConfigError if the subsets do not divide the blocks
template <class ExecutionSpace, class Scalar>
CirculantSelection<typename ExecutionSpace::memory_space> select_circulant(
    Impl::SystemBuilder<ExecutionSpace, Scalar>& builder,
    const CirculantSystem<ExecutionSpace, Scalar>& system, RowRange rows, Ordinal block_rows) {
  const ExecutionSpace& exec = builder.exec;
  const SystemTask& task = builder.task;
  const BlockRowOn<ExecutionSpace, Scalar>& A = system.A;
  const auto& order = system.order;
  const int subsets = task.needs.subsets;
  if (A.blocks % subsets != 0)
    throw ConfigError("solver.subsets: " + std::to_string(subsets) + " subsets do not divide the " +
                      std::to_string(A.blocks) +
                      " blocks (views) of a block-circulant matrix evenly; give a divisor");
  CirculantSelection<typename ExecutionSpace::memory_space> result;
  result.subsets = subsets;
  if (task.wish.ordering.rows == Ordering::subsets) result.order = subset_class_order(subsets);

  const MatrixMasks& masks = task.masks;
  const auto keeps = [](const std::vector<char>& mask, Ordinal number) {
    return mask.empty() || mask[static_cast<std::size_t>(number)] != 0;
  };
  const NaturalNumbers natural(order.rows);
  std::vector<Ordinal> own, kept, all_begins, own_begins;
  Ordinal all = 0, position = 0;
  for (int place = 0; place < subsets; ++place) {
    all_begins.push_back(all);
    own_begins.push_back(static_cast<Ordinal>(own.size()));
    const std::vector<Ordinal>& classes = result.order;
    const Ordinal first = classes.empty() ? place : classes[static_cast<std::size_t>(place)];
    for (Ordinal i = 0; i < block_rows; ++i)
      for (Ordinal p = first; p < A.blocks; p += subsets) {
        const Ordinal number = natural(i * A.blocks + p);
        const bool is_own = i >= rows.begin && i < rows.end;
        if (keeps(masks.rows, number)) {
          ++all;
          if (is_own) own.push_back(number);
          if (is_own && !masks.rows.empty()) kept.push_back(position);
        }
        if (is_own) ++position;
      }
  }
  if (subsets > 1 || builder.share != nullptr) {
    builder.subsets = RowSubsets(all, subsets, 1, all_begins);
    builder.subset_begins = std::move(own_begins);
  }
  const bool is_part = rows.begin > 0 || rows.end < block_rows;
  if (subsets > 1 || is_part || order.rows || !masks.rows.empty())
    builder.order.rows = make_index_map(exec, block_rows * A.blocks, own);
  if (!masks.rows.empty()) result.rows = make_index_map(exec, position, kept);
  builder.order.columns = order.columns;
  if (!masks.columns.empty()) {
    const NaturalNumbers natural_column(order.columns);
    std::vector<Ordinal> columns, numbers;
    for (Ordinal j = 0; j < A.num_cols(); ++j)
      if (const Ordinal number = natural_column(j); keeps(masks.columns, number)) {
        columns.push_back(j);
        numbers.push_back(number);
      }
    result.columns = make_index_map(exec, A.num_cols(), columns);
    builder.order.columns = make_index_map(exec, A.num_cols(), numbers);
  }
  return result;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
BlockRowOn<ExecutionSpace, Scalar> make_block_row(const ExecutionSpace& exec,
                                                  const SystemTask& task, MatrixUse use,
                                                  RowRange rows) {
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
  result.A = Impl::as_choice("operator.format", [&] {
    return block_circulant_from_csr<ExecutionSpace, Scalar>(exec, C, wish.blocks, wish.order);
  });
  if (wish.order == CirculantOrder::blocks) {
    result.order.rows = from_blocks(exec, result.A.block_rows, wish.blocks);
    result.order.columns = from_blocks(exec, result.A.block_cols, wish.blocks);
  }
  return result;
}

template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(const ExecutionSpace& exec,
                                  const BlockRowOn<ExecutionSpace, Scalar>& A) {
  RowStatistics result = row_statistics<ExecutionSpace, Scalar>(exec, positions_as_csr(A));
  result.rows = A.num_rows();
  result.columns = A.num_cols();
  result.nonzeros = A.num_nonzeros();
  result.empty_rows *= A.blocks;
  return result;
}

namespace Impl {

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::block_row() -> System {
  observer.matrix_begins("building the row of blocks");
  CirculantSystem<ExecutionSpace, Scalar> system;
  auto& A = system.A;
  Ordinal block_rows = 0;
  // A rank has the same rows of every block row.
  const auto own_rows = [&](const HostOffsets& offsets) {
    const std::vector<Ordinal> begins = partition_rows(offsets, all_rows, share->weights);
    const auto r = static_cast<std::size_t>(share->rank);
    block_rows = begins.back();
    return RowRange{begins[r], begins[r + 1]};
  };
  RowRange rows;
  if (share != nullptr && share->unit_offsets.extent(0) > 0) {
    rows = own_rows(share->unit_offsets);
    A = make_block_row<ExecutionSpace, Scalar>(exec, task, MatrixUse::products, rows);
  } else {
    system = make_circulant_system<ExecutionSpace, Scalar>(exec, task);
    block_rows = A.block_rows;
    rows = all_rows.resolved(block_rows);
    if (share != nullptr) {
      rows = own_rows(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets));
      A = block_circulant_from_block_row<ExecutionSpace, Scalar>(
          exec,
          csr_row_range<ExecutionSpace, Scalar>(
              exec, block_row_from_block_circulant<ExecutionSpace, Scalar>(exec, A), rows),
          A.blocks);
    }
  }
  const auto selection = select_circulant(*this, system, rows, block_rows);
  // A rank with all rows needs no map for its product, but ranks number their rows by it.
  if (share != nullptr && !order.rows) order.rows = identity_map(exec, block_rows * A.blocks);
  const RowStatistics statistics =
      task.masks.any() ? row_statistics_of(
                             Kokkos::create_mirror_view_and_copy(
                                 Kokkos::HostSpace(),
                                 circulant_row_offsets<ExecutionSpace, Scalar>(exec, A, selection)),
                             selection.columns ? selection.columns->size() : A.num_cols())
                       : expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  built(statistics, A.memory_bytes(), " as a row of " + std::to_string(A.blocks) + " blocks", [&] {
    return with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec, positions_as_csr(A)),
                      task.masks);
  });
  observer.operator_begins(static_cast<double>(A.num_stored()));
  const OperatorWish& wish = task.wish;
  // The plain values are freed, because nobody else holds them.
  if (wish.values() == StoredPrecision::half)
    A = as_choice("operator.values: half",
                  [&] { return with_rounded_values<ExecutionSpace, Scalar>(exec, A); });
  CirculantOperatorOptions<ExecutionSpace, Scalar> options;
  options.variant = wish.circulant.variant;
  options.transpose = wish.transpose;
  options.transpose_variant = wish.circulant.transpose_variant;
  options.available_bytes = available_memory(exec);
  return prepare_built_operator<ExecutionSpace, Scalar>(
      exec, task, make_operator(exec, A, options, selection), statistics);
}

}  // namespace Impl

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template BlockRowOn<SPACE, SCALAR> make_block_row<SPACE, SCALAR>(                            \
      const SPACE&, const SystemTask&, MatrixUse, RowRange);                                   \
  template CirculantSystem<SPACE, SCALAR> make_circulant_system<SPACE, SCALAR>(                \
      const SPACE&, const SystemTask&, MatrixUse);                                             \
  template RowStatistics expanded_statistics<SPACE, SCALAR>(const SPACE&,                      \
                                                            const BlockRowOn<SPACE, SCALAR>&); \
  template BuiltSystem<SPACE, SCALAR> Impl::SystemBuilder<SPACE, SCALAR>::block_row();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
