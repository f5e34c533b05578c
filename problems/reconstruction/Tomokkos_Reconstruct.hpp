// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_MakeRowsOperator.hpp>
#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_RowSource.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief The options of `reconstruct` beside the parameters of the solver. Every member has a
/// default that works.
struct ReconstructOptions {
  /// The format of the matrix, its products and transpose; by default they are chosen.
  MakeOptions matrix;
  /// The order of rays and pixels inside the solver. Data and images stay in natural order.
  OrderingOptions ordering;
  /// The images to start from, slice after slice, or one for all slices. Empty: the uniform image
  /// that explains the data for MLEM, 0 for other solvers.
  std::vector<double> start;
  /// MLEM: factors and background of the model, one value for each ray; empty: none.
  std::vector<double> multiplicative, background;
  /// SART: the order in which views, or subsets of views, are visited.
  ViewOrder view_order = ViewOrder::sequential;
  std::uint64_t seed = 1;
  /// The progress of an earlier solve to go on from; `start` then has its images.
  std::optional<SolveProgress> resumed;
};

/// \brief The images that `reconstruct` returns, and how they were found.
template <class Scalar>
struct Reconstructed {
  /// Slice after slice in natural order.
  std::vector<Scalar> images;
  /// One for each slice.
  std::vector<SolveResult> results;
  /// Describes the matrix: how its format was chosen, its figures, how it is transposed.
  Description matrix;
};

/// \brief Reconstructs images from \p data: builds the rows of \p source on the device of \p exec,
/// solves, and copies the images back.
///
/// Each step is a public call of its own (`make_operator`, `to_device_columns`, `make_solver`,
/// `to_host_slices`), for programs that keep the matrix for more data.
///
/// \param data slice after slice, one value for each row of \p source; NaN where the solver's
/// `nan_data` says that a ray was not measured
/// \param params of the solver. Rows of a view and of subsets are set from \p source.
/// \param monitor sees the iterates in the order of `ReconstructOptions::ordering`
///
/// \throws DimensionMismatch for data, a start or terms of another length
/// \throws MemoryError with the bytes, before the matrix is built
/// \throws Refused for a format, or data, that the matrix or the solver refuses
/// \throws ConfigError for an order that needs a grid which \p source does not have
template <class ExecutionSpace, class Scalar>
Reconstructed<Scalar> reconstruct(const ExecutionSpace& exec, const RowSource& source,
                                  const std::vector<double>& data, SolverParams params,
                                  ReconstructOptions options = {},
                                  const Monitor<ExecutionSpace, Scalar>& monitor = {});

}  // namespace Tomokkos
