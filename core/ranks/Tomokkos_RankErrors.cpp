// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankErrors.hpp>
#include <string>

namespace Tomokkos::Impl {

namespace {

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an error without a message";
  }
}

}  // namespace

int first_failed(const Ranks& ranks, bool failed) {
  // The lowest rank gives the largest number.
  const int size = ranks.size();
  return size - static_cast<int>(ranks.max_of(failed ? size - ranks.rank() : 0));
}

void throw_on_all_ranks(const Ranks& ranks, const std::exception_ptr& error) {
  const int failed = first_failed(ranks, error != nullptr);
  if (failed == ranks.size()) return;
  std::string message = ranks.rank() == failed ? message_of(error) : std::string();
  std::size_t length = message.size();
  ranks.broadcast(std::as_writable_bytes(std::span<std::size_t>(&length, 1)), failed);
  message.resize(length);
  ranks.broadcast(std::as_writable_bytes(std::span<char>(message.data(), length)), failed);
  if (error) std::rethrow_exception(error);
  throw RankError(Impl::text("rank {}: {}", failed, message));
}

}  // namespace Tomokkos::Impl
