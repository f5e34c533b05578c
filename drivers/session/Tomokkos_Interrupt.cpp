// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <span>

namespace Tomokkos {

namespace {

/// Signals that request the end of a run: from a user, a closed terminal or a batch system.
constexpr std::array requests{SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGXCPU};

/// Other signals that end a program by default.
constexpr std::array others{SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                            SIGSYS,  SIGTRAP, SIGILL,    SIGPWR,  SIGSTKFLT};

/// Signals for which libraries such as MPI install their own handlers.
constexpr std::array crashes{SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

/// Signals that are repeated when a terminal closes or a time limit is reached; repetitions are
/// ignored.
constexpr bool repeats(int signal) {
  return signal == SIGHUP || signal == SIGUSR1 || signal == SIGXCPU;
}

std::atomic<int> first_request{0};
static_assert(std::atomic<int>::is_always_lock_free, "set from a signal handler");

// Handlers installed before `clean_up_and_crash`, and before an `InterruptGuard`.
struct sigaction before_clean_up[NSIG];
struct sigaction before_guard[NSIG];

using Handler = void (*)(int);

void set_handler(int signal, Handler handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

bool has_handler(const struct sigaction& action, Handler handler) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handler;
}

extern "C" void clean_up_and_end(int signal) {
  AtomicFile::remove_temporaries();
  set_handler(signal, SIG_DFL);
  raise(signal);  // delivered when this handler returns
}

extern "C" void clean_up_and_crash(int signal, siginfo_t* info, void*) {
  AtomicFile::remove_temporaries();
  sigaction(signal, &before_clean_up[signal], nullptr);
  // The faulting instruction is executed again when this handler returns.
  if (info->si_code <= 0) raise(signal);
}

extern "C" void ignore_repetition(int) {}

extern "C" void request_interrupt(int signal) {
  int none = 0;
  const bool is_first = first_request.compare_exchange_strong(none, signal);
  set_handler(signal, repeats(signal) ? ignore_repetition : clean_up_and_end);
  if (!is_first) return;
  constexpr const char* message =
      "\ntomokkos: interrupted; finishing the current step, press Ctrl-C again to end at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, std::strlen(message));
}

}  // namespace

void remove_temporaries_on_signals() {
  for (const std::span<const int> signals : {std::span<const int>(requests), {others}})
    for (const int signal : signals) {
      struct sigaction now {};
      if (sigaction(signal, nullptr, &now) == 0 && has_handler(now, SIG_DFL))
        set_handler(signal, clean_up_and_end);
    }
}

void remove_temporaries_on_crashes() {
  struct sigaction action {};
  action.sa_sigaction = clean_up_and_crash;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  for (const int signal : crashes) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || has_handler(now, SIG_IGN) ||
        now.sa_sigaction == clean_up_and_crash)
      continue;
    before_clean_up[signal] = now;
    sigaction(signal, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard() {
  first_request = 0;
  for (const int signal : requests) {
    sigaction(signal, nullptr, &before_guard[signal]);
    if (!has_handler(before_guard[signal], SIG_IGN)) set_handler(signal, request_interrupt);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : requests) {
    struct sigaction now {};
    // The signal of a time limit is repeated while the program ends.
    if (sigaction(signal, nullptr, &now) == 0 && !has_handler(now, ignore_repetition))
      sigaction(signal, &before_guard[signal], nullptr);
  }
}

bool InterruptGuard::requested() { return signal() != 0; }

int InterruptGuard::signal() { return first_request; }

void InterruptGuard::check() {
  if (requested()) throw Interrupted{};
}

}  // namespace Tomokkos
