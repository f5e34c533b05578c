// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace Tomokkos {

// Exit statuses of the program.
inline constexpr int exit_done = 0;
/// The problem could not be solved, or its result could not be written.
inline constexpr int exit_failed = 1;
/// Bad usage or bad input; nothing was written.
inline constexpr int exit_bad_input = 2;
/// Stopped by a signal, after the results so far were written.
inline constexpr int exit_interrupted = 130;
/// Status of a program ended by \p signal before there was a result, as in shells.
inline constexpr int exit_by_signal(int signal) { return 128 + signal; }

/// \brief Prints the warning \p text to standard error.
void warn(const std::string& text);

/// \brief Runs \p command and turns its exceptions into a message on standard error and an exit
/// status. Invalid configurations, files and shapes, and problems that exceed the memory
/// (`MemoryError`), are bad input; other exceptions are failures. A lack of memory during the
/// computation must be thrown as another type.
///
/// \param who prefix of the message: the rank of this process
int guarded(const std::function<int()>& command, const std::string& who = "");

}  // namespace Tomokkos
