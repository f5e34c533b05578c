// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <atomic>
#include <csignal>

namespace Tomokkos {

namespace {

std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void set_handler(int signal, void (*handler)(int), struct sigaction* previous = nullptr) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, previous);
}

extern "C" void clean_up_and_end(int signal) {
  AtomicFile::remove_temporaries();
  set_handler(signal, SIG_DFL);
  raise(signal);  // delivered when this handler returns
}

extern "C" void request_interrupt(int signal) {
  interrupt_requested = true;
  constexpr char message[] =
      "\ntomokkos: interrupted; what has begun is brought to an end, a second signal ends at "
      "once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, sizeof message - 1);
  set_handler(signal, clean_up_and_end);
}

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};

}  // namespace

void remove_temporaries_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
      set_handler(signal, clean_up_and_end);
  }
}

InterruptGuard::InterruptGuard() {
  interrupt_requested = false;
  set_handler(SIGINT, request_interrupt, &previous_interrupt);
  set_handler(SIGTERM, request_interrupt, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_interrupt, nullptr);
  sigaction(SIGTERM, &previous_terminate, nullptr);
}

bool InterruptGuard::requested() { return interrupt_requested; }

void InterruptGuard::check() {
  if (requested()) throw Interrupted{};
}

}  // namespace Tomokkos
