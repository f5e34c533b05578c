// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are recorded once and repeated by one call. Only this file uses the graphs of a
// device.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

/// Largest functor that may be recorded. Kokkos passes larger functors, together with its own data,
/// to a GPU through a host buffer that later launches overwrite.
inline constexpr std::size_t recordable_functor_bytes = 256;

/// \brief Recorded launches of an execution-space instance. Not available on hosts, where a launch
/// is a loop (see `can_record`).
template <class ExecutionSpace>
class RecordedLaunches {
 public:
  static bool can_record(const ExecutionSpace&) { return false; }

  RecordedLaunches() = default;
  template <class Work>
  void record(const ExecutionSpace&, const Work&) {
    throw Refused("this execution space cannot record launches");
  }
  void replay(const ExecutionSpace&) const {}
  bool is_empty() const { return true; }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
class RecordedLaunches<Kokkos::Cuda> {
 public:
  /// Returns false for streams that synchronise with all other streams, and while a profiling tool
  /// is loaded, because Kokkos then waits at every launch.
  static bool can_record(const Kokkos::Cuda& exec) {
    if (Kokkos::Tools::profileLibraryLoaded()) return false;
    const cudaStream_t stream = exec.cuda_stream();
    return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  }

  RecordedLaunches() = default;
  ~RecordedLaunches() { clear(); }
  RecordedLaunches(const RecordedLaunches&) = delete;
  RecordedLaunches& operator=(const RecordedLaunches&) = delete;

  bool is_empty() const { return executable_ == nullptr; }

  /// \brief Records the launches of `work()` on \p exec without running them.
  ///
  /// Work may launch kernels of less than 512 bytes each (functors of at most
  /// `recordable_functor_bytes` and the data that Kokkos adds) and copy within the device. It must
  /// not wait, allocate or exchange data with the host.
  ///
  /// \throws Error when the device refuses the record
  template <class Work>
  void record(const Kokkos::Cuda& exec, const Work& work) {
    clear();
    fence(exec, "RecordedLaunches: what was launched before is no part of the record");
    const cudaStream_t stream = exec.cuda_stream();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    try {
      work();
    } catch (...) {
      cudaGraph_t unfinished = nullptr;
      cudaStreamEndCapture(stream, &unfinished);
      if (unfinished != nullptr) cudaGraphDestroy(unfinished);
      throw;
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    const cudaError_t made = cudaGraphInstantiateWithFlags(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(made);
  }

  /// \brief Launches the recorded work on \p exec.
  void replay(const Kokkos::Cuda& exec) const {
    check(cudaGraphLaunch(executable_, exec.cuda_stream()));
  }

 private:
  static void check(cudaError_t status) {
    require(status == cudaSuccess,
            std::string("recording launches: ") + cudaGetErrorString(status));
  }

  void clear() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  cudaGraphExec_t executable_ = nullptr;
};
#endif

}  // namespace Tomokkos::Impl
