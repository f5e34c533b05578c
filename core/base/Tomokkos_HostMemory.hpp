// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory there is, asked before it is taken: Linux promises more than it has and ends the
// process when it is used.
#pragma once

#include <cstdint>
#include <string>

namespace Tomokkos {

/// \brief Memory that this process can still take: what the system calls available, within the
/// limits of its control groups, in equal parts for the processes that share it, and within that of
/// its address space and of `set_host_memory_limit`. The largest number when nothing tells.
///
/// Cost: reads a few small files of the system.
std::uint64_t available_host_memory();

/// \brief So many processes of this machine, one or more, take memory at the same time from now on.
void set_host_memory_sharers(int processes);

/// \brief From now on the processes that share this machine's memory take no more than \p bytes
/// together, beside what there is: `available_host_memory` is at most this process's part less what
/// it holds.
void set_host_memory_limit(std::uint64_t bytes);

namespace Impl {

/// \brief Throws `MemoryError` when \p bytes bytes exceed \p available: `what 3 GiB, and only 1 GiB
/// are left; advice`.
///
/// \param what the sentence up to its verb: `"reading scan.npy needs"`
void require_memory(std::uint64_t bytes, const std::string& what,
                    std::uint64_t available = available_host_memory(),
                    const std::string& advice = {});

/// \brief An estimate as a number of bytes; what is beyond 64 bits as the largest.
std::uint64_t whole_bytes(double bytes);

/// \brief The bytes of arrays that are alive together. A sum beyond 64 bits stays at the largest
/// number, which no machine has.
class MemoryNeed {
 public:
  /// \brief Adds \p count entries of \p bytes_each bytes.
  MemoryNeed& add(std::uint64_t count, std::uint64_t bytes_each);

  /// \brief Adds the three arrays of a CSR matrix.
  MemoryNeed& add_csr(std::uint64_t rows, std::uint64_t nonzeros, std::uint64_t bytes_per_value);

  std::uint64_t bytes() const { return bytes_; }

  /// \brief Throws `MemoryError` when there is not so much: `what needs 3 GiB, ...`.
  void require_available(const std::string& what) const { require_memory(bytes_, what + " needs"); }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace Impl

}  // namespace Tomokkos
