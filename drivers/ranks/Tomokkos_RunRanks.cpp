// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LaunchedRank.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#if defined(TOMOKKOS_HAVE_MPI)
#include <Tomokkos_Device.hpp>
#include <Tomokkos_MpiCommunicator.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <Tomokkos_SharedDevices.hpp>
#endif

namespace Tomokkos {

namespace {

/// Thrown on a rank when another rank has failed and reports the reason.
struct FailedElsewhere {};

}  // namespace

#if defined(TOMOKKOS_HAVE_MPI)
struct RunRanks::Session {
  MpiSession mpi;
};

RunRanks::RunRanks() : session_(std::make_unique<Session>()) {
  // A single rank behaves like a program without ranks.
  remove_temporaries_on_crashes();
  const MpiRanks* ranks = session_->mpi.ranks();
  if (ranks != nullptr && ranks->size() > 1) ranks_ = ranks;
}

int RunRanks::local_rank() const { return ranks_ ? session_->mpi.ranks()->local_rank() : 0; }
int RunRanks::local_size() const { return ranks_ ? session_->mpi.ranks()->local_size() : 1; }

template <class ExecutionSpace>
std::shared_ptr<const Communicator<ExecutionSpace>> RunRanks::communicator(
    const ExecutionSpace& exec, bool deterministic) const {
  if (ranks_ == nullptr) return nullptr;
  const MpiRanks& ranks = *session_->mpi.ranks();
  // Compare the bus addresses: if each process sees only one GPU, their numbers are all equal.
  set_memory_sharers(ranks.local_size(), ranks_on_device(exec, ranks));
  CommunicatorOptions options;
  options.deterministic = deterministic;
  return make_communicator(exec, ranks, options);
}

template <class ExecutionSpace>
bool RunRanks::share_devices(const ExecutionSpace& exec) const {
  return ranks_ != nullptr && !Impl::shared_device(exec, *session_->mpi.ranks()).empty();
}
#else
struct RunRanks::Session {};

int RunRanks::local_rank() const { return 0; }
int RunRanks::local_size() const { return 1; }

RunRanks::RunRanks() {
  if (launched_ranks() > 1)
    throw ConfigError("this program was started as " + std::to_string(launched_ranks()) +
                      " processes, but was built without MPI: build it with "
                      "-DTOMOKKOS_ENABLE_MPI=ON or start a single process");
}

template <class ExecutionSpace>
std::shared_ptr<const Communicator<ExecutionSpace>> RunRanks::communicator(const ExecutionSpace&,
                                                                           bool) const {
  return nullptr;
}

template <class ExecutionSpace>
bool RunRanks::share_devices(const ExecutionSpace&) const {
  return false;
}
#endif

RunRanks::~RunRanks() = default;

void RunRanks::agree(std::exception_ptr error) const {
  if (ranks_ == nullptr) {
    if (error) std::rethrow_exception(error);
    return;
  }
  const int first = Impl::first_failed(*ranks_, error != nullptr);
  if (first == size()) return;
  agreed_ = true;
  if (first == rank()) std::rethrow_exception(error);
  throw FailedElsewhere();
}

int RunRanks::guarded(const std::function<int()>& command) const {
  if (ranks_ == nullptr) return Tomokkos::guarded(command);
  bool failed = false;
  const int status = Tomokkos::guarded(
      [&] {
        try {
          return command();
        } catch (const FailedElsewhere&) {
          return exit_done;
        } catch (const RankError&) {
          // The failing rank reports the error and ends all ranks.
          return exit_done;
        } catch (...) {
          failed = !agreed_;
          // If all ranks fail in the same way, the first one reports the error and ends the others
          // before they do.
          if (failed && !is_first()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
          throw;
        }
      },
      "rank " + std::to_string(rank()) + ": ");
#if defined(TOMOKKOS_HAVE_MPI)
  if (failed) session_->mpi.ranks()->abort_all(status);
#endif
  return static_cast<int>(ranks_->max_of(status));
}

bool RunRanks::any(bool value) const {
  return ranks_ == nullptr ? value : ranks_->max_of(value ? 1 : 0) > 0;
}

std::uint64_t RunRanks::fingerprint(std::uint64_t own) const {
  if (ranks_ == nullptr) return own;
  // Halves of 32 bits are exact in double.
  const std::array<double, 2> halves{static_cast<double>(own >> 32),
                                     static_cast<double>(own & 0xffffffffU)};
  std::vector<double> all(2 * static_cast<std::size_t>(size()));
  ranks_->gather(halves, all);
  std::uint64_t result = 0xcbf29ce484222325ULL;
  for (const double half : all)
    result = (result ^ static_cast<std::uint64_t>(half)) * 0x100000001b3ULL;
  return result;
}

std::vector<double> RunRanks::gather_from_all(double own) const {
  std::vector<double> all(static_cast<std::size_t>(size()), own);
  if (ranks_ != nullptr) ranks_->gather({&own, 1}, all);
  return all;
}

std::string RunRanks::from_first(std::string text) const {
  if (ranks_ == nullptr) return text;
  std::uint64_t size = text.size();
  ranks_->broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  ranks_->broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void RunRanks::sum(std::vector<double>& values) const {
  if (ranks_ != nullptr) ranks_->sum(values);
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                               \
  template std::shared_ptr<const Communicator<SPACE>> RunRanks::communicator<SPACE>(const SPACE&, \
                                                                                    bool) const;  \
  template bool RunRanks::share_devices<SPACE>(const SPACE&) const;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
