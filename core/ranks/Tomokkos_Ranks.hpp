// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace Tomokkos {

/// \brief The processes that work on one problem, numbered 0, ..., `size() - 1`, and what their
/// hosts do together.
///
/// Every function but `rank` and `size` is called by all ranks, in the same order and with the same
/// lengths, and returns on a rank when its part is done. All ranks get the same bits. Throws
/// `Error` where the transport reports one; it does not notice a rank that never calls.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// \brief `values[i]` becomes its sum over all ranks, added in the order of the ranks.
  virtual void sum(std::span<double> values) const = 0;
  /// \brief `values[i]` becomes the largest one of all ranks. No NaN.
  virtual void max(std::span<double> values) const = 0;
  /// \brief What \p root holds is on all ranks.
  virtual void broadcast(std::span<std::byte> bytes, int root) const = 0;
  /// \brief \p part of every rank, of the same length on each, one after the other in \p whole.
  virtual void gather(std::span<const double> part, std::span<double> whole) const = 0;
  /// \brief Returns when all ranks have come here.
  virtual void wait_for_all() const = 0;

  /// \brief The sum of one value.
  double sum_of(double value) const {
    sum({&value, 1});
    return value;
  }
  /// \brief The largest of one value.
  double max_of(double value) const {
    max({&value, 1});
    return value;
  }
};

}  // namespace Tomokkos
