// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace Tomokkos {

// The exit statuses of the program.
inline constexpr int exit_done = 0;
/// It could not be solved, or its result could not be written.
inline constexpr int exit_failed = 1;
/// Bad usage or bad input: nothing was written.
inline constexpr int exit_bad_input = 2;
/// Stopped by a signal, after the results so far were written.
inline constexpr int exit_interrupted = 130;
/// Stopped by \p signal before there was a result, as shells show it.
inline constexpr int exit_by_signal(int signal) { return 128 + signal; }

/// \brief Runs \p command and turns its exceptions into a message on the standard error and an exit
/// status: configurations, files and shapes that do not fit, and problems that exceed the memory
/// (`MemoryError`), are bad input, the rest failures. What runs out of memory later than at its
/// beginning must say so by another type.
///
/// \param who in front of the message: the rank of this process
int guarded(const std::function<int()>& command, const std::string& who = "");

}  // namespace Tomokkos
