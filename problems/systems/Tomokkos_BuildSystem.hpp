// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator of a run: on one process, in the ways of a plan, or on several ranks.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RanksWish.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

namespace Impl {

/// \brief Calls \p work and reports a refusal as a `ConfigError` of \p key.
template <class Work>
auto as_choice(const std::string& key, const Work& work) {
  try {
    return work();
  } catch (const Refused& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

}  // namespace Impl

/// \brief Operator of a run, with its part of the report and the order of its rows and columns.
template <class ExecutionSpace, class Scalar>
struct BuiltSystem {
  AnyOperator<ExecutionSpace, Scalar> A;
  RowStatistics statistics;
  Description report;  ///< entry `operator` of the report: all choices, fill, bytes
  /// Positions of rows and columns of the source in A and in vectors that A is multiplied with
  /// (`gather`, `scatter`). Empty: natural order.
  OrderOn<ExecutionSpace> order = {};
  /// Ordered subsets of the rows of a block-circulant matrix, or of those of all ranks. Empty:
  /// `divide_into_subsets` divides the rows.
  std::optional<RowSubsets> subsets = {};
  std::vector<Ordinal> subset_begins = {};  ///< first row of each of these subsets
  std::optional<PlannedWay> way = {};       ///< way of a plan that was taken
  bool image_is_split = false;              ///< each of several ranks holds a part of the image

  /// \brief Bytes of the matrix in CSR.
  std::size_t csr_bytes() const {
    return system_matrix_bytes<Scalar>(statistics.rows, statistics.nonzeros);
  }
};

/// \brief Matrix that has been built, before its products are prepared.
struct BuiltMatrix {
  Ordinal rows = 0, columns = 0;
  Offset nonzeros = 0;
  std::size_t bytes = 0;
  std::string how;                ///< " in ray tiles", "as 120 stored rays"; empty: in CSR
  std::uint64_t fingerprint = 0;  ///< changes with any entry; 0 unless it was asked for
};

/// \brief Calls of `build_system` at the begin of its phases. All may be left out.
struct BuildObserver {
  bool wants_fingerprint = false;
  /// A matrix is built: \p what says how.
  std::function<void(const std::string& what)> matrix_begins = [](const std::string&) {};
  std::function<void(const BuiltMatrix&)> matrix_built = [](const BuiltMatrix&) {};
  /// Several ranks share the rows by these weights.
  std::function<void(const std::vector<double>& weights, ImageDistribution)> shares_chosen =
      [](const std::vector<double>&, ImageDistribution) {};
  /// The next of the planned ways is tried.
  std::function<void(const PlannedWay&)> way_begins = [](const PlannedWay&) {};
  /// Sentences about what is decided, for the user.
  std::function<void(const std::string&)> message = [](const std::string&) {};
  /// The products with \p entries stored entries are prepared.
  std::function<void(double entries)> operator_begins = [](double) {};
};

/// \brief Converts \p A, already in the order of \p task, to its format and prepares the
/// transpose that the solver needs.
///
/// The workspace of products with `task.needs.vectors` vectors is allocated here and included in
/// `memory_bytes`.
///
/// \param grids arrangement of the rows if known: packed rows are stored in tiles of rays
/// \throws ConfigError if the format would need too much padding
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_operator(const ExecutionSpace& exec,
                                                     const SystemTask& task,
                                                     const MatrixOn<ExecutionSpace, Scalar>& A,
                                                     const MatrixGrids& grids = {});

/// \brief Builds the matrix of \p task on the device of \p exec, in the way that `task.wish` says,
/// and prepares its products: rows in any format, ray tiles built directly, the stored rays of a
/// symmetric scan (`scsr`), the block row of a block-circulant matrix, or no matrix (`computed`).
///
/// The memory that is needed is checked before anything large is allocated.
///
/// \throws MemoryError with the bytes needed and the settings that need less
/// \throws ConfigError naming the key of `operator` that does not suit the matrix
/// \throws InputError for a file
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_system(const ExecutionSpace& exec, const SystemTask& task,
                                                 const BuildObserver& observer = {});

/// \brief Builds the matrix of \p rows with \p wish, for any products.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_system(const ExecutionSpace& exec, const RowSource& rows,
                                                 const OperatorWish& wish = automatic_wish()) {
  return build_system<ExecutionSpace, Scalar>(exec, task_of_rows(rows, wish));
}

/// \brief Plans the ways to the matrix of \p task (`plan`), after a sample of the matrix if the
/// plan needs one, and builds it in the first way that fits into memory.
///
/// In parts, the rows keep the order of the run: each subset has its rows on the device first.
/// Without given shares, some rows are built and multiplied to measure the speeds of the places;
/// shares, and with them the last bits of sums, then change from run to run.
///
/// \param facts of the run; those of the machine and the sample are added here
/// \pre `obstacle_to_parts` is empty for a way in parts
/// \throws MemoryError with the bytes needed, and other errors of `build_system`, for the last way;
/// those of the others are messages of \p observer
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_planned(const ExecutionSpace& exec,
                                                  const SystemTask& task, PlanFacts facts = {},
                                                  const BuildObserver& observer = {});

/// \brief Ranks that hold the rows of a system, and what is asked of their division.
template <class ExecutionSpace>
struct RankPlaces {
  const RankGroup& ranks;
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator;
  RanksWish wish;
  bool deterministic = false;
  bool has_checkpoints = false;
  bool share_devices = false;  ///< two ranks use the same GPU
};

/// \brief Builds the system of \p task on several ranks: each builds or reads its own rows of every
/// ordered subset. The image is on every rank, or each rank holds a part of it. Collective.
///
/// The result has the `order` of the rows and pixels of this rank, the `subsets` of all rows, and
/// the `statistics` of all ranks. Its report describes the ranks.
///
/// \throws ConfigError for settings that need a single process; the errors of `build_system`. An
/// error of one rank ends all ranks.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_on_ranks(const ExecutionSpace& exec, SystemTask task,
                                                   const RankPlaces<ExecutionSpace>& places,
                                                   const BuildObserver& observer = {});

}  // namespace Tomokkos
