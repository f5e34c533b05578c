// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCase.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <limits>

namespace Tomokkos::Bench {
namespace {

/// Values in [-1, 1) that depend on the seed and the position alone: the mixing function of
/// SplitMix64 on a counter.
template <class Scalar, class MemorySpace>
struct FillRandom {
  std::uint64_t seed;
  Vector<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(i) + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    // 24 bits: exact in both scalars, so that both multiply the same numbers.
    x(i) = static_cast<Scalar>(z >> 40) / Scalar(1 << 23) - Scalar(1);
  }
};

template <class MemorySpace>
struct Narrow {
  Kokkos::View<const Offset*, MemorySpace> from;
  Kokkos::View<std::int32_t*, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    to(i) = static_cast<std::int32_t>(from(i));
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
BenchCase<ExecutionSpace, Scalar>::BenchCase(const ExecutionSpace& exec, matrix_type A,
                                             std::uint64_t seed)
    : exec_(exec), A_(std::move(A)), seed_(seed) {}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::transposed() -> const matrix_type& {
  if (!transposed_) {
    transposed_seconds_ = seconds_of([&] {
      transposed_ = transpose(exec_, A_);
      exec_.fence();
    });
  }
  return *transposed_;
}

template <class ExecutionSpace, class Scalar>
double BenchCase<ExecutionSpace, Scalar>::transposed_seconds() {
  transposed();
  return transposed_seconds_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::narrow(const matrix_type& A) const -> offsets32_type {
  if (A.num_nonzeros() > std::numeric_limits<std::int32_t>::max())
    throw Error(std::to_string(A.num_nonzeros()) +
                " nonzeros exceed the 32-bit offsets of this library");
  const auto narrowed = allocate<Kokkos::View<std::int32_t*, memory_space>>(
      exec_, "Tomokkos::Bench::offsets32", A.row_offsets.extent(0));
  Kokkos::parallel_for(
      "Tomokkos::bench::narrow_offsets",
      Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, static_cast<Ordinal>(narrowed.extent(0))),
      Narrow<memory_space>{A.row_offsets, narrowed});
  exec_.fence();
  return narrowed;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::offsets32() -> offsets32_type {
  if (offsets32_.extent(0) == 0) offsets32_ = narrow(A_);
  return offsets32_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::transposed_offsets32() -> offsets32_type {
  if (transposed_offsets32_.extent(0) == 0) transposed_offsets32_ = narrow(transposed());
  return transposed_offsets32_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::x(bool of_transpose) -> Vector<Scalar, memory_space> {
  auto& x = x_[of_transpose];
  if (x.data() == nullptr) {
    x = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::x",
                                               of_transpose ? A_.num_rows : A_.num_cols);
    Kokkos::parallel_for(
        "Tomokkos::bench::fill_random",
        Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, static_cast<Ordinal>(x.extent(0))),
        FillRandom<Scalar, memory_space>{seed_ + of_transpose, x});
    exec_.fence();
  }
  return x;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::y(bool of_transpose) -> Vector<Scalar, memory_space> {
  auto& y = y_[of_transpose];
  if (y.data() == nullptr) {
    y = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::y",
                                               of_transpose ? A_.num_cols : A_.num_rows);
    Kokkos::deep_copy(exec_, y, Scalar(0));
    exec_.fence();
  }
  return y;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::reference(bool of_transpose)
    -> const ProductReference<memory_space>& {
  auto& reference = reference_[of_transpose];
  if (!reference) {
    const auto wide = widen<ExecutionSpace, Scalar>(exec_, x(of_transpose));
    reference = of_transpose ? reference_transposed_product<ExecutionSpace, Scalar>(exec_, A_, wide)
                             : reference_product<ExecutionSpace, Scalar>(exec_, A_, wide);
  }
  return *reference;
}

template <class ExecutionSpace, class Scalar>
Candidate BenchCase<ExecutionSpace, Scalar>::candidate(const Product<Scalar>& product,
                                                       bool of_transpose) {
  Candidate candidate;
  candidate.setup_seconds = product.setup_seconds;
  candidate.fill = product.fill;
  candidate.memory_bytes = product.memory_bytes;
  candidate.bytes_model = product.matrix_bytes + vector_bytes(A_);
  candidate.footprint_bytes = candidate.bytes_model;
  candidate.launch = [run = product.run, x = x(of_transpose), y = y(of_transpose)] {
    run(x.data(), y.data());
  };
  candidate.fence = [exec = exec_] { exec.fence(); };
  candidate.poison = [exec = exec_, y = y(of_transpose)] {
    // Large, but finite: some libraries form 0 y instead of overwriting, which is right enough
    // here.
    Kokkos::deep_copy(exec, y, Scalar(1e30));
    exec.fence();
  };
  candidate.error = [exec = exec_, y = y(of_transpose), reference = reference(of_transpose)] {
    return largest_error<ExecutionSpace, Scalar>(exec, reference, y);
  };
  return candidate;
}

template <class ExecutionSpace, class Scalar>
Candidate BenchCase<ExecutionSpace, Scalar>::transposition(std::function<void()> poison,
                                                           std::function<matrix_type()> result,
                                                           std::size_t offset_bytes) {
  Candidate candidate;
  const std::size_t output_bytes = csr_bytes(A_, offset_bytes) +
                                   offset_bytes * static_cast<std::size_t>(A_.num_cols) -
                                   offset_bytes * static_cast<std::size_t>(A_.num_rows);
  candidate.memory_bytes = output_bytes;
  candidate.bytes_model = csr_bytes(A_, offset_bytes) + output_bytes;
  candidate.footprint_bytes = candidate.bytes_model;
  candidate.fence = [exec = exec_] { exec.fence(); };
  candidate.poison = std::move(poison);
  candidate.error = [exec = exec_, A = A_, result = std::move(result)] {
    return transposition_error<ExecutionSpace, Scalar>(exec, A, result());
  };
  return candidate;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class BenchCase<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
