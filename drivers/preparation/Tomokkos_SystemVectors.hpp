// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right-hand sides and start vectors of linear systems, on the host.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief Columns of equal length that follow each other.
struct HostColumns {
  std::vector<double> values;
  std::size_t columns = 1;
};

/// \brief Creates the right-hand sides of \p problem: a vector of \p rows entries, or a
/// two-dimensional `.npy` or Matrix Market array with \p rows rows and one column per right-hand
/// side.
///
/// \throws DimensionMismatch with the file and its shape
HostColumns make_rhs(const ProblemSection& problem, std::uint64_t seed, Ordinal rows);

/// \brief Creates the start vectors: a constant, one vector of \p rows entries for all \p columns
/// columns, or an array with one column for each.
///
/// \throws DimensionMismatch with the file and its shape
std::vector<double> make_start(const ConstantOrFile& source, Ordinal rows, std::size_t columns);

}  // namespace Tomokkos
