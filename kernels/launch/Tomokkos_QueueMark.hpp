// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in the queue of an execution space that the host can wait for while the queue goes on.
// The one place of the kernels that knows the events of a device.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <string>
#include <utility>

namespace Tomokkos::Impl {

/// \brief On hosts, where nothing is queued for long, a fence.
template <class ExecutionSpace>
class QueueMark {
 public:
  /// \brief Behind all that was launched on \p exec so far.
  void set(const ExecutionSpace& exec) { exec_ = exec; }

  /// \brief Returns when what lies before the mark is done; at once where none was set.
  void wait(const char* why) const {
    if (exec_) fence(*exec_, why);
  }

 private:
  std::optional<ExecutionSpace> exec_;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
class QueueMark<Kokkos::Cuda> {
 public:
  QueueMark() = default;
  ~QueueMark() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  QueueMark(const QueueMark&) = delete;
  QueueMark& operator=(const QueueMark&) = delete;
  QueueMark(QueueMark&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  QueueMark& operator=(QueueMark&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  void set(const Kokkos::Cuda& exec) {
    if (event_ == nullptr) check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    check(cudaEventRecord(event_, exec.cuda_stream()));
  }

  void wait(const char* why) const {
    if (event_ == nullptr) return;
    const cudaError_t status = cudaEventSynchronize(event_);
    require(status == cudaSuccess, std::string(why) + ": " + cudaGetErrorString(status));
  }

 private:
  static void check(cudaError_t status) {
    require(status == cudaSuccess, std::string("marking a queue: ") + cudaGetErrorString(status));
  }

  cudaEvent_t event_ = nullptr;
};
#endif

}  // namespace Tomokkos::Impl
