// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <memory>

namespace Tomokkos::Impl {

#if defined(TOMOKKOS_HAVE_NCCL)
/// Arrays on GPUs through NCCL. Every rank must have a GPU of its own.
std::unique_ptr<Communicator<Kokkos::Cuda>> make_nccl_communicator(const Kokkos::Cuda& exec,
                                                                   const Ranks& ranks,
                                                                   bool deterministic);
#endif

}  // namespace Tomokkos::Impl
