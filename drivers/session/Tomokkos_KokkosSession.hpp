// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// Kokkos' OpenMP backend has room for so many threads, and does not ask before it fills it.
inline constexpr int most_host_threads = 512;

/// \brief Kokkos from here to the end of the scope. All Views must be gone by then. One per
/// process.
class KokkosSession {
 public:
  /// \param threads of the host backend; 0: what the environment or the machine says.
  /// \param local_rank of this process among \p local_size on its machine, which take its GPUs in
  /// turn
  ///
  /// Throws `ConfigError` for numbers of threads in the environment that Kokkos cannot have.
  explicit KokkosSession(int threads, int local_rank = 0, int local_size = 1);
  ~KokkosSession();
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;
};

}  // namespace Tomokkos
