// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <vector>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Measures the memory bandwidths to which results are compared.
///
/// Copy and triad count the bytes read plus the bytes written. Read is a dot product of two arrays
/// in several running sums. On a GPU all of them move packs of 16 bytes, and copy is the faster of
/// a kernel and the driver's device-to-device copy. Each array is three times as large as the last
/// cache, and at least 128 MiB on a host or 1 GiB on a GPU. The arrays are smaller if the three
/// together would need more than three eighths of the available memory.
template <class ExecutionSpace>
class BandwidthProbe {
 public:
  /// \param last_cache_bytes size of the last cache of the device, see `Machine`
  /// \param available_bytes memory that can still be allocated
  BandwidthProbe(const ExecutionSpace& exec, std::size_t last_cache_bytes,
                 std::size_t available_bytes);

  /// \brief Adds a few samples of each bandwidth.
  ///
  /// Call it several times in a run, so that the reference is exposed to the same drifts of the
  /// machine as the results. The arrays are allocated for the duration of the call.
  void sample();

  /// \brief Size of one array in bytes.
  std::size_t bytes() const { return bytes_; }

  /// \brief Returns the medians of all samples so far.
  ///
  /// The reference is 0 if arrays of three times the last cache did not fit in memory, because the
  /// samples then measured the cache.
  Bandwidth result() const;

 private:
  ExecutionSpace exec_;
  std::size_t bytes_;  // size of one array
  bool beyond_caches_;
  std::vector<double> copy_, triad_, read_;
};

}  // namespace Tomokkos::Bench
