// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_Stencil.hpp>
#include <array>
#include <string>

namespace Tomokkos {

/// \brief Rows of a difference stencil on a box of points: see `build_stencil_matrix` and
/// `couple_unknowns`. The members are described at `RowSource`.
struct StencilRows {
  static constexpr RowTraits traits{};

  int points = 27;  ///< 7 or 27
  std::array<Ordinal, 3> size{};
  int unknowns = 1;  ///< unknowns per point

  std::string name() const { return "of the stencil"; }
  std::string describe() const { return "stencil of " + std::to_string(points) + " points"; }
  std::int64_t num_rows() const {
    return static_cast<std::int64_t>(size[0]) * size[1] * size[2] * unknowns;
  }
  std::int64_t num_cols() const { return num_rows(); }
  double expected_nonzeros() const {
    // Each point has all its neighbours except those beyond a face.
    const double x = size[0], y = size[1], z = size[2];
    const double entries = points == 27 ? (3 * x - 2) * (3 * y - 2) * (3 * z - 2)
                                        : 7 * x * y * z - 2 * (x * y + y * z + z * x);
    return entries * unknowns * unknowns;
  }
  double most_nonzeros() const { return expected_nonzeros(); }

  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    const RowRange range = rows.resolved(static_cast<Ordinal>(num_rows()));
    const RowRange whole{range.begin / unknowns, (range.end + unknowns - 1) / unknowns};
    auto A = build_stencil_matrix<ExecutionSpace, Scalar>(exec, points, size[0], size[1], size[2],
                                                          whole);
    if (unknowns > 1) A = couple_unknowns<ExecutionSpace, Scalar>(exec, A, unknowns);
    const Ordinal before = range.begin - whole.begin * unknowns;
    if (A.num_rows == range.end - range.begin) return A;
    return csr_row_range<ExecutionSpace, Scalar>(exec, A,
                                                 {before, before + range.end - range.begin});
  }
};

}  // namespace Tomokkos
