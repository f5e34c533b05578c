// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief Kokkos from here to the end of the scope. All Views must be gone by then. One per
/// process.
class KokkosSession {
 public:
  /// \param threads of the host backend; 0: what the environment or the machine says.
  explicit KokkosSession(int threads);
  ~KokkosSession();
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;
};

}  // namespace Tomokkos
