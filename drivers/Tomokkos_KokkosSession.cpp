// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Tomokkos_KokkosSession.hpp>

namespace Tomokkos {

KokkosSession::KokkosSession(int threads) {
  // The library never initialises Kokkos, so this difference between versions is the program's own.
  // Remove when Kokkos >= 3.7 is required.
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  if (threads > 0) settings.set_num_threads(threads);
  settings.set_disable_warnings(true);
#else
  Kokkos::InitArguments settings;
  if (threads > 0) settings.num_threads = threads;
  settings.disable_warnings = true;
#endif
  Kokkos::initialize(settings);
}

KokkosSession::~KokkosSession() { Kokkos::finalize(); }

}  // namespace Tomokkos
