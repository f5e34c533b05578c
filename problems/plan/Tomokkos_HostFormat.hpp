// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Device.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <string_view>

namespace Tomokkos {

/// \brief Format of the fastest run that was measured for the rays of \p task on a host:
/// `computed`, `scsr` or `csr`. Empty for linear systems and block-circulant matrices. A pure
/// function; docs/scans/computed.md has the measurements.
///
/// \param slices all slices, also those of a volume that is solved slab by slab
std::string_view fastest_on_host(const SystemTask& task, const MachineFacts& machine,
                                 Ordinal slices);

}  // namespace Tomokkos
