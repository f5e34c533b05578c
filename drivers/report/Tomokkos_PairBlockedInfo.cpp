// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairBlockedInfo.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <array>
#include <optional>

namespace Tomokkos {
namespace {

/// Size of \p A in pairs of rows. Empty if a pair would have too many entries.
template <class ExecutionSpace, class Scalar>
std::optional<PairBlockedSize> size_in_pairs(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  try {
    return pair_blocked_size<ExecutionSpace, Scalar>(exec, A);
  } catch (const Refused&) {
    return {};
  }
}

struct Collisions {
  Offset all = 0;
  Ordinal groups_without = 0;
};

template <class ExecutionSpace, class Scalar>
Collisions collisions_of(const ExecutionSpace& exec,
                         const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                         bool spread) {
  PairBlockedOptions options;
  options.spread_columns = spread;
  const auto pairs = copy_to<Kokkos::HostSpace>(
      exec, pair_blocked_from_csr<ExecutionSpace, Scalar>(exec, A, options));
  Collisions collisions;
  for (Ordinal group = 0; group < pairs.num_groups(); ++group) {
    const Offset here = count_collisions(pairs, group);
    collisions.all += here;
    if (here == 0) ++collisions.groups_without;
  }
  return collisions;
}

template <class ExecutionSpace, class Scalar>
Description collisions_description(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    Ordinal groups) {
  Description result = Description::map(true);
  result.set("ascending", collisions_of<ExecutionSpace, Scalar>(exec, A, false).all);
  const Collisions spread = collisions_of<ExecutionSpace, Scalar>(exec, A, true);
  result.set("spread", spread.all);
  result.set("groups", groups);
  result.set("groups_without", spread.groups_without);
  return result;
}

/// Widths of the three sub-matrices of a `PairBlockedMatrix`.
Description sub_matrices_description(Ordinal mixed_begin, Ordinal mixed_end, Ordinal width) {
  return Description(std::array{mixed_begin, mixed_end - mixed_begin, width - mixed_end});
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_pair_blocked(const ExecutionSpace& exec,
                      const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                      const PairBlockedQuestions& questions, const PairBlockedEntry& entry,
                      Description& result, Description& bytes) {
  const auto size = size_in_pairs<ExecutionSpace, Scalar>(exec, A);
  if (!size) return;
  bytes.set(entry.name, bytes_by_scalar([&](std::size_t scalar_bytes) {
              return entry.beside + pair_blocked_bytes(*size, A.num_rows, scalar_bytes);
            }));
  Description pairs = Description::map();
  pairs.set("pairs", size->pairs);
  pairs.set("sub_matrices",
            sub_matrices_description(size->mixed_begin, size->mixed_end, size->width));
  pairs.set("fill", A.num_nonzeros() > 0
                        ? static_cast<double>(size->stored) / static_cast<double>(A.num_nonzeros())
                        : 1.0);
  if (questions.collisions)
    pairs.set("collisions", collisions_description<ExecutionSpace, Scalar>(exec, A, size->groups));
  result.set("pair_blocked", std::move(pairs));
}

template <class ExecutionSpace, class Scalar>
void add_stored_rays(const ExecutionSpace& exec, const RunInput& input,
                     const RowStatistics& statistics, const PairBlockedQuestions& questions,
                     Description& result, Description& bytes) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto* scan = scan_of(input.rows);
  if (!scan) return;
  Description rays = Description::map();
  SymmetricProjection<Scalar, MemorySpace> A;
  try {
    A = build_symmetric_projection<ExecutionSpace, Scalar>(
        exec, scan->volume, scan->scan, scan->projector, input.masks.rows, input.masks.columns);
  } catch (const Error& error) {
    // The scan lacks the symmetries, or the rays do not fit in memory together with the matrix.
    rays.set("refused", error.what());
    result.set("scsr", std::move(rays));
    return;
  }
  const auto entries = static_cast<std::size_t>(A.stored.num_nonzeros());
  const auto one_copy = [&](std::size_t scalar_bytes) {
    return A.memory_bytes() - entries * sizeof(Scalar) + entries * scalar_bytes;
  };
  rays.set("stored_rays", A.stored.num_rows);
  rays.set("stored_nonzeros", entries);
  Description compression = Description::map(true);
#define TOMOKKOS_ADD(SCALAR)                                                   \
  compression.set(scalar_name<SCALAR>(),                                       \
                  Description(static_cast<double>(system_matrix_bytes<SCALAR>( \
                                  statistics.rows, statistics.nonzeros)) /     \
                              static_cast<double>(one_copy(sizeof(SCALAR)))));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  rays.set("compression", std::move(compression));
  bytes.set("scsr", bytes_by_scalar(one_copy));
  bytes.set("scsr_with_stored_transpose", bytes_by_scalar([&](std::size_t scalar_bytes) {
              return one_copy(scalar_bytes) +
                     static_cast<std::size_t>(
                         csr_bytes(scalar_bytes, A.stored.num_cols, static_cast<double>(entries)));
            }));
  add_pair_blocked<ExecutionSpace, Scalar>(
      exec, A.stored, questions, {"scsr_pair_blocked", A.symmetry.memory_bytes()}, rays, bytes);
  result.set("scsr", std::move(rays));
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void add_pair_blocked<SPACE, SCALAR>(                                                  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PairBlockedQuestions&,   \
      const PairBlockedEntry&, Description&, Description&);                                       \
  template void add_stored_rays<SPACE, SCALAR>(const SPACE&, const RunInput&,                     \
                                               const RowStatistics&, const PairBlockedQuestions&, \
                                               Description&, Description&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
