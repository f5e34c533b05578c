// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <impl/Tomokkos_NcclCommunicator.hpp>

#if defined(TOMOKKOS_HAVE_NCCL)
#include <nccl.h>
#include <stdlib.h>

#include <Tomokkos_CheckCuda.hpp>
#include <Tomokkos_Error.hpp>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {
namespace {

/// Throws the error of an NCCL call. `comm` may be null if there is no communicator yet.
void check_nccl(ncclResult_t result, ncclComm_t comm, const char* function) {
  if (result == ncclSuccess) return;
  std::string message = std::string(function) + ": " + ncclGetErrorString(result);
  const char* const details = ncclGetLastError(comm);
  if (details != nullptr && details[0] != '\0') message += std::string(": ") + details;
  throw Error(message);
}

/// Communicator through NCCL. Operations run on a stream of their own, with high priority so that
/// their few thread blocks do not wait behind those of large kernels. Events order the stream after
/// the instance, and in `finish` the instance after the stream; the host waits for neither. NCCL
/// works in place on floats and doubles on GPUs.
class NcclCommunicator final : public Communicator<Kokkos::Cuda> {
 public:
  NcclCommunicator(const Kokkos::Cuda& exec, const Ranks& ranks, bool deterministic)
      : ranks_(ranks), exceptions_(std::uncaught_exceptions()) {
    // Values set by the user stay. With a fixed algorithm and protocol, the place where a value is
    // added does not depend on measurements or heuristics of NCCL.
    if (deterministic) {
      setenv("NCCL_ALGO", "Ring", 0);
      setenv("NCCL_PROTO", "Simple", 0);
    }
    try {
      connect(exec);
    } catch (...) {
      release(true);
      throw;
    }
  }
  ~NcclCommunicator() override { release(std::uncaught_exceptions() > exceptions_); }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  const Ranks& ranks() const override { return ranks_; }
  std::string transport() const override { return "nccl"; }

  void do_finish(const Kokkos::Cuda& exec) const override {
    // Report errors that have occurred so far, without waiting.
    ncclResult_t state = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(comm_, &state), comm_, "ncclCommGetAsyncError");
    if (state != ncclSuccess) {
      // Its kernels would never end, and freeing memory would wait for them.
      ncclCommAbort(comm_);
      comm_ = nullptr;
      check_nccl(state, nullptr, "NCCL");
    }
    check_cuda(cudaEventRecord(done_, stream_), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(exec.cuda_stream(), done_, 0), "cudaStreamWaitEvent");
  }

  void do_begin_sum(const Kokkos::Cuda& exec, const Array& values) const override {
    if (values.length == 0) return;
    follow(exec);
    check_nccl(ncclAllReduce(values.data, values.data, values.length, type(values), ncclSum, comm_,
                             stream_),
               comm_, "ncclAllReduce");
  }

  void do_begin_scatter_sum(const Kokkos::Cuda& exec, const Array& values,
                            const std::vector<Offset>& offsets) const override {
    if (values.length == 0) return;
    follow(exec);
    if (are_equal(offsets)) {
      check_nccl(ncclReduceScatter(values.data, at(values, offsets, rank()),
                                   length(offsets, rank()), type(values), ncclSum, comm_, stream_),
                 comm_, "ncclReduceScatter");
      return;
    }
    in_one_group([&] {
      for (int r = 0; r < size(); ++r)
        if (length(offsets, r) > 0)
          check_nccl(ncclReduce(at(values, offsets, r), at(values, offsets, r), length(offsets, r),
                                type(values), ncclSum, r, comm_, stream_),
                     comm_, "ncclReduce");
    });
  }

  void do_gather(const Kokkos::Cuda& exec, const Array& values,
                 const std::vector<Offset>& offsets) const override {
    if (values.length == 0) return;
    follow(exec);
    if (are_equal(offsets)) {
      check_nccl(ncclAllGather(at(values, offsets, rank()), values.data, length(offsets, rank()),
                               type(values), comm_, stream_),
                 comm_, "ncclAllGather");
    } else {
      in_one_group([&] {
        for (int r = 0; r < size(); ++r)
          if (length(offsets, r) > 0)
            check_nccl(ncclBroadcast(at(values, offsets, r), at(values, offsets, r),
                                     length(offsets, r), type(values), r, comm_, stream_),
                       comm_, "ncclBroadcast");
      });
    }
    do_finish(exec);
  }

  void do_begin_exchange(const Kokkos::Cuda& exec, const Array& sent,
                         const std::vector<Offset>& sent_offsets, const Array& received,
                         const std::vector<Offset>& received_offsets) const override {
    follow(exec);
    in_one_group([&] {
      for (int r = 0; r < size(); ++r) {
        if (r == rank()) continue;
        if (length(sent_offsets, r) > 0)
          check_nccl(ncclSend(at(sent, sent_offsets, r), length(sent_offsets, r), type(sent), r,
                              comm_, stream_),
                     comm_, "ncclSend");
        if (length(received_offsets, r) > 0)
          check_nccl(ncclRecv(at(received, received_offsets, r), length(received_offsets, r),
                              type(received), r, comm_, stream_),
                     comm_, "ncclRecv");
      }
    });
  }

 private:
  static ncclDataType_t type(const Array& values) {
    return values.is_double ? ncclFloat64 : ncclFloat32;
  }
  static void* at(const Array& values, const std::vector<Offset>& offsets, int r) {
    return static_cast<char*>(values.data) +
           static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]) * values.scalar_bytes();
  }
  static std::size_t length(const std::vector<Offset>& offsets, int r) {
    const auto place = static_cast<std::size_t>(r);
    return static_cast<std::size_t>(offsets[place + 1] - offsets[place]);
  }
  bool are_equal(const std::vector<Offset>& offsets) const {
    for (int r = 1; r < size(); ++r)
      if (length(offsets, r) != length(offsets, 0)) return false;
    return true;
  }

  /// Orders later work on the stream after the work launched on `exec`.
  void follow(const Kokkos::Cuda& exec) const {
    check_cuda(cudaEventRecord(begun_, exec.cuda_stream()), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(stream_, begun_, 0), "cudaStreamWaitEvent");
  }

  /// Groups the calls of `body`. After an error within `body`, the end only closes the group.
  template <class Body>
  void in_one_group(const Body& body) const {
    check_nccl(ncclGroupStart(), comm_, "ncclGroupStart");
    try {
      body();
    } catch (...) {
      ncclGroupEnd();
      throw;
    }
    check_nccl(ncclGroupEnd(), comm_, "ncclGroupEnd");
  }

  void connect(const Kokkos::Cuda& exec) {
    check_cuda(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    int least = 0, greatest = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
               "cudaDeviceGetStreamPriorityRange");
    check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
               "cudaStreamCreateWithPriority");
    check_cuda(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
    check_cuda(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
    // Send a failure of rank 0 to all ranks, which would otherwise wait for it.
    ncclUniqueId id{};
    const ncclResult_t made = ranks_.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
    const bool failed = ranks_.max_of(made == ncclSuccess ? 0.0 : 1.0) != 0.0;
    check_nccl(made, nullptr, "ncclGetUniqueId");
    require(!failed, "NCCL could not be started on rank 0");
    ranks_.broadcast(std::as_writable_bytes(std::span(id.internal)), 0);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    check_nccl(ncclCommInitRankConfig(&comm_, ranks_.size(), id, ranks_.rank(), &config), nullptr,
               "ncclCommInitRankConfig");
  }

  /// Releases the communicator. An abort does not wait for the other ranks.
  void release(bool abort) {
    if (comm_ != nullptr) {
      if (abort) {
        ncclCommAbort(comm_);
      } else {
        cudaStreamSynchronize(stream_);
        ncclCommDestroy(comm_);
      }
    }
    if (done_ != nullptr) cudaEventDestroy(done_);
    if (begun_ != nullptr) cudaEventDestroy(begun_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  const Ranks& ranks_;
  int exceptions_;
  mutable ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace

std::unique_ptr<Communicator<Kokkos::Cuda>> make_nccl_communicator(const Kokkos::Cuda& exec,
                                                                   const Ranks& ranks,
                                                                   bool deterministic) {
  return std::make_unique<NcclCommunicator>(exec, ranks, deterministic);
}

}  // namespace Tomokkos::Impl

#endif
