// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MpiRanks.hpp>
#include <memory>

namespace Tomokkos {

/// \brief Session of MPI until the end of the scope, if a launcher started this process; otherwise
/// it does nothing. Create one per process, before Kokkos is initialised, and destroy it after
/// Kokkos is finalised.
///
/// If MPI has been initialised before, the session uses it and leaves it running.
///
/// When an exception leaves the scope, other ranks may be waiting for this one: the destructor then
/// ends all of them. To print a message first, catch the exception within the scope and call
/// `MpiRanks::abort_all`.
///
/// \throws Error when the launcher started several processes, but MPI sees only one: the launcher
/// then belongs to a different MPI than this program
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// \brief Returns all processes of the launch, even if there is only one; null if no launcher
  /// started this process.
  const MpiRanks* ranks() const { return ranks_.get(); }

  /// \brief Returns the number of processes that a launcher started (`Tomokkos::launched_ranks`).
  static int launched_ranks();

 private:
  std::unique_ptr<MpiRanks> ranks_;
  bool finalizes_ = false;
  int exceptions_ = 0;
};

}  // namespace Tomokkos
