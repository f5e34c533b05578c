// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace Tomokkos {

/// \brief Processes that work on one problem, numbered 0, ..., `size() - 1`, and their collective
/// operations on host data.
///
/// All ranks call every function except `rank` and `size`, in the same order and with the same
/// lengths. A function returns on a rank when its part is done. All ranks get the same bits. A rank
/// that never calls is not detected.
///
/// \throws Error when the transport reports one
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// \brief Replaces each `values[i]` by its sum over all ranks, added in the order of the ranks.
  virtual void sum(std::span<double> values) const = 0;
  /// \brief Replaces each `values[i]` by its maximum over all ranks. NaN is not allowed.
  virtual void max(std::span<double> values) const = 0;
  /// \brief Copies \p bytes from \p root to all ranks.
  virtual void broadcast(std::span<std::byte> bytes, int root) const = 0;
  /// \brief Concatenates \p part of all ranks, which has the same length on each, to \p whole.
  virtual void gather(std::span<const double> part, std::span<double> whole) const = 0;
  /// \brief Returns when all ranks have called it.
  virtual void wait_for_all() const = 0;

  /// \brief Sums one value over all ranks.
  double sum_of(double value) const {
    sum({&value, 1});
    return value;
  }
  /// \brief Returns the maximum of one value over all ranks.
  double max_of(double value) const {
    max({&value, 1});
    return value;
  }
};

}  // namespace Tomokkos
