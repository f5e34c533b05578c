// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchBandwidth.hpp"

#include <Tomokkos_ForEach.hpp>
#include <algorithm>

#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {
namespace {

/// Values that one thread moves at once: 16 bytes, the widest load of a GPU.
struct alignas(16) Pack {
  double value[2];
};

template <class MemorySpace>
using Packs = Kokkos::View<Pack*, MemorySpace>;

// On a GPU each thread moves one pack, so that neighbouring threads move neighbouring packs. A host
// thread moves whole chunks: the compiler vectorises loops of fixed length.
constexpr Offset chunk = 512;  // packs, 8 KB

template <class MemorySpace>
struct FillPacks {
  Packs<MemorySpace> a;
  double value;
  KOKKOS_FUNCTION void operator()(const Offset i) const { a(i) = Pack{{value, value}}; }
};

template <class MemorySpace>
struct CopyPacks {
  Packs<MemorySpace> from, to;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i) = from(i); }
};

template <class MemorySpace>
struct TriadPacks {
  Packs<MemorySpace> a, b, c;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Pack x = a(i), y = b(i);
    c(i) = Pack{{x.value[0] + 0.5 * y.value[0], x.value[1] + 0.5 * y.value[1]}};
  }
};

template <class MemorySpace>
struct DotPacks {
  Packs<MemorySpace> a, b;
  KOKKOS_FUNCTION void operator()(const Offset i, double& sum) const {
    const Pack x = a(i), y = b(i);
    sum += x.value[0] * y.value[0] + x.value[1] * y.value[1];
  }
};

struct CopyChunks {
  const double* from;
  double* to;
  void operator()(const Offset c) const {
    for (Offset i = 2 * chunk * c; i < 2 * chunk * (c + 1); ++i) to[i] = from[i];
  }
};

struct TriadChunks {
  const double* a;
  const double* b;
  double* c;
  void operator()(const Offset n) const {
    for (Offset i = 2 * chunk * n; i < 2 * chunk * (n + 1); ++i) c[i] = a[i] + 0.5 * b[i];
  }
};

struct DotChunks {
  const double* a;
  const double* b;
  void operator()(const Offset n, double& sum) const {
    constexpr int lanes = 32;  // enough running sums to hide the latency of an addition
    double sums[lanes] = {};
    for (Offset i = 2 * chunk * n; i < 2 * chunk * (n + 1); i += lanes)
      for (int lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  }
};

double median(const std::vector<double>& samples) {
  return samples.empty() ? 0.0 : timing_statistics(samples).median;
}

}  // namespace

template <class ExecutionSpace>
BandwidthProbe<ExecutionSpace>::BandwidthProbe(const ExecutionSpace& exec,
                                               std::size_t last_cache_bytes,
                                               std::size_t available_bytes)
    : exec_(exec) {
  constexpr std::size_t least = std::size_t{128} << 20;
  // Arrays on a GPU must also be large enough that the cost of a launch is negligible.
  constexpr std::size_t least_on_device = std::size_t{1} << 30;
  const std::size_t wanted =
      std::max(Impl::is_host_space<ExecutionSpace> ? least : least_on_device, 3 * last_cache_bytes);
  const std::size_t affordable = std::min(wanted, available_bytes / 8);
  constexpr std::size_t unit = chunk * sizeof(Pack);
  bytes_ = std::max(affordable / unit, std::size_t{1}) * unit;
  beyond_caches_ = affordable >= 3 * last_cache_bytes;
}

template <class ExecutionSpace>
void BandwidthProbe<ExecutionSpace>::sample() {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>;
  const auto packs = static_cast<Offset>(bytes_ / sizeof(Pack));
  Packs<MemorySpace> arrays[3];
  for (auto& array : arrays)
    array = allocate<Packs<MemorySpace>>(exec_, "Tomokkos::Bench::bandwidth", packs);

  const auto time = [&](std::vector<double>& samples, double arrays_moved, const auto& work) {
    constexpr int warmup = 2, repetitions = 5;
    for (int i = 0; i < warmup; ++i) work();
    for (int i = 0; i < repetitions; ++i) {
      exec_.fence();
      const double seconds = seconds_of([&] {
        work();
        exec_.fence();
      });
      samples.push_back(1e-9 * arrays_moved * static_cast<double>(bytes_) / seconds);
    }
  };

  double sum = 0;
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    // First touch with the same static partition as the timed loops.
    double* pointers[3];
    for (int i = 0; i < 3; ++i) pointers[i] = arrays[i].data()->value;
    const Range chunks(exec_, 0, packs / chunk);
    const Range elements(exec_, 0, packs);
    for (auto& array : arrays)
      Kokkos::parallel_for("Tomokkos::bench::fill", elements, FillPacks<MemorySpace>{array, 1.0});
    time(copy_, 2, [&] {
      Kokkos::parallel_for("Tomokkos::bench::copy", chunks, CopyChunks{pointers[0], pointers[2]});
    });
    time(triad_, 3, [&] {
      Kokkos::parallel_for("Tomokkos::bench::triad", chunks,
                           TriadChunks{pointers[0], pointers[1], pointers[2]});
    });
    time(read_, 2, [&] {
      Kokkos::parallel_reduce("Tomokkos::bench::read", chunks, DotChunks{pointers[0], pointers[1]},
                              sum);
    });
  } else {
#if defined(KOKKOS_ENABLE_CUDA)
    const Range elements(exec_, 0, packs);
    for (auto& array : arrays)
      Kokkos::parallel_for("Tomokkos::bench::fill", elements, FillPacks<MemorySpace>{array, 1.0});
    std::vector<double> by_kernel, by_driver;
    time(by_kernel, 2, [&] {
      Kokkos::parallel_for("Tomokkos::bench::copy", elements,
                           CopyPacks<MemorySpace>{arrays[0], arrays[2]});
    });
    time(by_driver, 2, [&] {
      cudaMemcpyAsync(arrays[2].data(), arrays[0].data(), bytes_, cudaMemcpyDeviceToDevice,
                      exec_.cuda_stream());
    });
    copy_.push_back(std::max(median(by_kernel), median(by_driver)));
    time(triad_, 3, [&] {
      Kokkos::parallel_for("Tomokkos::bench::triad", elements,
                           TriadPacks<MemorySpace>{arrays[0], arrays[1], arrays[2]});
    });
    time(read_, 2, [&] {
      Kokkos::parallel_reduce("Tomokkos::bench::read", elements,
                              DotPacks<MemorySpace>{arrays[0], arrays[1]}, sum);
    });
#endif
  }
}

template <class ExecutionSpace>
Bandwidth BandwidthProbe<ExecutionSpace>::result() const {
  Bandwidth bandwidth{median(copy_), median(triad_), median(read_), 0};
  if (beyond_caches_)
    bandwidth.reference = Impl::is_host_space<ExecutionSpace> ? bandwidth.read : bandwidth.copy;
  return bandwidth;
}

#define TOMOKKOS_INSTANTIATE(SPACE) template class BandwidthProbe<SPACE>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
