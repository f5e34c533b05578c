// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LaunchedRank.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
#if defined(TOMOKKOS_HAVE_MPI)
#include <Tomokkos_Device.hpp>
#include <Tomokkos_MpiCommunicator.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <Tomokkos_SharedDevices.hpp>
#endif

namespace Tomokkos {

#if defined(TOMOKKOS_HAVE_MPI)
struct RunRanks::Session {
  MpiSession mpi;
};

RunRanks::RunRanks() : session_(std::make_unique<Session>()) {
  // A single rank behaves like a program without ranks.
  remove_temporaries_on_crashes();
  const MpiRanks* ranks = session_->mpi.ranks();
  if (ranks != nullptr && ranks->size() > 1) set_ranks(ranks);
}

int RunRanks::local_rank() const { return ranks() ? session_->mpi.ranks()->local_rank() : 0; }
int RunRanks::local_size() const { return ranks() ? session_->mpi.ranks()->local_size() : 1; }

template <class ExecutionSpace>
std::shared_ptr<const Communicator<ExecutionSpace>> RunRanks::communicator(
    const ExecutionSpace& exec, bool deterministic) const {
  if (ranks() == nullptr) return nullptr;
  const MpiRanks& ranks = *session_->mpi.ranks();
  // Compare the bus addresses: if each process sees only one GPU, their numbers are all equal.
  set_memory_sharers(ranks.local_size(), ranks_on_device(exec, ranks));
  CommunicatorOptions options;
  options.deterministic = deterministic;
  return make_communicator(exec, ranks, options);
}

template <class ExecutionSpace>
bool RunRanks::share_devices(const ExecutionSpace& exec) const {
  return ranks() != nullptr && !Impl::shared_device(exec, *session_->mpi.ranks()).empty();
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

int RunRanks::guarded(const std::function<int()>& command) const {
  if (ranks() == nullptr) return Tomokkos::guarded(command);
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
          failed = !has_agreed();
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
  return static_cast<int>(ranks()->max_of(status));
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                               \
  template std::shared_ptr<const Communicator<SPACE>> RunRanks::communicator<SPACE>(const SPACE&, \
                                                                                    bool) const;  \
  template bool RunRanks::share_devices<SPACE>(const SPACE&) const;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

void set_backend_of_rank(ConfigNode& root, const RunRanks& ranks) {
  const ConfigNode* const backends = root.at("run.ranks.backend");
  if (backends == nullptr || !backends->is_list()) return;
  if (static_cast<int>(backends->items().size()) != ranks.size())
    fail_at(*backends, "run.ranks.backend",
            "lists " + std::to_string(backends->items().size()) + " backends for " +
                std::to_string(ranks.size()) + (ranks.size() == 1 ? " process" : " ranks") +
                "; give one for each (mpirun -n " + std::to_string(backends->items().size()) + ")");
  ConfigNode own = backends->items()[static_cast<std::size_t>(ranks.rank())];
  const std::vector<std::string_view> names = backend_names();
  if (!own.is_scalar() || std::find(names.begin(), names.end(), own.scalar()) == names.end())
    fail_at(own, "run.ranks.backend",
            (own.is_scalar() ? "\"" + own.scalar() + "\"" : std::string("the entry")) +
                " of rank " + std::to_string(ranks.rank()) +
                " is not a backend of this program; it has " + join_names(names));
  root.find("run")->set("backend", std::move(own));
}

}  // namespace Tomokkos
