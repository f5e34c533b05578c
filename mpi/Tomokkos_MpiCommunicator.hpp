// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <array>
#include <memory>

namespace Tomokkos {

/// \brief What moves the bytes of a communicator. `automatic`: NCCL where this build has it, the
/// arrays lie on GPUs, and every rank has one of its own; MPI otherwise.
enum class Transport { automatic, mpi, nccl };

template <>
struct EnumNames<Transport> {
  static constexpr std::array<std::pair<Transport, std::string_view>, 3> names{
      {{Transport::automatic, "automatic"}, {Transport::mpi, "mpi"}, {Transport::nccl, "nccl"}}};
};

/// \brief How ranks exchange arrays; the same on all ranks.
struct CommunicatorOptions {
  /// \brief The same bits of a sum on every run with the same ranks and machines. Costs, with MPI,
  /// a workspace as long as the sums in flight, and makes short sums slower; with NCCL, the choice
  /// of its algorithm: `NCCL_ALGO=Ring` and `NCCL_PROTO=Simple` are set in the environment, unless
  /// they are there, and must be so before the first NCCL communicator of the process.
  bool deterministic = false;
  Transport transport = Transport::automatic;
};

/// \brief What \p ranks use for arrays in the memory of \p exec. Made by all of them together, and
/// by all of the same kind.
///
/// \p ranks must outlive it. It serves one instance at a time. What was begun must have been
/// finished before it goes: MPI may still write into arrays of what was not.
///
/// With MPI, what is begun waits on the host for what was launched before on \p exec; `finish`
/// waits for the messages. MPI moves bytes within its own calls, so they go beside launched work
/// only as far as the library and the network see to it. Arrays on a GPU go through page-locked
/// host memory. Scatter sums, and sums of a deterministic communicator, are exchanged in parts
/// that are added in the order of the ranks, in double, and rounded once; every rank sends and
/// receives about twice the array.
///
/// With NCCL nothing waits on the host: what is begun runs in a queue of its own.
///
/// Throws `Error` where the ranks ask for different options, and where NCCL is asked for and cannot
/// be had.
template <class ExecutionSpace>
std::unique_ptr<Communicator<ExecutionSpace>> make_communicator(
    const ExecutionSpace& exec, const MpiRanks& ranks, const CommunicatorOptions& options = {});

#define TOMOKKOS_DECLARE(SPACE)                                                  \
  extern template std::unique_ptr<Communicator<SPACE>> make_communicator<SPACE>( \
      const SPACE&, const MpiRanks&, const CommunicatorOptions&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_DECLARE)
#undef TOMOKKOS_DECLARE

}  // namespace Tomokkos
