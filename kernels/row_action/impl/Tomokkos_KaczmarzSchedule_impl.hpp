// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KaczmarzSchedule.hpp>
#include <impl/Tomokkos_HostRows.hpp>
#include <utility>

namespace Tomokkos {
namespace Impl {

template <class Value, class ExecutionSpace>
Vector<Value, typename ExecutionSpace::memory_space> copied_to_device(
    const ExecutionSpace& exec, const char* label, const std::vector<Value>& from) {
  const auto to =
      allocate<Vector<Value, typename ExecutionSpace::memory_space>>(exec, label, from.size());
  Kokkos::deep_copy(exec, to, VectorView<const Value, Kokkos::HostSpace>(from.data(), from.size()));
  return to;
}

/// Implements `make_csr_kaczmarz_schedule` for any rows.
template <class ExecutionSpace, class Rows>
KaczmarzSchedule<ExecutionSpace> make_kaczmarz_schedule(
    const ExecutionSpace& exec, const Rows& rows,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms) {
  require_equal("squared norms of rows", static_cast<long long>(squared_norms.extent(0)),
                "rows of A", rows.num_rows);
  KaczmarzLevelBuilder builder(rows.num_cols);
  for_each_row_on_host(exec, rows, order, [&](Ordinal row, std::span<const Ordinal> columns) {
    builder.visit(row, columns);
  });
  KaczmarzSchedule<ExecutionSpace> result;
  result.levels = builder.finish();
  result.rows = copied_to_device(exec, "Tomokkos::KaczmarzSchedule::rows", result.levels.rows);
  result.offsets =
      copied_to_device(exec, "Tomokkos::KaczmarzSchedule::offsets", result.levels.offsets);
  result.squared_norms = squared_norms;
  result.teams = std::make_shared<ResidentTeams<ExecutionSpace>>(exec);
  fence(exec, "KaczmarzSchedule: the levels have arrived");
  return result;
}

/// Implements `csr_kaczmarz_sweep_levels` for any rows.
template <class ExecutionSpace, class Rows>
void kaczmarz_sweep_levels(const ExecutionSpace& exec, const Rows& rows,
                           const KaczmarzSchedule<ExecutionSpace>& schedule,
                           const KaczmarzCoefficients<typename Rows::scalar_type>& coefficients,
                           const typename Rows::scalar_type* b, typename Rows::scalar_type* x,
                           KaczmarzVariant way) {
  using Visit = KaczmarzVisit<Rows>;
  const Visit visit{
      rows, schedule.rows.data(),    schedule.squared_norms.data(), b,
      x,    coefficients.relaxation, coefficients.minimum,          coefficients.maximum};
  const KaczmarzLevels& levels = schedule.levels;
  const Ordinal num_levels = levels.num_levels();
  if (num_levels == 0) return;
  const bool one_launch = way != KaczmarzVariant::per_level;
  if constexpr (is_host_space<ExecutionSpace>) {
    const int threads = concurrency(exec);
    if (one_launch && threads == 1) {
      Kokkos::parallel_for("Tomokkos::kaczmarz::levels", element_range(exec, 1),
                           LevelsByThread<Visit>{visit, levels.num_visits()});
      return;
    }
    if (one_launch && threads <= most_host_team_threads) {
      Kokkos::parallel_for(
          "Tomokkos::kaczmarz::levels", Kokkos::TeamPolicy<ExecutionSpace>(exec, 1, threads),
          LevelsByTeam<ExecutionSpace, Visit>{visit, schedule.offsets.data(), num_levels});
      return;
    }
  } else {
    const int teams = ResidentTeams<ExecutionSpace>::count(exec);
    const double width = levels.mean_width();
    if (one_launch && teams > 0 &&
        (way == KaczmarzVariant::one_launch || levels_are_narrow(width, teams))) {
      schedule.teams->template run<1>(
          exec, "Tomokkos::kaczmarz::levels", resident_level_threads(width, teams),
          LevelsByResidents<Visit>{visit, schedule.offsets.data(), num_levels});
      return;
    }
  }
  for (std::size_t l = 0; l < static_cast<std::size_t>(num_levels); ++l)
    visit_level(exec, "Tomokkos::kaczmarz::level", levels.offsets[l],
                levels.offsets[l + 1] - levels.offsets[l], visit);
}

/// Checks the shapes of a sweep. A is any object with numbers of rows and columns.
template <class Matrix, class Schedule, class ConstView, class View>
void require_sweep_shapes(const Matrix& A, const Schedule& schedule, const ConstView& b,
                          const View& x) {
  Impl::require_operands(Impl::Operand("b", b, "rows of A", A.num_rows),
                         Impl::Operand("x", x, "columns of A", A.num_cols));
  require_equal("rows of the schedule", static_cast<long long>(schedule.squared_norms.extent(0)),
                "rows of A", A.num_rows);
}

/// Implements `csr_row_squared_norms` for any rows.
template <class ExecutionSpace, class Rows>
Vector<double, typename ExecutionSpace::memory_space> row_squared_norms(const ExecutionSpace& exec,
                                                                        const Rows& rows) {
  const auto norms = allocate<Vector<double, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::Kaczmarz::squared_norms", rows.num_rows);
  visit_level(exec, "Tomokkos::kaczmarz::squared_norms", 0, rows.num_rows,
              RowSquaredNorm<Rows>{rows, norms.data()});
  return norms;
}

/// Counts the rows of a block with an entry in each column, block after block, and keeps the
/// largest count.
class BlockCounts {
 public:
  BlockCounts(Ordinal num_cols, const Ranks* ranks)
      : ranks_(ranks),
        largest_(static_cast<std::size_t>(num_cols), 0),
        count_(largest_.size(), 0),
        block_of_(ranks == nullptr ? largest_.size() : 0, -1),
        sums_(ranks == nullptr ? 0 : largest_.size()) {}

  void add_row(Ordinal block, std::span<const Ordinal> columns) {
    for (const Ordinal column : columns) {
      const auto j = static_cast<std::size_t>(column);
      if (ranks_ != nullptr) {
        ++count_[j];
        continue;
      }
      count_[j] = block_of_[j] == block ? count_[j] + 1 : 1;
      block_of_[j] = block;
      largest_[j] = std::max(largest_[j], count_[j]);
    }
  }
  /// Adds the counts of the other ranks. Call it for every block, also without rows.
  void end_block() {
    if (ranks_ == nullptr) return;
    std::copy(count_.begin(), count_.end(), sums_.begin());
    ranks_->sum(sums_);
    for (std::size_t j = 0; j < sums_.size(); ++j)
      largest_[j] = std::max(largest_[j], static_cast<Ordinal>(sums_[j]));
    std::fill(count_.begin(), count_.end(), 0);
  }
  const std::vector<Ordinal>& largest() const { return largest_; }

 private:
  const Ranks* ranks_;
  std::vector<Ordinal> largest_, count_;
  std::vector<Ordinal> block_of_;  // block to which a count belongs; unused with ranks
  std::vector<double> sums_;
};

/// Implements `csr_largest_block_counts` for any rows.
template <class ExecutionSpace, class Rows>
Vector<Ordinal, typename ExecutionSpace::memory_space> largest_block_counts(
    const ExecutionSpace& exec, const Rows& rows, const RowSubsets& blocks, const Ranks* ranks) {
  BlockCounts counts(rows.num_cols, ranks);
  int block = 0;
  const auto end_blocks = [&](Ordinal row) {
    for (; block < blocks.count() && row >= blocks[block].resolved(rows.num_rows).end; ++block)
      counts.end_block();
  };
  for_each_row_on_host(exec, rows, {}, [&](Ordinal row, std::span<const Ordinal> columns) {
    end_blocks(row);
    counts.add_row(block, columns);
  });
  end_blocks(rows.num_rows);
  const auto result = copied_to_device(exec, "Tomokkos::Kaczmarz::block_counts", counts.largest());
  fence(exec, "largest_block_counts: the counts have arrived");
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Rows>
Vector<double, typename ExecutionSpace::memory_space> rows_squared_norms(const ExecutionSpace& exec,
                                                                         const Rows& rows) {
  return Impl::row_squared_norms(exec, rows);
}

template <class ExecutionSpace, class Rows>
KaczmarzSchedule<ExecutionSpace> make_rows_kaczmarz_schedule(
    const ExecutionSpace& exec, const Rows& rows, const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms) {
  return Impl::make_kaczmarz_schedule(exec, rows, order, squared_norms);
}

template <class ExecutionSpace, class Rows>
void rows_kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const Rows& rows, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzCoefficients<typename Rows::scalar_type>& coefficients,
    const InputVector<ExecutionSpace, typename Rows::scalar_type>& b,
    const OutputVector<ExecutionSpace, typename Rows::scalar_type>& x, KaczmarzVariant way) {
  Impl::require_sweep_shapes(rows, schedule, b, x);
  Impl::kaczmarz_sweep_levels(exec, rows, schedule, coefficients, b.data(), x.data(), way);
}

template <class ExecutionSpace, class Rows>
Vector<Ordinal, typename ExecutionSpace::memory_space> rows_largest_block_counts(
    const ExecutionSpace& exec, const Rows& rows, const RowSubsets& blocks, const Ranks* ranks) {
  return Impl::largest_block_counts(exec, rows, blocks, ranks);
}

template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> csr_row_squared_norms(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return rows_squared_norms(exec, CsrRows<Scalar, typename ExecutionSpace::memory_space>(A));
}

template <class ExecutionSpace, class Scalar>
KaczmarzSchedule<ExecutionSpace> make_csr_kaczmarz_schedule(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms) {
  return make_rows_kaczmarz_schedule(
      exec, CsrRows<Scalar, typename ExecutionSpace::memory_space>(A), order, squared_norms);
}

template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep_levels(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const KaczmarzSchedule<ExecutionSpace>& schedule,
                               const KaczmarzCoefficients<Scalar>& coefficients,
                               const InputVector<ExecutionSpace, Scalar>& b,
                               const OutputVector<ExecutionSpace, Scalar>& x, KaczmarzVariant way) {
  rows_kaczmarz_sweep_levels(exec, CsrRows<Scalar, typename ExecutionSpace::memory_space>(A),
                             schedule, coefficients, b, x, way);
}

template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space> csr_largest_block_counts(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowSubsets& blocks, const Ranks* ranks) {
  return rows_largest_block_counts(exec, CsrRows<Scalar, typename ExecutionSpace::memory_space>(A),
                                   blocks, ranks);
}

}  // namespace Tomokkos

/// \brief Instantiates the row actions for a type of rows.
#define TOMOKKOS_INSTANTIATE_ROW_ACTIONS(SPACE, SCALAR, ...)                                     \
  template Vector<double, SPACE::memory_space> rows_squared_norms<SPACE, __VA_ARGS__>(           \
      const SPACE&, const __VA_ARGS__&);                                                         \
  template KaczmarzSchedule<SPACE> make_rows_kaczmarz_schedule<SPACE, __VA_ARGS__>(              \
      const SPACE&, const __VA_ARGS__&, const VectorView<const Ordinal, SPACE::memory_space>&,   \
      const Vector<double, SPACE::memory_space>&);                                               \
  template void rows_kaczmarz_sweep_levels<SPACE, __VA_ARGS__>(                                  \
      const SPACE&, const __VA_ARGS__&, const KaczmarzSchedule<SPACE>&,                          \
      const KaczmarzCoefficients<SCALAR>&, const VectorView<const SCALAR, SPACE::memory_space>&, \
      const VectorView<SCALAR, SPACE::memory_space>&, KaczmarzVariant);                          \
  template Vector<Ordinal, SPACE::memory_space> rows_largest_block_counts<SPACE, __VA_ARGS__>(   \
      const SPACE&, const __VA_ARGS__&, const RowSubsets&, const Ranks*);
