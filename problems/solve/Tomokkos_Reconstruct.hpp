// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Options of `reconstruct` besides the parameters of the solver. All defaults work.
struct ReconstructOptions {
  /// Way to the matrix, its format, products and transpose, and the order of rays and pixels inside
  /// the solver; chosen automatically by default. Data and images stay in natural order.
  OperatorWish wish = automatic_wish();
  /// Sums have the same bits in every run.
  bool deterministic = false;
  /// Treatment of rows that do not fit into the memory of a GPU.
  Overflow overflow = Overflow::automatic;
  /// Start images, slice after slice, or one for all slices. Empty: for MLEM the uniform image that
  /// explains the data, for other solvers 0.
  std::vector<double> start{};
  /// MLEM: factors and background of the model, one value per ray; empty: none.
  std::vector<double> multiplicative{}, background{};
  /// SART: order in which views, or subsets of views, are visited.
  ViewOrder view_order = ViewOrder::sequential;
  std::uint64_t seed = 1;
  /// Progress of an earlier solve from which to continue; `start` must then hold its images.
  std::optional<SolveProgress> resumed{};
};

/// \brief Images that `reconstruct` returns, with the results of the solves.
template <class Scalar>
struct Reconstructed {
  /// Images slice after slice, in natural order.
  std::vector<Scalar> images;
  /// One result per slice.
  std::vector<SolveResult> results;
  /// Description of the matrix: the choice of its format, its figures, and the method of
  /// transposition.
  Description matrix;
  /// Way to the matrix that was taken, and why.
  PlannedWay way;
};

/// \brief Reconstructs images from \p data: builds the rows of \p source on the device of \p exec,
/// solves, and copies the images back.
///
/// Each step is a public function (`build_system`, `Slices::to_device`, `make_solver`,
/// `Slices::to_host`), for programs that use the matrix for further data.
///
/// \param data slice after slice, one value per row of \p source; NaN marks a ray that was not
/// measured if `nan_data` of the solver allows it; for `FbpParams` it is interpolated
/// (`fill_missing`)
/// \param params parameters of the solver. The rows of a view and of subsets are set from \p
/// source.
/// \param monitor callback; sees the iterates in the order of `ReconstructOptions::wish`
///
/// \throws DimensionMismatch when data, start or terms have the wrong length
/// Where the matrix does not fit into memory, the next way of `plan` is taken.
///
/// \throws MemoryError with the bytes needed, when no way fits
/// \throws Refused when the solver refuses the data
/// \throws ConfigError when the format does not suit the matrix, or the order needs a grid that \p
/// source does not have
template <class ExecutionSpace, class Scalar>
Reconstructed<Scalar> reconstruct(const ExecutionSpace& exec, const RowSource& source,
                                  const std::vector<double>& data, SolverParams params,
                                  ReconstructOptions options = {},
                                  const Monitor<ExecutionSpace, Scalar>& monitor = {});

}  // namespace Tomokkos
