// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixInfo.hpp>
#include <Tomokkos_MatrixSample.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace Tomokkos {
namespace {

template <class ExecutionSpace, class Scalar>
Description info_description(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  Description result = Description::map();
  result.set_all(describe_circulant<ExecutionSpace, Scalar>(exec, A));
  const auto stored = static_cast<double>(A.num_stored());
  // A row of blocks has the arrays of a CSR matrix.
  const auto row = [&](std::size_t scalar_bytes) {
    return static_cast<std::size_t>(csr_bytes(scalar_bytes, A.block_rows, stored));
  };
  Description bytes = Description::map();
  bytes.set("row", bytes_by_scalar(row));
  bytes.set("row_with_stored_transpose", bytes_by_scalar([&](std::size_t scalar_bytes) {
              return row(scalar_bytes) +
                     static_cast<std::size_t>(csr_bytes(scalar_bytes, A.block_cols, stored));
            }));
  bytes.set("expanded_csr", bytes_by_scalar([&](std::size_t scalar_bytes) {
              return static_cast<std::size_t>(
                  csr_bytes(scalar_bytes, A.num_rows(), static_cast<double>(A.num_nonzeros())));
            }));
  result.set("memory_bytes", std::move(bytes));
  return result;
}

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

Description describe(const RunBytes& bytes, const MachineFacts& machine) {
  const PlaceBytes peak = bytes.peak();
  Description entry = Description::map(true);
  entry.set("bytes", rounded_bytes(bytes.matrix));
  entry.set("run_bytes", rounded_bytes(peak.device));
  entry.set("fits", peak.device <= static_cast<double>(machine.device_free) &&
                        peak.host <= static_cast<double>(machine.host_free));
  return entry;
}

}  // namespace

template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       Description& result) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  const Ordinal told = read_number_of_blocks(file).value_or(0);
  if (given > 0 && told > 0 && given != told)
    throw ConfigError("--blocks " + std::to_string(given) + ": " + file + " contains " +
                      std::to_string(told) + " blocks");
  const Ordinal blocks = std::max(given, told);
  if (blocks == 0) return;
  if (row.num_cols % blocks != 0)
    throw ConfigError("--blocks " + std::to_string(blocks) + ": the block row in " + file +
                      " has " + std::to_string(row.num_cols) +
                      " columns, which this number does not divide");
  const HostSpace exec;
  result.set("block_circulant",
             info_description<HostSpace, Scalar>(
                 exec, block_circulant_from_block_row<HostSpace, Scalar>(
                           exec, copy_to<typename HostSpace::memory_space>(exec, row), blocks)));
}

template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const SystemTask& task, Description& result) {
  const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
  const RowStatistics statistics = expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  result.set_all(matrix_description(statistics));
  result.set("scalar", scalar_name<Scalar>());
  result.set("block_circulant", info_description<ExecutionSpace, Scalar>(exec, A));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                         \
  template void add_row_of_blocks(const std::string&, Ordinal, const HostCsrMatrix<Scalar>&, \
                                  Description&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

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

template <class ExecutionSpace, class Scalar>
double add_estimates(const ExecutionSpace& exec, const ConfigNode& root, const RunConfig& config,
                     const RunInput& input, Description& estimates) {
  if (!is_traced(input.rows)) return 0;
  PlanFacts facts;
  facts.machine = machine_facts<ExecutionSpace, Scalar>(exec);
  facts.sample = sample_matrix(exec, input.rows, true);
  facts.slabs = plan_slabs(config.problem, sizeof(Scalar));
  Description formats = Description::map();
  const auto add = [&](const std::string& name, const RunConfig& one) {
    if (const auto bytes =
            bytes_of_way(system_task(one.matrix_operator, one.needs(), input), facts))
      formats.set(name, describe(*bytes, facts.machine));
  };
  for (const std::string_view name : format_names()) {
    if (!config.matrix_operator.symmetric() && name == config.matrix_operator.format_name()) {
      add(std::string(name), config);
      continue;
    }
    ConfigNode changed = root;
    apply_setting(changed, "operator={format: " + std::string(name) + "}");
    try {
      add(std::string(name), read_run_config(changed, ConfigUse::matrix, ""));
    } catch (const ConfigError&) {
      // The solver or the geometry excludes this format.
    }
  }
  estimates = Description::map();
  estimates.set("backend", backend_name<ExecutionSpace>());
  estimates.set("scalar", scalar_name<Scalar>());
  estimates.set("available_bytes", rounded_bytes(static_cast<double>(facts.machine.device_free)));
  estimates.set("nonzeros", rounded_bytes(facts.sample.nonzeros));
  estimates.set("solver", config.solver.kind());
  estimates.set("formats", std::move(formats));
  const auto* const beam = std::get_if<ConeBeamRows>(&input.rows);
  return facts.sample.nonzeros / (beam == nullptr ? 1 : beam->scan.views);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template void add_block_circulant<SPACE, SCALAR>(const SPACE&, const SystemTask&, Description&); \
  template void add_pair_blocked<SPACE, SCALAR>(                                                   \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PairBlockedQuestions&,    \
      const PairBlockedEntry&, Description&, Description&);                                        \
  template void add_stored_rays<SPACE, SCALAR>(const SPACE&, const RunInput&,                      \
                                               const RowStatistics&, const PairBlockedQuestions&,  \
                                               Description&, Description&);                        \
  template double add_estimates<SPACE, SCALAR>(const SPACE&, const ConfigNode&, const RunConfig&,  \
                                               const RunInput&, Description&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
