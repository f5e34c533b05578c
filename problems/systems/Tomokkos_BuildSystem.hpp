// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Operator of a run, with the order of its rows and columns.
template <class ExecutionSpace, class Scalar>
struct BuiltSystem : PreparedOperator<ExecutionSpace, Scalar> {
  /// Positions of rows and columns of the source in A and in vectors that A is multiplied with
  /// (`gather`, `scatter`). Empty: natural order.
  MatrixOrder<typename ExecutionSpace::memory_space> order;
  /// Ordered subsets of the rows of a block-circulant matrix, or of those of all ranks. Empty:
  /// `divide_into_subsets` divides the rows.
  std::optional<RowSubsets> subsets = {};
  std::vector<Ordinal> subset_begins = {};  ///< first row of each of these subsets
  std::optional<PlannedWay> way = {};       ///< way of a plan that was taken
  bool image_is_split = false;              ///< each of several ranks holds a part of the image
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

}  // namespace Tomokkos
