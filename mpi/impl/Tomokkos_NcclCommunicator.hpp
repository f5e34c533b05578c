// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <memory>

namespace Tomokkos::Impl {

#if defined(TOMOKKOS_HAVE_NCCL)
/// Creates a communicator through NCCL for arrays on GPUs. Every rank must have its own GPU.
std::unique_ptr<Communicator<Kokkos::Cuda>> make_nccl_communicator(const Kokkos::Cuda& exec,
                                                                   const Ranks& ranks,
                                                                   bool deterministic);
#endif

}  // namespace Tomokkos::Impl
