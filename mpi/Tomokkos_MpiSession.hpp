// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MpiRanks.hpp>
#include <memory>

namespace Tomokkos {

/// \brief MPI from here to the end of the scope, where a launcher started this process; nothing at
/// all where none did. One per process, made before Kokkos is initialised and destroyed after it is
/// finalised.
///
/// Where MPI has been initialised before, the session uses it and leaves it running. Throws `Error`
/// where the launcher started several processes, and MPI sees one: the launcher then belongs to
/// another MPI than the one this program was built with.
///
/// When an exception leaves the scope, the other ranks may be waiting for this one: the destructor
/// then ends all of them. Who wants a message first catches within the scope and calls
/// `MpiRanks::abort_all`.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// \brief All processes of the launch, even where it is one; null where no launcher started this
  /// process.
  const MpiRanks* ranks() const { return ranks_.get(); }

  /// \brief How many processes a launcher started (`Tomokkos::launched_ranks`).
  static int launched_ranks();

 private:
  std::unique_ptr<MpiRanks> ranks_;
  bool finalizes_ = false;
  int exceptions_ = 0;
};

}  // namespace Tomokkos
