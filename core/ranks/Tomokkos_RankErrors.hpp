// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Ranks.hpp>
#include <exception>

namespace Tomokkos {

/// \brief On a rank that has no error itself: another one has, and the message says which and what.
class RankError : public Error {
 public:
  using Error::Error;
};

namespace Impl {

/// The lowest rank on which something has failed, `size()` where nothing has. All ranks call it.
int first_failed(const Ranks& ranks, bool failed);

/// Throws on all ranks where `error` is there on any: that rank its own, the others a `RankError`
/// that names the lowest such rank and says what it said. All ranks call it; nothing is sent but
/// one number where there is no error.
void throw_on_all_ranks(const Ranks& ranks, const std::exception_ptr& error);

}  // namespace Impl

/// \brief `action()`, which may throw on some ranks and not on others, and then throws on all: a
/// rank that went on alone would wait for the others for ever.
///
/// A rank whose action threw rethrows that, the others throw `RankError` with the message of the
/// lowest such rank. \p ranks may be null, for what is not spread. All ranks call this alike; the
/// action itself must not wait for other ranks.
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
