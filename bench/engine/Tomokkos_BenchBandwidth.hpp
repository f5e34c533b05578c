// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <vector>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Measures the bandwidths that results are judged by.
///
/// Copy and triad count the bytes read plus the bytes written, read is a dot product of two arrays
/// in several running sums. On a GPU all move packs of 16 bytes, and copy is the better of a
/// kernel and the driver's device-to-device copy. Arrays are three times the last cache each, at
/// least 128 MiB on a host and 1 GiB on a GPU; where three of these are more than three eighths of
/// the memory that is available they are smaller.
template <class ExecutionSpace>
class BandwidthProbe {
 public:
  /// \param last_cache_bytes of the device, see `Machine`
  /// \param available_bytes memory that can still be taken
  BandwidthProbe(const ExecutionSpace& exec, std::size_t last_cache_bytes,
                 std::size_t available_bytes);

  /// \brief Takes a few samples of each. Called several times in a run, so that the reference sees
  /// the same drifts of the machine as the results. Allocates for its duration.
  void sample();

  /// \brief Bytes of one array.
  std::size_t bytes() const { return bytes_; }

  /// \brief Medians of all samples so far. The reference is 0 where arrays of three times the last
  /// cache did not fit, since then the cache was measured.
  Bandwidth result() const;

 private:
  ExecutionSpace exec_;
  std::size_t bytes_;  // of one array
  bool beyond_caches_;
  std::vector<double> copy_, triad_, read_;
};

}  // namespace Tomokkos::Bench
