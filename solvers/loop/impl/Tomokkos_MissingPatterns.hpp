// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of missing rays in a stack: slices that lack the same rays share one set of weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <impl/Tomokkos_MissingData.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <vector>

namespace Tomokkos::Impl {

/// Maps x to a number whose bits all depend on every bit of x (the finalizer of SplitMix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Sums over the missing rays of a slice: four numbers of 22 bits for each ray, drawn from its
/// number. Sums over 2^31 rays are exact in double. Two patterns that differ have the same sums
/// with a probability of 2^-88.
template <class Scalar, class MemorySpace>
struct MissingRaySums {
  VectorView<const Scalar, MemorySpace> b;
  std::uint64_t seed;  // differs between ranks, whose rays have the same numbers

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<4>& sums) const {
    if (!is_missing(b(e.at))) return;
    std::uint64_t bits = seed + static_cast<std::uint64_t>(e.row);
    for (int m = 0; m < 4; ++m) {
      bits = mix_bits(bits);
      sums.value[m] += static_cast<double>(bits >> 42);
    }
  }
};

/// Writes 1 for every row that a slice has measured, otherwise 0; or a factor instead of 1.
template <class Scalar, class MemorySpace>
struct MarkMeasured {
  VectorView<const Scalar, MemorySpace> b, factors;  // factors: empty for 1
  VectorView<Scalar, MemorySpace> marks;
  Offset slice, slices;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Scalar factor = factors.extent(0) > 0 ? factors(i) : Scalar(1);
    marks(i) = is_missing(b(i * slices + slice)) ? Scalar(0) : factor;
  }
};

/// Copies a vector to a set of a row-major array of sets.
template <class Scalar, class MemorySpace>
struct PlaceSet {
  VectorView<const Scalar, MemorySpace> values;
  VectorView<Scalar, MemorySpace> sets;
  Offset set, count;
  KOKKOS_FUNCTION void operator()(const Offset i) const { sets(i * count + set) = values(i); }
};

/// Patterns of missing rays of the slices of a stack. Holds no memory on the device until `find`.
template <class ExecutionSpace>
class MissingPatterns {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// Finds the patterns of B. Slices without missing rays have a pattern, too. Cost: a pass over
  /// B, two fences.
  ///
  /// \param may_miss false: no entry of B is NaN, and there is one pattern
  /// \param sums scratch memory, 4 values per slice
  template <class Scalar>
  void find(const ExecutionSpace& exec, const MultiVectorView<const Scalar, MemorySpace>& B,
            bool may_miss, const ReductionWorkspace<MemorySpace>& reduction,
            const VectorView<double, MemorySpace>& sums,
            const Communicator<ExecutionSpace>* row_ranks) {
    const std::size_t slices = B.extent(1);
    has_gaps_ = false;
    if (slices == 1) {
      set_of_slice_ = {};
      slices_ = patterns_ = {0};
      has_gaps_ = may_miss;
      return;
    }
    patterns_.assign(slices, 0);
    slices_ = {0};
    if (may_miss) {
      const Ranks* const ranks = row_ranks != nullptr ? &row_ranks->ranks() : nullptr;
      const auto seed =
          static_cast<std::uint64_t>(ranks != nullptr ? ranks->rank() : 0) * (1ULL << 32);
      const VectorView<double, MemorySpace> device(sums.data(), 4 * slices);
      reduce_columns_to_device<4>(exec, "Tomokkos::solver::missing_rays",
                                  static_cast<Offset>(B.extent(0)), static_cast<Offset>(slices),
                                  MissingRaySums<Scalar, MemorySpace>{as_vector(B), seed},
                                  reduction, device);
      auto host = to_host_vector<ExecutionSpace>(exec, device);
      Impl::add_up(row_ranks, host);
      std::vector<std::array<double, 4>> known;
      slices_.clear();
      for (std::size_t j = 0; j < slices; ++j) {
        const std::array<double, 4> own{host[4 * j], host[4 * j + 1], host[4 * j + 2],
                                        host[4 * j + 3]};
        has_gaps_ = has_gaps_ || own != std::array<double, 4>{};
        const auto found = std::find(known.begin(), known.end(), own);
        patterns_[j] = static_cast<Ordinal>(found - known.begin());
        if (found != known.end()) continue;
        known.push_back(own);
        slices_.push_back(static_cast<Ordinal>(j));
      }
    }
    if (set_of_slice_.extent(0) != slices)
      set_of_slice_ = allocate<Vector<Ordinal, MemorySpace>>(
          exec, "Tomokkos::MissingPatterns::set_of_slice", slices);
    Kokkos::deep_copy(exec, set_of_slice_,
                      VectorView<const Ordinal, Kokkos::HostSpace>(patterns_.data(), slices));
    fence(exec, "MissingPatterns: the patterns must have left");
  }

  /// Number of patterns, at least 1.
  Ordinal count() const { return static_cast<Ordinal>(slices_.size()); }
  /// True if some slice lacks a ray. May be true for a single slice that lacks none.
  bool has_gaps() const { return has_gaps_; }
  /// First slice of a pattern.
  Ordinal slice_of(Ordinal pattern) const { return slices_[static_cast<std::size_t>(pattern)]; }
  /// Pattern of a slice.
  Ordinal pattern_of(std::size_t slice) const { return patterns_[slice]; }
  /// Pattern of each slice on the device; empty for a single slice.
  const Vector<Ordinal, MemorySpace>& set_of_slice() const { return set_of_slice_; }

  /// Marks the rows that a pattern measures by 1, or by their factors, the others by 0.
  template <class Scalar>
  void mark(const ExecutionSpace& exec, Ordinal pattern,
            const MultiVectorView<const Scalar, MemorySpace>& B,
            const VectorView<const Scalar, MemorySpace>& factors,
            const VectorView<Scalar, MemorySpace>& marks) const {
    Kokkos::parallel_for(
        "Tomokkos::solver::mark_measured", element_range(exec, B.extent(0)),
        MarkMeasured<Scalar, MemorySpace>{as_vector(B), factors, marks, slice_of(pattern),
                                          static_cast<Offset>(B.extent(1))});
  }

  std::size_t bytes() const { return set_of_slice_.extent(0) * sizeof(Ordinal); }

 private:
  std::vector<Ordinal> slices_ = {0};    // first slice of each pattern
  std::vector<Ordinal> patterns_ = {0};  // pattern of each slice
  Vector<Ordinal, MemorySpace> set_of_slice_;
  bool has_gaps_ = false;
};

}  // namespace Tomokkos::Impl
