// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief Removes temporary files when a signal ends the program. Handles all such signals except
/// SIGKILL, SIGPIPE, SIGXFSZ and those of `remove_temporaries_on_crashes`. Ignored signals stay
/// ignored.
void remove_temporaries_on_signals();

/// \brief Removes temporary files on SIGABRT, SIGBUS, SIGFPE and SIGSEGV. Handlers that a library
/// has installed run afterwards; therefore call this after initialising MPI.
void remove_temporaries_on_crashes();

/// \brief Thrown when a run is interrupted before it has results to keep. Not an error of the run.
struct Interrupted {};

/// \brief Makes Ctrl-C (SIGINT), SIGTERM, SIGQUIT, SIGHUP, SIGUSR1 and SIGXCPU only set a flag
/// during its lifetime, unless they are ignored. A second SIGINT, SIGTERM or SIGQUIT removes
/// temporary files and ends the program at once. A repetition of the others has no effect.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// \brief True once a signal has been received.
  static bool requested();
  /// \brief First signal received during the newest guard; 0 if none.
  static int signal();
  /// \brief Throws `Interrupted` once a signal has been received.
  static void check();
};

}  // namespace Tomokkos
