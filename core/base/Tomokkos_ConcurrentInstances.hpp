// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckCuda.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos {

/// \brief Additional instances of an execution space for independent kernels that may overlap.
///
/// Earlier instances have priority: on a GPU, thread blocks of the next kernel fill the
/// multiprocessors that the last blocks of a kernel leave idle. Launch the last kernel on the
/// original instance.
///
/// On a GPU each instance has its own stream, with a higher priority than the next one as far as
/// the device offers different priorities. An instance uses about a megabyte of device memory. On
/// hosts all elements are the original instance. Destroy the object only after all kernels launched
/// on it have finished.
///
/// \throws Error when CUDA cannot create a stream
template <class ExecutionSpace>
class ConcurrentInstances {
 public:
  ConcurrentInstances(const ExecutionSpace& exec, std::size_t count) : instances_(count, exec) {}

  std::size_t count() const { return instances_.size(); }
  const ExecutionSpace& operator[](std::size_t i) const { return instances_[i]; }
  /// \brief Makes later launches on these instances wait for everything launched so far on \p exec,
  /// an instance of the same device.
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
    int least = 0, greatest = 0;  // the greatest priority is the smallest number
    Impl::check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                     "cudaDeviceGetStreamPriorityRange");
    Impl::check_cuda(cudaEventCreateWithFlags(&launched_, cudaEventDisableTiming),
                     "cudaEventCreateWithFlags");
    for (std::size_t behind = count; behind > 0; --behind) {
      // The greatest priority is reserved for streams that move data between GPUs.
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
