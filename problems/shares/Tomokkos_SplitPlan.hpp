// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of the rows that a device holds, streams from host memory, or leaves to the cores of its
// host.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Treatment of rows that do not fit into the memory of the device.
enum class Overflow {
  automatic,  ///< `streamed` or `host`, whichever is expected to be faster
  streamed,   ///< the device reads them from host memory in every product
  host,       ///< the cores of the host multiply them
  refused     ///< the run ends with an error
};

template <>
struct EnumNames<Overflow> {
  static constexpr auto names =
      names_up_to<Overflow::refused>("automatic", "streamed", "host", "refused");
};

/// \brief Places of the rows of a matrix in parts: the memory of the device, host memory from which
/// they are streamed, and the cores of the host.
struct PartsWish {
  bool with_host = false;  ///< the cores of the host multiply some rows even if all fit
  /// Shares of device and host, or of device, streamed rows and host. Empty: measured.
  std::vector<double> shares = {};
  Overflow overflow = Overflow::automatic;

  /// \brief True if the rows are divided even if all fit.
  bool divides_rows() const { return with_host || !shares.empty(); }
};

/// \brief Measured speeds, in nonzeros per second of both products together with all vectors of the
/// run. 0: not possible.
struct PartSpeeds {
  double device = 0, streamed = 0, host = 0;
  /// Seconds that the host needs in both products whatever its share: copies of the image.
  double host_overhead = 0;
};

/// \brief Numbers of nonzeros of the parts of a matrix, and the expected time of its products.
struct SplitPlan {
  double device = 0, streamed = 0, host = 0;
  double seconds = 0;  ///< of both products together
  /// Expected times of the ways to treat rows that do not fit; 0: not considered.
  double streaming_seconds = 0, host_seconds = 0;
};

/// \brief Divides \p nonzeros so that the products are expected to take the least time.
///
/// The device and the host work at the same time; the device multiplies the rows in its memory and
/// the streamed rows one after the other. The time is thus
/// `max(overhead + host / speed, device / speed + streamed / speed)`. The host takes nothing if its
/// overhead exceeds what it saves.
///
/// \param capacity nonzeros that fit into the memory of the device
/// \param with_host the host takes a share even if everything fits
/// \throws Refused if rows do not fit and \p overflow has no way to treat them
SplitPlan plan_split(double nonzeros, double capacity, const PartSpeeds& speeds, bool with_host,
                     Overflow overflow);

/// \brief Describes the plan: shares, and the times of both ways if rows do not fit.
std::string describe_plan(const SplitPlan& plan);

}  // namespace Tomokkos
