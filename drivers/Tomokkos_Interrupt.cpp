// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Interrupt.hpp>
#include <atomic>
#include <csignal>

namespace Tomokkos {

namespace {

std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void request_interrupt(int) { interrupt_requested = true; }

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_requested = false;
  struct sigaction action {};
  action.sa_handler = request_interrupt;
  sigemptyset(&action.sa_mask);
  // The handler serves once: a second signal finds the default action.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, &previous_interrupt);
  sigaction(SIGTERM, &action, &previous_terminate);
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
