// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvOptions.hpp>

namespace Tomokkos {

/// \brief What a launch depends on besides the matrix.
struct DeviceTraits {
  bool gpu = false;
  /// Hardware threads that run at the same time.
  int concurrency = 1;
};

/// \brief The traits of \p exec.
template <class ExecutionSpace>
DeviceTraits device_traits(const ExecutionSpace& exec) {
  DeviceTraits traits;
  traits.gpu = !Impl::is_host_space<ExecutionSpace>;
  traits.concurrency = Impl::concurrency(exec);
  return traits;
}

/// \brief Every choice of a CSR product, made from the device, the rows and what the user asked
/// for.
///
/// A pure function of its arguments: no device is asked, nothing is launched. The result holds no
/// `automatic` and no 0 that a kernel would need. Throws `Error` for options that no kernel can
/// run: negative numbers, a vector length that is not a power of two up to 32, more than 1024
/// threads a team.
SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested);

}  // namespace Tomokkos
