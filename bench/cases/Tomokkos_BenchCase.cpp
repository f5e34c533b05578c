// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCase.hpp"

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <limits>

#include "Tomokkos_BenchCirculantReference.hpp"
#include "Tomokkos_BenchSpread.hpp"

namespace Tomokkos::Bench {
namespace {

/// Fills x with values in [-1, 1) that depend only on the seed and the position: the mixing
/// function of SplitMix64, applied to a counter.
template <class Scalar, class MemorySpace>
struct FillRandom {
  std::uint64_t seed;
  Vector<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(i) + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    // 24 bits are exact in float and double, so both scalars multiply the same numbers.
    x(i) = static_cast<Scalar>(z >> 40) / Scalar(1 << 23) - Scalar(1);
  }
};

template <class MemorySpace>
struct NarrowOffsets {
  Kokkos::View<const Offset*, MemorySpace> from;
  Kokkos::View<std::int32_t*, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    to(i) = static_cast<std::int32_t>(from(i));
  }
};

/// Scale of a column: 1, 1/2, ..., 1/128, 1, ... It makes neighbouring columns different and adds
/// no rounding.
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
struct PickOneColumn {
  MultiVectorView<Scalar, MemorySpace> Y;
  Vector<Scalar, MemorySpace> y;
  std::size_t column;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    y(i) = Y(i, column) / column_scale<Scalar>(column);
  }
};

/// Returns the largest error of any column of Y. \p y is scratch.
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
        PickOneColumn<Scalar, MemorySpace>{columns, y, column});
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
      NarrowOffsets<MemorySpace>{offsets, narrowed});
  exec.fence();
  return narrowed;
}

template <class ExecutionSpace, class Scalar>
BenchCase<ExecutionSpace, Scalar>::BenchCase(const ExecutionSpace& exec, matrix_type A,
                                             std::uint64_t seed, RayGrid rays)
    : exec_(exec), A_(std::move(A)), seed_(seed), rays_(std::move(rays)) {}

template <class ExecutionSpace, class Scalar>
BenchCase<ExecutionSpace, Scalar>::BenchCase(const ExecutionSpace& exec, circulant_type C,
                                             std::uint64_t seed)
    : exec_(exec), circulant_(std::move(C)), seed_(seed) {
  A_.num_rows = circulant_->num_rows();
  A_.num_cols = circulant_->num_cols();
}

template <class ExecutionSpace, class Scalar>
Offset BenchCase<ExecutionSpace, Scalar>::num_nonzeros() const {
  return circulant_ ? circulant_->num_nonzeros() : A_.num_nonzeros();
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::values() const
    -> Kokkos::View<const Scalar*, memory_space> {
  return circulant_ ? circulant_->values : A_.values;
}

template <class ExecutionSpace, class Scalar>
Offset BenchCase<ExecutionSpace, Scalar>::longest_row() {
  return row_statistics(exec_, circulant_ ? doubled_rows(false) : A_).longest;
}

template <class ExecutionSpace, class Scalar>
std::size_t BenchCase<ExecutionSpace, Scalar>::vector_bytes() const {
  return sizeof(Scalar) *
         (static_cast<std::size_t>(num_rows()) + static_cast<std::size_t>(num_cols()));
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::matrix(bool transposed) -> const matrix_type& {
  if (!transposed) return A_;
  if (!transposed_)
    transposed_seconds_ = seconds_of([&] {
      transposed_ = transpose(exec_, A_);
      exec_.fence();
    });
  return *transposed_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::circulant(bool transposed) -> const circulant_type& {
  if (!transposed) return *circulant_;
  if (!transposed_circulant_)
    transposed_seconds_ = seconds_of([&] {
      transposed_circulant_ =
          transposed_block_circulant<ExecutionSpace, Scalar>(exec_, *circulant_);
      exec_.fence();
    });
  return *transposed_circulant_;
}

template <class ExecutionSpace, class Scalar>
double BenchCase<ExecutionSpace, Scalar>::transposed_seconds() {
  if (circulant_)
    circulant(true);
  else
    matrix(true);
  return transposed_seconds_;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::offsets32(bool transposed) -> offsets32_type {
  if (circulant_) return block_row(transposed).offsets32();
  auto& offsets = offsets32_[transposed];
  if (offsets.extent(0) == 0)
    offsets = narrow_offsets(exec_, matrix(transposed).row_offsets, A_.num_nonzeros());
  return offsets;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::block_row(bool transposed) -> BenchCase& {
  auto& made = block_row_[transposed];
  if (!made)
    made = std::make_unique<BenchCase>(
        exec_, block_row_from_block_circulant<ExecutionSpace, Scalar>(exec_, circulant(transposed)),
        seed_);
  return *made;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::doubled_rows(bool transposed) -> matrix_type {
  const circulant_type& M = circulant(transposed);
  const Offset columns = Offset{M.pitch} * M.block_cols;
  require(columns <= std::numeric_limits<Ordinal>::max(),
          Impl::text("the replicated X has {} rows, more than 31-bit indices can number", columns));
  const Kokkos::View<const Ordinal*, memory_space> positions(
      reinterpret_cast<const Ordinal*>(M.positions.data()), M.positions.extent(0));
  return {M.block_rows, static_cast<Ordinal>(columns), M.row_offsets, positions, M.values};
}

template <class ExecutionSpace, class Scalar>
std::size_t BenchCase<ExecutionSpace, Scalar>::length(bool of_columns, int vectors,
                                                      VectorLayout layout) const {
  if (layout != VectorLayout::as_it_is) return shape(of_columns).size(layout);
  return static_cast<std::size_t>(of_columns ? num_cols() : num_rows()) * vectors;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::x(bool of_transpose, int vectors, VectorLayout layout)
    -> Vector<Scalar, memory_space> {
  auto& x = x_[{of_transpose, vectors, layout}];
  if (x.data() != nullptr) return x;
  x = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::x",
                                             length(!of_transpose, vectors, layout));
  const Ordinal rows = of_transpose ? num_rows() : num_cols();
  const Kokkos::RangePolicy<ExecutionSpace> range(exec_, 0, rows);
  if (layout != VectorLayout::as_it_is)
    lay_out<ExecutionSpace, Scalar>(exec_, x_shape(of_transpose), this->x(of_transpose), layout, x);
  else if (vectors == 1)
    Kokkos::parallel_for("Tomokkos::bench::fill_random", range,
                         FillRandom<Scalar, memory_space>{seed_ + of_transpose, x});
  else
    Kokkos::parallel_for(
        "Tomokkos::bench::spread_columns", range,
        SpreadColumns<Scalar, memory_space>{
            this->x(of_transpose), MultiVectorView<Scalar, memory_space>(x.data(), rows, vectors)});
  exec_.fence();
  return x;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::y(bool of_transpose, int vectors, VectorLayout layout)
    -> Vector<Scalar, memory_space> {
  auto& y = y_[{of_transpose, vectors, layout}];
  if (y.data() == nullptr) {
    y = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::y",
                                               length(of_transpose, vectors, layout));
    Kokkos::deep_copy(exec_, y, Scalar(0));
    exec_.fence();
  }
  return y;
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::multiply(bool of_transpose, const doubles_type& x) const
    -> ProductReference<memory_space> {
  if (circulant_)
    return of_transpose
               ? circulant_transposed_reference<ExecutionSpace, Scalar>(exec_, *circulant_, x)
               : circulant_reference<ExecutionSpace, Scalar>(exec_, *circulant_, x);
  return of_transpose ? reference_transposed_product<ExecutionSpace, Scalar>(exec_, A_, x)
                      : reference_product<ExecutionSpace, Scalar>(exec_, A_, x);
}

template <class ExecutionSpace, class Scalar>
auto BenchCase<ExecutionSpace, Scalar>::reference(bool of_transpose)
    -> const ProductReference<memory_space>& {
  auto& reference = reference_[of_transpose];
  if (!reference)
    reference = multiply(of_transpose, widen<ExecutionSpace, Scalar>(exec_, x(of_transpose)));
  return *reference;
}

template <class ExecutionSpace, class Scalar>
Candidate BenchCase<ExecutionSpace, Scalar>::candidate(const Product<Scalar>& product,
                                                       bool of_transpose) {
  const int vectors = product.vectors;
  Candidate candidate;
  static_cast<NamedFigures&>(candidate) = product;
  candidate.bytes_model = product.matrix_bytes + static_cast<std::size_t>(vectors) * vector_bytes();
  candidate.footprint_bytes = candidate.bytes_model;
  candidate.operations = 2.0 * static_cast<double>(num_nonzeros()) * vectors;
  const auto x = this->x(of_transpose, vectors, product.x_layout);
  const auto y = this->y(of_transpose, vectors, product.y_layout);
  candidate.launch = [run = product.run, x, y] { run(x.data(), y.data()); };
  candidate.fence = [exec = exec_] { exec.fence(); };
  candidate.spread = [exec = exec_, launch = candidate.launch, y](int runs) {
    return spread_of<ExecutionSpace, Scalar>(exec, launch, y, runs);
  };
  candidate.poison = [exec = exec_, y] {
    // The poison is large but finite: some libraries compute 0 y instead of overwriting y, which is
    // acceptable here.
    Kokkos::deep_copy(exec, y, Scalar(1e30));
    exec.fence();
  };
  if (product.error) {
    candidate.error = [error = product.error, x, y] { return error(x.data(), y.data()); };
    return candidate;
  }
  const auto right = reference(of_transpose);
  const auto plain = this->y(of_transpose);
  if (product.y_layout == VectorLayout::blocks)
    candidate.error = [exec = exec_, y, plain, vector = y_shape(of_transpose), right] {
      rotations_from_blocks<ExecutionSpace, Scalar>(exec, vector, y, plain);
      return largest_error<ExecutionSpace, Scalar>(exec, right, plain);
    };
  else
    candidate.error = [exec = exec_, y, plain, vectors, right] {
      return vectors == 1 ? largest_error<ExecutionSpace, Scalar>(exec, right, y)
                          : largest_column_error(exec, right, y, vectors, plain);
    };
  return candidate;
}

template <class ExecutionSpace, class Scalar>
Candidate BenchCase<ExecutionSpace, Scalar>::alternating(const Product<Scalar>& forward,
                                                         const Product<Scalar>& backward,
                                                         int products) {
  const Candidate there = candidate(forward, false), back = candidate(backward, true);
  const int pairs = std::max(1, products / 2);
  // Both products read the same matrix, unless the transposed product has its own copy.
  const std::size_t shared = backward.variant.starts_with("stored:") ? 0 : forward.matrix_bytes;
  Candidate both;
  both.setup_seconds = there.setup_seconds + back.setup_seconds;
  if (forward.choice == backward.choice) both.choice = forward.choice;
  both.memory_bytes = there.memory_bytes + back.memory_bytes - shared;
  both.bytes_model = static_cast<std::size_t>(pairs) * (there.bytes_model + back.bytes_model);
  both.footprint_bytes = there.footprint_bytes + back.footprint_bytes - shared - vector_bytes();
  both.operations = pairs * (there.operations + back.operations);
  both.fence = there.fence;
  both.launch = [there = there.launch, back = back.launch, pairs] {
    for (int pair = 0; pair < pairs; ++pair) {
      there();
      back();
    }
  };
  both.poison = [there = there.poison, back = back.poison] {
    there();
    back();
  };
  both.error = [there = there.error, back = back.error] { return std::max(there(), back()); };
  return both;
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
