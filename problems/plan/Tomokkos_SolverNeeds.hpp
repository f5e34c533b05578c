// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolverList.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Number of vectors with an entry for each row, and for each column, of a matrix.
struct VectorCounts {
  int rows = 0, columns = 0;
};

/// \brief Products that a solver asks of its operator, and the vectors that it holds.
struct SolverNeeds {
  bool transpose = true;  ///< multiplies by the transpose
  bool rows = false;      ///< reads single rows, or blocks of them: `art`, `block_art`
  bool blocks = false;    ///< reads the entries of blocks of rows: `block_art`
  bool views = false;     ///< multiplies by single views: `sart`
  bool filters = false;   ///< needs the filtered back projection of the scan: `fbp`
  /// Maximizes a likelihood: data are counts or at least not negative, and factors multiply the
  /// image: `mlem`.
  bool likelihood = false;
  bool symmetric = false;  ///< takes the matrix to be symmetric: `pcg`
  bool together = true;    ///< solves several right-hand sides together, not one after the other
  bool recursive = false;  ///< keeps a residual by a recursion, beside the true one
  int subsets = 1;         ///< ordered subsets, or the views of `sart`
  /// Rows of a block of `block_art`. Empty: not known yet, or another solver.
  std::optional<Ordinal> block_rows;
  Ordinal vectors = 1;          ///< slices or right-hand sides that are solved together
  bool deterministic = false;   ///< sums have the same bits in every run
  int iterations = 0;           ///< iterations that are recorded at most
  VectorCounts of_slice{2, 2};  ///< of a slice while it is solved, with its data and its image
  VectorCounts of_pattern;      ///< weights that slices share if they lack the same rays
  VectorCounts of_all;          ///< weights that all slices share

  /// \brief True when the solver multiplies by ranges of rows.
  bool has_ranges() const { return subsets > 1 || views; }
  /// \brief True when a pass of the solver multiplies by all rows at once, forward and back.
  bool multiplies_all_rows() const { return transpose && !rows && !has_ranges(); }
  /// \brief Sets the number of views of `sart`, which are its subsets.
  void set_views(int count) {
    if (count > 1 && subsets == 1) ++of_slice.columns;
    subsets = of_pattern.columns = count;
  }
  /// \brief Number of ranges of rows in a pass over \p all rows.
  int num_ranges(Ordinal all) const {
    if (!blocks || all == 0) return subsets;
    return (all - 1) / block_rows.value_or(all) + 1;
  }
};

/// \brief True for solvers of square systems, which do not reconstruct images.
inline bool solves_square_systems(SolverKind kind) {
  return task_of(kind) == SolverTask::square_systems;
}

/// \brief True for solvers that sweep over rows in a configurable order.
constexpr bool has_sweeps(SolverKind kind) {
  return kind == SolverKind::art || kind == SolverKind::block_art;
}

/// \brief True for SART over single views or subsets of them.
constexpr bool is_sart(SolverKind kind) {
  return kind == SolverKind::sart || kind == SolverKind::os_sart;
}

/// \brief True for solvers that multiply by the transpose. ART reads single rows, PCG assumes a
/// symmetric matrix, and BiCGSTAB and GMRES do not use the transpose.
inline bool uses_transpose(SolverKind kind) {
  return kind != SolverKind::art && !solves_square_systems(kind);
}

/// \brief Preconditioner of \p params; `none` for solvers without one.
inline PreconditionerOptions preconditioner_of(const SolverParams& params) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.preconditioner; })
          return own.preconditioner;
        else
          return PreconditionerOptions{PreconditionerKind::none};
      },
      params);
}

/// \brief Needs of the solver \p kind with \p subsets subsets and one vector.
inline SolverNeeds needs_of(SolverKind kind, int subsets = 1) {
  SolverNeeds needs;
  needs.subsets = subsets;
  needs.transpose = uses_transpose(kind);
  needs.rows = has_sweeps(kind);
  needs.blocks = kind == SolverKind::block_art;
  needs.views = kind == SolverKind::sart;
  needs.filters = kind == SolverKind::fbp;
  needs.likelihood = kind == SolverKind::mlem;
  needs.symmetric = kind == SolverKind::pcg;
  needs.together = kind != SolverKind::bicgstab && kind != SolverKind::gmres;
  needs.recursive =
      solves_square_systems(kind) || kind == SolverKind::cgls || kind == SolverKind::lsmr;
  // Data and image, and the vectors that the solver documents (`workspace_bytes`).
  switch (kind) {
    case SolverKind::mlem:
      needs.of_pattern = {1, subsets > 1 ? subsets + 1 : 1};
      break;
    case SolverKind::sirt:
    case SolverKind::sart:
    case SolverKind::os_sart:
      needs.of_pattern = {0, subsets};
      needs.of_all = {1, 0};
      break;
    case SolverKind::cgls:
      needs.of_slice = {3, 3};
      break;
    case SolverKind::lsmr:
      needs.of_slice = {3, 5};
      break;
    case SolverKind::block_art:
      needs.of_slice = {4, 4};
      break;
    default:
      break;
  }
  if (subsets > 1) ++needs.of_slice.columns;  // the previous iterate
  return needs;
}

}  // namespace Tomokkos
