// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunBytes.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Settings that need less memory, for messages.
struct Alternative {
  std::string name;
  double bytes = 0;
};

/// \brief Describes the alternatives that fit in \p available bytes, or the smallest one.
std::string advice_of(const std::vector<Alternative>& ways, std::uint64_t available);

/// \brief Describes alternatives to the matrix of \p task that would fit on \p machine: the
/// symmetries of the scan, no second copy, ray tiles, computed entries, 16-bit values, or `float`.
std::string advice_for(const SystemTask& task, const MachineFacts& machine, MatrixUse use,
                       const MatrixNumbers& numbers);

}  // namespace Tomokkos
