// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right-hand sides and starts of linear systems, on the host.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief Columns of one length, one after the other.
struct HostColumns {
  std::vector<double> values;
  std::size_t columns = 1;
};

/// \brief The right-hand sides that \p config asks for: a vector of \p rows entries, or a two-
/// dimensional `.npy` or Matrix Market array of \p rows rows, a column for each.
///
/// \throw DimensionMismatch with the file and its shape.
HostColumns make_rhs(const RunConfig& config, Ordinal rows);

/// \brief The starts: a number, a vector of \p rows entries for all of \p columns columns, or an
/// array of one for each.
///
/// \throw DimensionMismatch with the file and its shape.
std::vector<double> make_start(const RunConfig& config, Ordinal rows, std::size_t columns);

}  // namespace Tomokkos
