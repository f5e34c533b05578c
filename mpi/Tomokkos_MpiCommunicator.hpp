// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <array>
#include <memory>

namespace Tomokkos {

/// \brief Library that transfers the data of a communicator. `automatic`: NCCL if this build has
/// it, the arrays are on GPUs, and every rank has its own GPU; otherwise MPI.
enum class Transport { automatic, mpi, nccl };

template <>
struct EnumNames<Transport> {
  static constexpr std::array<std::pair<Transport, std::string_view>, 3> names{
      {{Transport::automatic, "automatic"}, {Transport::mpi, "mpi"}, {Transport::nccl, "nccl"}}};
};

/// \brief Options of the exchange of arrays between ranks; equal on all ranks.
struct CommunicatorOptions {
  /// \brief Sums have the same bits in every run with the same ranks and machines. With MPI this
  /// costs a workspace as long as the sums in flight, and makes short sums slower. With NCCL it
  /// fixes the algorithm: `NCCL_ALGO=Ring` and `NCCL_PROTO=Simple` are set in the environment,
  /// unless already set; this must happen before the first NCCL communicator of the process.
  bool deterministic = false;
  Transport transport = Transport::automatic;
};

/// \brief Creates the communicator of \p ranks for arrays in the memory of \p exec. All ranks call
/// it together. Some may compute on GPUs and others on their hosts; they are then connected by MPI.
///
/// \p ranks must outlive the communicator. It serves one instance at a time. Every operation must
/// be finished before the communicator is destroyed: MPI may still write into the arrays of
/// unfinished ones.
///
/// With MPI, an operation first waits on the host for work launched before on \p exec; `finish`
/// waits for the messages. MPI transfers data only within its own calls, so messages overlap with
/// launched work only as far as the library and the network support it. Arrays on a GPU pass
/// through page-locked host memory. Scatter sums, and sums of a deterministic communicator, are
/// exchanged in parts that are added in the order of the ranks, in double, and rounded once; every
/// rank sends and receives about twice the array.
///
/// With NCCL the host waits for nothing: operations run in a queue of their own.
///
/// \throws Error when the ranks request different options, or NCCL is requested but not available
template <class ExecutionSpace>
std::unique_ptr<Communicator<ExecutionSpace>> make_communicator(
    const ExecutionSpace& exec, const MpiRanks& ranks, const CommunicatorOptions& options = {});

#define TOMOKKOS_DECLARE(SPACE)                                                  \
  extern template std::unique_ptr<Communicator<SPACE>> make_communicator<SPACE>( \
      const SPACE&, const MpiRanks&, const CommunicatorOptions&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_DECLARE)
#undef TOMOKKOS_DECLARE

}  // namespace Tomokkos
