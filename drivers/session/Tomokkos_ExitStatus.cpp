// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <cstdio>
#include <new>
#include <string_view>
#include <system_error>

namespace Tomokkos {

namespace {

template <class... Types>
bool is_one_of(const Error& error) {
  return (... || (dynamic_cast<const Types*>(&error) != nullptr));
}

}  // namespace

void warn(const std::string& text) {
  std::fprintf(stderr, "tomokkos: warning: %s\n", text.c_str());
}

int guarded(const std::function<int()>& command, const std::string& who) {
  const auto report = [&](const char* message, int status) {
    std::fflush(stdout);
    std::fprintf(stderr, "tomokkos: error: %s%s\n", who.c_str(), message);
    return status;
  };
  try {
    return command();
  } catch (const Interrupted&) {
    return report("interrupted before there was a result; nothing was written",
                  exit_by_signal(InterruptGuard::signal()));
  } catch (const Error& error) {
    const bool is_input = is_one_of<ConfigError, InputError, DimensionMismatch, MemoryError>(error);
    return report(error.what(), is_input ? exit_bad_input : exit_failed);
  } catch (const std::bad_alloc&) {
    return report("out of memory", exit_failed);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return report(error.what(), exit_failed);
    return report(
        "no thread could be started: the address space (ulimit -v) or the number of threads "
        "(ulimit -u) is at its limit; raise it, or use fewer threads (run.threads)",
        exit_failed);
  } catch (const std::exception& error) {
    // The message of Kokkos contains the array that it could not allocate, and internal functions.
    const bool is_memory = std::string_view(error.what()).find("allocat") != std::string_view::npos;
    return report(is_memory ? "out of memory" : error.what(), exit_failed);
  }
}

}  // namespace Tomokkos
