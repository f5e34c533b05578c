// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams that stay on the device together and wait for each other between the steps of their work.
// Only this file uses cooperative launches.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Sums.hpp>
#include <Tomokkos_Views.hpp>
#include <algorithm>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cuda/atomic>
#endif

namespace Tomokkos::Impl {

/// Maximum number of threads in a resident team; each multiprocessor has one team.
inline constexpr int most_resident_threads = 1024;

/// Entries of a matrix row that each of its lanes keeps in registers.
inline constexpr int resident_entries = 8;

/// \brief Distribution of the rows of a matrix over resident teams.
struct ResidentLaunch {
  int lanes;    ///< threads per row, a power of two up to a warp
  int threads;  ///< threads per team, a multiple of a warp
};

/// \brief Returns as many lanes as keep a row of mean length in registers, and only as many threads
/// as the rows of a team need: the exchange between teams takes longer with each thread.
inline ResidentLaunch resident_launch(Ordinal rows, Offset nonzeros, int teams) {
  ResidentLaunch launch{1, most_resident_threads};
  while (launch.lanes < 32 && Offset{launch.lanes} * resident_entries * rows < nonzeros)
    launch.lanes *= 2;
  const Offset rows_of_team = (Offset{rows} + teams - 1) / teams;
  const Offset threads = (rows_of_team * launch.lanes + 31) / 32 * 32;
  launch.threads = static_cast<int>(std::clamp<Offset>(threads, 32, most_resident_threads));
  return launch;
}

/// Number of doubles in the scratch array of a team.
inline constexpr int resident_scratch = 16;

/// \brief Launches of resident teams. Not available on hosts, where a launch is a loop: `count` is
/// 0.
///
/// They run a functor `work(grid)`, which every thread of every team calls. All threads must call
/// `barrier` and `sum` of the grid equally often.
template <class ExecutionSpace>
class ResidentTeams {
 public:
  explicit ResidentTeams(const ExecutionSpace&) {}

  /// Returns the number of teams in a launch, or 0 if such launches are not available.
  static int count(const ExecutionSpace&) { return 0; }

  template <int N, class Work>
  void run(const ExecutionSpace&, const char*, int, const Work&) const {
    throw Refused("this execution space has no resident teams");
  }
  std::size_t bytes() const { return 0; }
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// \brief Teams of a launch on a CUDA device, one per multiprocessor, from the view of one of their
/// threads.
template <int N>
class CudaGrid {
 public:
  struct Memory {
    double scratch[resident_scratch];
    double sums[N * most_resident_threads / 32];
  };

  __device__ CudaGrid(Memory& memory, unsigned* arrived, double* partial)
      : memory_(memory), arrived_(arrived), partial_(partial) {}

  KOKKOS_FUNCTION int team() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(blockIdx.x);
#else
    return 0;
#endif
  }
  KOKKOS_FUNCTION int num_teams() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(gridDim.x);
#else
    return 1;
#endif
  }
  KOKKOS_FUNCTION int thread() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  KOKKOS_FUNCTION int num_threads() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(blockDim.x);
#else
    return 1;
#endif
  }
  /// Returns the `resident_scratch` values of the team.
  KOKKOS_FUNCTION double* scratch() const { return memory_.scratch; }

  KOKKOS_FUNCTION void team_barrier() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }

  /// Waits for all threads of all teams; afterwards each thread sees what the others have written.
  KOKKOS_FUNCTION void barrier() {
    team_barrier();
    wait_for_teams();
    team_barrier();
  }

  /// Returns the sum over the group of \p lanes neighbouring threads that contains the calling
  /// thread; \p lanes is a power of two up to 32.
  template <class T>
  KOKKOS_FUNCTION T sum_lanes(T value, int lanes) const {
    return sum_lanes(value, 1, lanes);
  }

  /// Computes the first \p count sums over all threads of all teams and returns them to all
  /// threads.
  ///
  /// Only threads whose number is a multiple of \p lanes, a power of two up to 32, contribute. The
  /// order depends only on the launch. The call also acts as a barrier, except for the next sum:
  /// other teams may still read the partial sums of this one, so call `barrier` between two sums.
  KOKKOS_FUNCTION void sum(Sums<N>& sums, int count, int lanes) {
    const int warp = thread() / 32, lane = thread() % 32, warps = num_threads() / 32;
    for (int i = 0; i < N && i < count; ++i) {
      const double of_warp = sum_lanes(sums.value[i], lanes, 32);
      if (lane == 0) memory_.sums[i * warps + warp] = of_warp;
    }
    team_barrier();
    // Thread 0 publishes the sums of its team, so its arrival makes them visible.
    if (warp == 0) {
      for (int i = 0; i < N && i < count; ++i) {
        const double of_lane = lane < warps ? memory_.sums[i * warps + lane] : 0.0;
        const double of_team = sum_lanes(of_lane, 32);
        if (lane == 0) partial_[i * num_teams() + team()] = of_team;
      }
    }
    wait_for_teams();
    team_barrier();
    for (int i = warp; i < count; i += warps) {
      double of_all = 0;
      for (int t = lane; t < num_teams(); t += 32) of_all += partial_[i * num_teams() + t];
      of_all = sum_lanes(of_all, 32);
      if (lane == 0) memory_.sums[i] = of_all;
    }
    team_barrier();
    for (int i = 0; i < N && i < count; ++i) sums.value[i] = memory_.sums[i];
  }

 private:
  /// Sums the values of threads whose number is a multiple of \p apart.
  template <class T>
  KOKKOS_FUNCTION T sum_lanes(T value, int apart, int lanes) const {
#ifdef __CUDA_ARCH__
    for (int distance = lanes / 2; distance >= apart; distance /= 2)
      value += __shfl_xor_sync(0xffffffffU, value, distance);
#else
    (void)apart, (void)lanes;
#endif
    return value;
  }

  KOKKOS_FUNCTION void wait_for_teams() {
#ifdef __CUDA_ARCH__
    if (threadIdx.x != 0) return;
    due_ += gridDim.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*arrived_);
    arrived.fetch_add(1U, cuda::memory_order_release);
    // The counters wrap around at 2^32; their difference, at most the number of teams, does not.
    while (static_cast<int>(arrived.load(cuda::memory_order_acquire) - due_) < 0) {
    }
#endif
  }

  Memory& memory_;
  unsigned* arrived_;
  double* partial_;
  unsigned due_ = 0;
};

/// Returns the maximum number of threads in a team that runs \p Work: `Work::most_threads` if it
/// needs more registers per thread than `most_resident_threads` allow.
template <class Work>
constexpr int max_threads_of() {
  if constexpr (requires { Work::most_threads; })
    return Work::most_threads;
  else
    return most_resident_threads;
}

template <int N, class Work>
__global__ void __launch_bounds__(max_threads_of<Work>(), 1)
    run_resident(const Work work, unsigned* arrived, double* partial) {
  __shared__ typename CudaGrid<N>::Memory memory;
  CudaGrid<N> grid(memory, arrived, partial);
  work(grid);
}

template <>
class ResidentTeams<Kokkos::Cuda> {
 public:
  explicit ResidentTeams(const Kokkos::Cuda& exec)
      : arrived_(allocate<Vector<unsigned, Kokkos::CudaSpace>>(
            exec, "Tomokkos::ResidentTeams::arrived", 1)) {}

  static int count(const Kokkos::Cuda& exec) {
    int cooperative = 0, multiprocessors = 0;
    const int device = exec.cuda_device();
    check(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return cooperative != 0 ? multiprocessors : 0;
  }

  /// \brief Launches `work(grid)` with the label \p label; `grid.sum` handles up to N values.
  ///
  /// The device starts all teams together, once there is room for all of them.
  ///
  /// \param threads threads per team, a multiple of 32, at most `max_threads_of<Work>()`
  template <int N, class Work>
  void run(const Kokkos::Cuda& exec, const char* label, int threads, const Work& work) {
    const int teams = count(exec);
    if (partial_.extent(0) < static_cast<std::size_t>(teams * N))
      partial_ = allocate<Vector<double, Kokkos::CudaSpace>>(
          exec, "Tomokkos::ResidentTeams::partial", teams * N);
    Kokkos::deep_copy(exec, arrived_, 0U);
    Work copy = work;
    unsigned* arrived = arrived_.data();
    double* partial = partial_.data();
    void* arguments[] = {&copy, &arrived, &partial};
    std::uint64_t kernel = 0;
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &kernel);
    check(cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(&run_resident<N, Work>), dim3(static_cast<unsigned>(teams)),
        dim3(static_cast<unsigned>(threads)), arguments, 0, exec.cuda_stream()));
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(kernel);
  }

  std::size_t bytes() const { return sizeof(unsigned) + partial_.extent(0) * sizeof(double); }

 private:
  static void check(cudaError_t status) {
    require(status == cudaSuccess, std::string("resident teams: ") + cudaGetErrorString(status));
  }

  Vector<unsigned, Kokkos::CudaSpace> arrived_;
  Vector<double, Kokkos::CudaSpace> partial_;
};
#endif

}  // namespace Tomokkos::Impl
