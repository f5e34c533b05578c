// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Ranks.hpp>
#include <exception>

namespace Tomokkos {

/// \brief Error on another rank. The message gives that rank and its message.
class RankError : public Error {
 public:
  using Error::Error;
};

namespace Impl {

/// Lowest rank that has failed; `size()` if none has. Collective: all ranks call it.
int first_failed(const Ranks& ranks, bool failed);

/// Throws on all ranks if any rank has an `error`. That rank rethrows its own; the others throw a
/// `RankError` with the number and the message of the lowest failed rank. Collective: all ranks
/// call it. Without an error only one number is exchanged.
void throw_on_all_ranks(const Ranks& ranks, const std::exception_ptr& error);

}  // namespace Impl

/// \brief Runs `action()` on every rank and throws on all ranks if it throws on any of them. A rank
/// that continued alone would wait for the others forever.
///
/// A rank whose action threw rethrows the exception. The others throw `RankError` with the message
/// of the lowest failed rank. \p ranks may be null for work that is not distributed. Collective:
/// all ranks call it. The action itself must not wait for other ranks.
template <class Action>
void on_all_ranks(const Ranks* ranks, const Action& action) {
  if (ranks == nullptr || ranks->size() == 1) {
    action();
    return;
  }
  std::exception_ptr error;
  try {
    action();
  } catch (...) {
    error = std::current_exception();
  }
  Impl::throw_on_all_ranks(*ranks, error);
}

}  // namespace Tomokkos
