// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of free memory before large allocations. Linux grants more memory than it has and kills
// the process when the memory is used.
#pragma once

#include <cstdint>
#include <string>

namespace Tomokkos {

/// \brief Bytes of memory that this process can still allocate.
///
/// The minimum of the memory that the system and the limits of its control groups leave, divided by
/// the number of sharing processes; the limit of its address space; and its part of
/// `set_host_memory_limit`. The largest `uint64_t` when there is no limit or none is known.
///
/// Cost: reads a few small system files.
std::uint64_t available_host_memory();

/// \brief Bytes of memory that this process holds; 0 if the system does not say.
std::uint64_t held_host_memory();

/// \brief Sets how many processes of this machine share its memory from now on. At the start it
/// is 1.
///
/// `available_host_memory` divides the free memory of the machine by this number.
///
/// \throws Error for a number under 1
void set_host_memory_sharers(int processes);

/// \brief Limits the memory of all processes that share this machine to \p bytes in total.
///
/// From now on `available_host_memory` returns at most this process's part of \p bytes minus its
/// current usage.
void set_host_memory_limit(std::uint64_t bytes);

namespace Impl {

/// \brief Throws `MemoryError` if \p bytes exceeds \p available. The message is:
/// `what 3 GiB, and only 1 GiB are left; advice`.
///
/// \param what beginning of the message up to its verb: `"reading scan.npy needs"`
void require_memory(std::uint64_t bytes, const std::string& what,
                    std::uint64_t available = available_host_memory(),
                    const std::string& advice = {});

/// \brief Rounds an estimate down to a whole number of bytes. Numbers beyond 64 bits become the
/// largest `uint64_t`.
std::uint64_t whole_bytes(double bytes);

/// \brief Sum of the bytes of arrays that exist at the same time. A sum beyond 64 bits stays at the
/// largest `uint64_t`, more than any machine has.
class MemoryNeed {
 public:
  /// \brief Adds \p count entries of \p bytes_each bytes.
  MemoryNeed& add(std::uint64_t count, std::uint64_t bytes_each);

  /// \brief Adds the three arrays of a CSR matrix.
  MemoryNeed& add_csr(std::uint64_t rows, std::uint64_t nonzeros, std::uint64_t bytes_per_value);

  std::uint64_t bytes() const { return bytes_; }

  /// \brief Throws `MemoryError` if this much memory is not available: `what needs 3 GiB, ...`.
  void require_available(const std::string& what) const { require_memory(bytes_, what + " needs"); }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace Impl

}  // namespace Tomokkos
