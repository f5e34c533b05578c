// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief From here on Ctrl-C (SIGINT), SIGTERM and SIGHUP remove the temporary files of what is
/// being written before they end the program as ever. Those that are ignored stay so.
void remove_temporaries_on_signals();

/// \brief Thrown where the work so far is not worth keeping. Not an error of the run.
struct Interrupted {};

/// \brief From construction to destruction, Ctrl-C (SIGINT) and SIGTERM only raise a flag. A second
/// one ends the program at once, without the temporary files of what is being written.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// \brief True once a signal has come.
  static bool requested();
  /// \brief Throws `Interrupted` once a signal has come.
  static void check();
};

}  // namespace Tomokkos
