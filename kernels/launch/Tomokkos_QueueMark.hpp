// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mark in the queue of an execution space. The host can wait for the mark while the queue goes on.
// Among the kernels, only this file uses the events of a device.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <string>
#include <utility>

namespace Tomokkos::Impl {

/// \brief Mark in the queue of an execution space. On hosts, where launches are not queued for
/// long, waiting is a fence.
template <class ExecutionSpace>
class QueueMark {
 public:
  /// \brief Sets the mark after everything that was launched on \p exec so far.
  void set(const ExecutionSpace& exec) { exec_ = exec; }

  /// \brief Waits until all work before the mark is done. Returns at once if no mark was set.
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
