// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief Lets signals that end the program (all but SIGKILL, SIGPIPE, SIGXFSZ and those of
/// `remove_temporaries_on_crashes`) remove the temporary files of what is being written first.
/// Signals that are ignored stay so.
void remove_temporaries_on_signals();

/// \brief The same for SIGABRT, SIGBUS, SIGFPE and SIGSEGV. Handlers that a library has installed
/// run afterwards; so this comes after the initialisation of MPI.
void remove_temporaries_on_crashes();

/// \brief Thrown where the work so far is not worth keeping. Not an error of the run.
struct Interrupted {};

/// \brief From construction to destruction, Ctrl-C (SIGINT), SIGTERM, SIGQUIT, SIGHUP, SIGUSR1 and
/// SIGXCPU only raise a flag, unless they are ignored. A second SIGINT, SIGTERM or SIGQUIT ends the
/// program at once, without the temporary files of what is being written. A second one of the
/// others does nothing.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// \brief True once a signal has come.
  static bool requested();
  /// \brief The first signal that came to the newest guard, 0 while there is none.
  static int signal();
  /// \brief Throws `Interrupted` once a signal has come.
  static void check();
};

}  // namespace Tomokkos
