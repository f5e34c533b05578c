// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace Tomokkos {
namespace {

/// Facts about the machine, with \p given bytes instead of its free memory.
template <class ExecutionSpace, class Scalar>
MachineFacts facts_with(const ExecutionSpace& exec, const std::optional<std::uint64_t>& given) {
  MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
  if (given) machine.device_free = *given;
  return machine;
}

// Subject of a message about the needed bytes.
const char* subject_of(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  if (use == MatrixUse::tiles) return "in ray tiles, together with a block of rows, it needs";
  if (makes_windows(task, wish, use)) return "with its windows and the vectors it needs";
  return keeps_transpose(task, wish, use) ? "with its stored transpose and the vectors it needs"
                                          : "it needs";
}

/// Text for a number of nonzeros. Numbers of counted rows are exact.
std::string text_of_nonzeros(const RowTraits& traits, double nonzeros, bool is_estimate) {
  if (traits.counts_first) return Impl::formatted(is_estimate ? "about %.3g" : "%.0f", nonzeros);
  return Impl::formatted(is_estimate ? "about %.4g" : "%.4g", nonzeros);
}

/// Settings that may need less memory, for messages.
struct Alternative {
  std::string name;
  OperatorWish wish = {};
  double bytes = 0;
};

/// Alternatives to the wish of \p task with values of \p scalar_bytes bytes: the symmetries of the
/// scan, no second copy, ray tiles, computed entries, 16-bit values. Their bytes are not set.
///
/// \param stored_rays rays that the symmetries leave; 0: there are none
/// \param is_read the matrix has been read, and only its copies can change
std::vector<Alternative> alternatives_to(const SystemTask& task, MatrixUse use,
                                         std::size_t scalar_bytes, double stored_rays,
                                         bool is_read) {
  std::vector<Alternative> ways;
  if (use == MatrixUse::matrix) return ways;
  const OperatorWish& wish = task.wish;
  const SolverNeeds& needs = task.needs;
  const bool is_float = scalar_bytes == sizeof(float);
  const bool is_csr = wish.is(MatrixFormat::csr) || wish.is_automatic();
  const bool builds_rays = task.rows_are_rays && is_csr && !wish.symmetric() && !is_read;
  const bool may_add = !needs.deterministic && needs.transpose && (is_csr || is_read) &&
                       (keeps_transpose(task, wish, use) || makes_windows(task, wish, use));
  const auto add = [&](const char* name, const OperatorWish& changed) {
    ways.push_back({name, changed});
  };
  const auto add_atomic = [&](const char* name, OperatorWish changed) {
    changed.transpose = TransposeMethod::atomic;
    if (may_add) add(name, changed);
  };
  const auto add_halves = [&](const char* name, OperatorWish changed) {
    changed.set_values(StoredPrecision::half);
    if (is_float) add(name, changed);
  };
  OperatorWish changed;
  if (builds_rays && stored_rays > 0) {
    changed.set_format("scsr");
    add("operator.format: scsr", changed);
    add_atomic("operator: {format: scsr, transpose: atomic}", changed);
  }
  add_atomic("operator.transpose: atomic", wish);
  if (builds_rays && needs.transpose && !needs.rows && wish.variant == SpmvVariant::automatic) {
    changed = wish;
    changed.stored = TiledOptions{};
    changed.ordering.columns = Ordering::squares;
    add("operator.format: ray_tiles", changed);
    add_halves("operator: {format: ray_tiles, values: half}", changed);
  }
  if (is_traced(task.rows) && !is_read && !wish.computed()) {
    changed = {};
    changed.set_format("computed");
    add("operator: {format: computed}", changed);
  }
  if (wish.may_use_halves()) add_halves("operator.values: half", wish);
  return ways;
}

/// Describes the alternatives that fit in \p available bytes, or the smallest one.
std::string advice_of(const std::vector<Alternative>& ways, std::uint64_t available) {
  const auto described = [](const Alternative& way) {
    const std::string bytes = describe_bytes(Impl::whole_bytes(way.bytes));
    return way.name + " (about " + bytes.substr(0, bytes.find(" (")) + ")";
  };
  std::string fitting;
  int count = 0;
  for (const Alternative& way : ways)
    if (way.bytes <= static_cast<double>(available) && count++ < 3)
      fitting += (fitting.empty() ? "" : ", or ") + described(way);
  if (!fitting.empty()) return "these settings fit: " + fitting;
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const Alternative& a, const Alternative& b) { return a.bytes < b.bytes; });
  if (least == ways.end()) return "make the problem smaller";
  return "make the problem smaller: even " + described(*least) + " does not fit";
}

/// Number of slices of a stack that fit on \p machine together; 0: not even one does.
Ordinal slices_that_fit(const SystemTask& task, const MachineFacts& machine, MatrixUse use,
                        const MatrixNumbers& numbers) {
  const auto bytes_of = [&](Ordinal slices) {
    SystemTask part = task;
    part.needs.vectors = slices;
    return bytes_of_run(part, part.wish, machine, use, numbers).least();
  };
  const double one = bytes_of(1), more = bytes_of(2) - one;
  const double room = static_cast<double>(machine.device_free) - one;
  return room < 0 || more <= 0 ? 0 : 1 + static_cast<Ordinal>(std::min(room / more, 1e9));
}

/// Describes alternatives to the matrix of \p task that would fit on \p machine, also in `float`.
std::string advice_for(const SystemTask& task, const MachineFacts& machine, MatrixUse use,
                       const MatrixNumbers& of) {
  if (use == MatrixUse::matrix) return advice_of({}, 0);
  const OperatorWish& wish = task.wish;
  std::vector<Alternative> ways;
  const auto add_all = [&](const MachineFacts& with, const std::string& more) {
    const auto add = [&](const std::string& name, const OperatorWish& changed) {
      const MatrixUse changed_use =
          changed.format_name() == wish.format_name() ? use : use_in_run(task, changed);
      MatrixNumbers numbers = of;
      // Packs of another format are not completely filled by segments.
      if (changed.is(MatrixFormat::ray_tiles) && !wish.is(MatrixFormat::ray_tiles))
        numbers.format_bytes = 1.25 * of.nonzeros * bytes_of_entry(changed, with);
      ways.push_back(
          {name, changed, bytes_of_run(task, changed, with, changed_use, numbers).least()});
    };
    if (!more.empty()) add(more, wish);
    for (const Alternative& way :
         alternatives_to(task, use, with.scalar_bytes, of.stored_rays, false))
      add((more.empty() ? more : more + " with ") + way.name, way.wish);
  };
  add_all(machine, "");
  if (machine.scalar_bytes == sizeof(double)) {
    MachineFacts in_float = machine;
    in_float.scalar_bytes = sizeof(float);
    add_all(in_float, "run.scalar: float");
  }
  const Ordinal slices =
      task.needs.vectors > 1 ? slices_that_fit(task, machine, use, of) : Ordinal{0};
  if (slices > 0 && slices < task.needs.vectors)
    return "about " + std::to_string(slices) + " slices fit at a time (problem.slices)";
  return advice_of(ways, machine.device_free);
}

}  // namespace

// The first check uses an estimate of the nonzeros; the second follows when they have been counted.
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                             std::optional<Offset> counted, std::optional<std::uint64_t> given) {
  const MachineFacts machine = facts_with<ExecutionSpace, Scalar>(exec, given);
  const std::uint64_t available = machine.device_free;
  const RowTraits traits = traits_of(task.rows);
  const KeptShares kept(task);
  const bool is_symmetric = task.wish.symmetric() && use == MatrixUse::products;
  MatrixNumbers numbers = numbers_of(task, use, 0);
  if (is_symmetric && numbers.stored_rays == 0) return;  // refused with a reason when it is built
  const auto needed = [&](double nonzeros) {
    numbers.nonzeros = nonzeros * task.share.part;
    return bytes_of_run(task, task.wish, machine, use, numbers).least();
  };
  const auto fits = [&](double nonzeros) {
    return needed(nonzeros) <= static_cast<double>(available);
  };
  Impl::require_memory(Impl::whole_bytes(needed(0)),
                       "the vectors and row offsets of " + std::to_string(kept.rows) + " " +
                           traits.rows + " and " + std::to_string(kept.columns) + " " +
                           traits.columns + " need",
                       available, "make the problem smaller");

  // No counting is needed if the upper bound fits.
  const double most = most_nonzeros(task.rows) * kept.of_rows;
  if (fits(most)) return;
  const auto require_nonzeros = [&](double nonzeros, bool is_estimate) {
    if (fits(nonzeros)) return;
    const double need = needed(nonzeros);
    if (numbers.stored_rays == 0) numbers.stored_rays = stored_rays_of(task);
    Impl::require_memory(
        Impl::whole_bytes(need),
        "the system matrix has " + text_of_nonzeros(traits, nonzeros, is_estimate) + " nonzeros; " +
            (task.share.ranks > 1 ? "on each of " + std::to_string(task.share.ranks) + " ranks "
                                  : std::string()) +
            (is_symmetric ? "as scsr with the vectors it needs"
                          : subject_of(task, task.wish, use)) +
            (is_estimate || is_symmetric ? " about" : ""),
        available, advice_for(task, machine, use, numbers));
  };
  if (counted) return require_nonzeros(kept.of_nonzeros * static_cast<double>(*counted), false);
  if (task.share.ranks > 1 && !traits.counts_first) return;
  // Counting takes as long as a product, and most matrices are far below or above the limit.
  constexpr double quickly_counted = 3e8, sample_error = 0.05;
  if (traits.counts_first || most > quickly_counted) {
    const double estimate = kept.of_nonzeros * sampled_nonzeros(exec, task.rows);
    if (fits((1 + sample_error) * estimate)) return;
    if (is_symmetric || !fits((1 - sample_error) * estimate))
      return require_nonzeros(estimate, true);
  }
  if (!traits.counts_first)
    require_nonzeros(kept.of_nonzeros * static_cast<double>(count_nonzeros(exec, task.rows)),
                     false);
}

template <class ExecutionSpace, class Scalar>
OffsetsOn<ExecutionSpace> counted_offsets(const ExecutionSpace& exec, const SystemTask& task,
                                          MatrixUse use, std::optional<std::uint64_t> given) {
  require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use, {}, given);
  const auto offsets = row_offsets(exec, task.rows);
  require_memory_to_build<ExecutionSpace, Scalar>(
      exec, task, use,
      Impl::read_entry(exec, offsets, offsets.extent(0) - 1,
                       "make_matrix: number of nonzeros has arrived"),
      given);
  return offsets;
}

template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const SystemTask& task,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> given) {
  const MachineFacts machine = facts_with<ExecutionSpace, Scalar>(exec, given);
  const std::uint64_t available = machine.device_free;
  MatrixNumbers numbers;
  numbers.rays = numbers.all_rays = A.num_rows;
  numbers.pixels = numbers.all_pixels = A.num_cols;
  numbers.nonzeros = static_cast<double>(A.num_nonzeros());
  numbers.offsets = numbers.rays + 1;
  // On a host, the arrays that have been read are one of the copies of the matrix.
  const double read = machine.gpu ? 0 : csr_bytes(sizeof(Scalar), numbers.rays, numbers.nonzeros);
  const auto need = [&](const OperatorWish& changed) {
    return std::max(0.0, bytes_of_run(task, changed, machine, use, numbers).least() - read);
  };
  const OperatorWish& wish = task.wish;
  const double bytes = need(wish);
  if (bytes <= static_cast<double>(available)) return;
  std::vector<Alternative> ways = alternatives_to(task, use, sizeof(Scalar), 0, true);
  for (Alternative& way : ways) way.bytes = need(way.wish);
  Impl::require_memory(
      Impl::whole_bytes(bytes),
      "the matrix " + matrix_name(task.rows) + " is " + std::to_string(A.num_rows) + " x " +
          std::to_string(A.num_cols) + " with " + std::to_string(A.num_nonzeros()) + " nonzeros; " +
          (keeps_transpose(task, wish, use) ? "its stored transpose and the vectors need"
           : makes_windows(task, wish, use) ? "its windows and the vectors need"
                                            : "the run needs"),
      available, advice_of(ways, available));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                      \
  template void require_memory_to_build<ExecutionSpace, Scalar>(                          \
      const ExecutionSpace&, const SystemTask&, MatrixUse, std::optional<Offset>,         \
      std::optional<std::uint64_t>);                                                      \
  template OffsetsOn<ExecutionSpace> counted_offsets<ExecutionSpace, Scalar>(             \
      const ExecutionSpace&, const SystemTask&, MatrixUse, std::optional<std::uint64_t>); \
  template void require_read_memory<ExecutionSpace, Scalar>(                              \
      const ExecutionSpace&, const SystemTask&, const HostCsrMatrix<Scalar>&, MatrixUse,  \
      std::optional<std::uint64_t>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
