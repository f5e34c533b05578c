// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCase.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <limits>

#include "Tomokkos_BenchSpread.hpp"

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

/// 1, 1/2, ..., 1/128, 1, ...: tells neighbouring columns apart and rounds nothing.
template <class Scalar>
KOKKOS_FUNCTION Scalar column_scale(std::size_t column) {
  return Scalar(1) / Scalar(1 << (column % 8));
}

template <class Scalar, class MemorySpace>
struct SpreadColumns {
  Vector<Scalar, MemorySpace> x;
  MultiVectorView<Scalar, MemorySpace> X;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    for (std::size_t j = 0; j < X.extent(1); ++j) X(i, j) = x(i) * column_scale<Scalar>(j);
  }
};

template <class Scalar, class MemorySpace>
struct TakeColumn {
  MultiVectorView<Scalar, MemorySpace> Y;
  Vector<Scalar, MemorySpace> y;
  std::size_t column;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    y(i) = Y(i, column) / column_scale<Scalar>(column);
  }
};

/// Largest error of any column of Y; \p y is used up.
template <class ExecutionSpace, class Scalar>
double largest_column_error(
    const ExecutionSpace& exec,
    const ProductReference<typename ExecutionSpace::memory_space>& reference,
    const Vector<Scalar, typename ExecutionSpace::memory_space>& Y, int vectors,
    const Vector<Scalar, typename ExecutionSpace::memory_space>& y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const MultiVectorView<Scalar, MemorySpace> columns(Y.data(), y.extent(0), vectors);
  double worst = 0;
  for (std::size_t column = 0; column < columns.extent(1); ++column) {
    Kokkos::parallel_for(
        "Tomokkos::bench::take_column",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(y.extent(0))),
        TakeColumn<Scalar, MemorySpace>{columns, y, column});
    worst = std::max(worst, largest_error<ExecutionSpace, Scalar>(exec, reference, y));
  }
  return worst;
}

}  // namespace

template <class ExecutionSpace>
Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space> narrow_offsets(
    const ExecutionSpace& exec,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& offsets,
    Offset largest) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (largest > std::numeric_limits<std::int32_t>::max())
    throw Error(Impl::text("{} entries exceed the 32-bit offsets of this library", largest));
  const auto narrowed = allocate<Kokkos::View<std::int32_t*, MemorySpace>>(
      exec, "Tomokkos::Bench::offsets32", offsets.extent(0));
  Kokkos::parallel_for(
      "Tomokkos::bench::narrow_offsets",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(narrowed.extent(0))),
      Narrow<MemorySpace>{offsets, narrowed});
  exec.fence();
  return narrowed;
}

template <class ExecutionSpace, class Scalar>
BenchCase<ExecutionSpace, Scalar>::BenchCase(const ExecutionSpace& exec, matrix_type A,
                                             std::uint64_t seed, RayGrid rays)
    : exec_(exec), A_(std::move(A)), seed_(seed), rays_(rays) {}

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
auto BenchCase<ExecutionSpace, Scalar>::offsets32() -> offsets32_type {
  if (offsets32_.extent(0) == 0)
    offsets32_ = narrow_offsets(exec_, A_.row_offsets, A_.num_nonzeros());
  return offsets32_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::transposed_offsets32() -> offsets32_type {
  if (transposed_offsets32_.extent(0) == 0)
    transposed_offsets32_ =
        narrow_offsets(exec_, transposed().row_offsets, transposed().num_nonzeros());
  return transposed_offsets32_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::x(bool of_transpose, int vectors)
    -> Vector<Scalar, memory_space> {
  auto& x = x_[{of_transpose, vectors}];
  if (x.data() != nullptr) return x;
  const Ordinal length = of_transpose ? A_.num_rows : A_.num_cols;
  x = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::x",
                                             static_cast<std::size_t>(length) * vectors);
  const Kokkos::RangePolicy<ExecutionSpace> range(exec_, 0, length);
  if (vectors == 1)
    Kokkos::parallel_for("Tomokkos::bench::fill_random", range,
                         FillRandom<Scalar, memory_space>{seed_ + of_transpose, x});
  else
    Kokkos::parallel_for("Tomokkos::bench::spread_columns", range,
                         SpreadColumns<Scalar, memory_space>{
                             this->x(of_transpose),
                             MultiVectorView<Scalar, memory_space>(x.data(), length, vectors)});
  exec_.fence();
  return x;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::y(bool of_transpose, int vectors)
    -> Vector<Scalar, memory_space> {
  auto& y = y_[{of_transpose, vectors}];
  if (y.data() == nullptr) {
    const Ordinal length = of_transpose ? A_.num_cols : A_.num_rows;
    y = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::y",
                                               static_cast<std::size_t>(length) * vectors);
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
  const int vectors = product.vectors;
  Candidate candidate;
  candidate.setup_seconds = product.setup_seconds;
  candidate.fill = product.fill;
  candidate.choice = product.choice;
  candidate.memory_bytes = product.memory_bytes;
  candidate.bytes_model =
      product.matrix_bytes + static_cast<std::size_t>(vectors) * vector_bytes(A_);
  candidate.footprint_bytes = candidate.bytes_model;
  candidate.operations = 2.0 * static_cast<double>(A_.num_nonzeros()) * vectors;
  const auto x = this->x(of_transpose, vectors);
  const auto y = this->y(of_transpose, vectors);
  candidate.launch = [run = product.run, x, y] { run(x.data(), y.data()); };
  candidate.fence = [exec = exec_] { exec.fence(); };
  candidate.spread = [exec = exec_, launch = candidate.launch, y](int runs) {
    return spread_of<ExecutionSpace, Scalar>(exec, launch, y, runs);
  };
  candidate.poison = [exec = exec_, y] {
    // Large, but finite: some libraries form 0 y instead of overwriting, which is right enough
    // here.
    Kokkos::deep_copy(exec, y, Scalar(1e30));
    exec.fence();
  };
  if (product.error) {
    candidate.error = [error = product.error, x, y] { return error(x.data(), y.data()); };
    return candidate;
  }
  candidate.error = [exec = exec_, vectors, y, column = this->y(of_transpose),
                     reference = reference(of_transpose)] {
    return vectors == 1 ? largest_error<ExecutionSpace, Scalar>(exec, reference, y)
                        : largest_column_error(exec, reference, y, vectors, column);
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
  candidate.error = [exec = exec_, A = A_, result] {
    return transposition_error<ExecutionSpace, Scalar>(exec, A, result());
  };
  candidate.is_sorted = [exec = exec_, result = std::move(result)] {
    return has_sorted_rows<ExecutionSpace, Scalar>(exec, result());
  };
  return candidate;
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                      \
  template Kokkos::View<const std::int32_t*, SPACE::memory_space> narrow_offsets<SPACE>( \
      const SPACE&, const Kokkos::View<const Offset*, SPACE::memory_space>&, Offset);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class BenchCase<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
