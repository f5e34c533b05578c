// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckCuda.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos {

/// \brief Instances of an execution space beside one that is there already, for kernels that share
/// nothing, of which the first shall be done first: on a GPU the thread blocks of one take the
/// place of those that the one before it has no more of, so that no multiprocessor waits for the
/// last blocks of a kernel. What comes last belongs on the instance that was there.
///
/// On a GPU each has a stream of its own and, as far as the device has some, a higher priority than
/// the next; an instance takes about a megabyte of its memory. On hosts all are the one that was
/// there. They must not go before what was launched on them is done. Throws `Error` where CUDA
/// makes no stream.
template <class ExecutionSpace>
class ConcurrentInstances {
 public:
  ConcurrentInstances(const ExecutionSpace& exec, std::size_t count) : instances_(count, exec) {}

  std::size_t count() const { return instances_.size(); }
  const ExecutionSpace& operator[](std::size_t i) const { return instances_[i]; }
  /// \brief What is launched on any of them from now on comes after what was launched on \p exec,
  /// which is of the same device.
  void follow(const ExecutionSpace&) const {}

 private:
  std::vector<ExecutionSpace> instances_;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
class ConcurrentInstances<Kokkos::Cuda> {
 public:
  ConcurrentInstances(const Kokkos::Cuda& exec, std::size_t count) {
    try {
      create(exec, count);
    } catch (...) {
      release();
      throw;
    }
  }
  ~ConcurrentInstances() { release(); }
  ConcurrentInstances(const ConcurrentInstances&) = delete;
  ConcurrentInstances& operator=(const ConcurrentInstances&) = delete;

  std::size_t count() const { return instances_.size(); }
  const Kokkos::Cuda& operator[](std::size_t i) const { return instances_[i]; }

  void follow(const Kokkos::Cuda& exec) const {
    Impl::check_cuda(cudaEventRecord(launched_, exec.cuda_stream()), "cudaEventRecord");
    for (const cudaStream_t stream : streams_)
      Impl::check_cuda(cudaStreamWaitEvent(stream, launched_, 0), "cudaStreamWaitEvent");
  }

 private:
  void create(const Kokkos::Cuda& exec, std::size_t count) {
    Impl::check_cuda(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    int least = 0, greatest = 0;  // the greatest is the smallest number
    Impl::check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                     "cudaDeviceGetStreamPriorityRange");
    Impl::check_cuda(cudaEventCreateWithFlags(&launched_, cudaEventDisableTiming),
                     "cudaEventCreateWithFlags");
    for (std::size_t behind = count; behind > 0; --behind) {
      // The greatest is left to what carries bytes between GPUs.
      const int priority =
          std::max(std::min(greatest + 1, least), least - static_cast<int>(behind));
      streams_.push_back(nullptr);
      Impl::check_cuda(
          cudaStreamCreateWithPriority(&streams_.back(), cudaStreamNonBlocking, priority),
          "cudaStreamCreateWithPriority");
      instances_.emplace_back(streams_.back());
    }
  }

  void release() {
    instances_.clear();
    for (const cudaStream_t stream : streams_)
      if (stream != nullptr) cudaStreamDestroy(stream);
    if (launched_ != nullptr) cudaEventDestroy(launched_);
  }

  std::vector<Kokkos::Cuda> instances_;
  std::vector<cudaStream_t> streams_;
  cudaEvent_t launched_ = nullptr;
};
#endif

}  // namespace Tomokkos
