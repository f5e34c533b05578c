// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// Largest number of threads of Kokkos' OpenMP backend, which does not check this limit itself.
inline constexpr int most_host_threads = 512;

/// \brief Initialises Kokkos, and finalises it at the end of the scope. All Views must be destroyed
/// before. One per process.
class KokkosSession {
 public:
  /// \param threads number of threads of the host backend; 0: from the environment or the machine
  /// \param local_rank rank of this process among the \p local_size processes on its machine, which
  /// are assigned to its GPUs in turn
  ///
  /// \throws ConfigError for invalid numbers of threads in the environment
  explicit KokkosSession(int threads, int local_rank = 0, int local_size = 1);
  ~KokkosSession();
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;
};

}  // namespace Tomokkos
