// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <cmath>
#include <cstddef>

namespace Tomokkos::Impl {

/// Computes `to = factor from`, entry by entry; both may be the same array.
template <class Scalar, class MemorySpace>
struct MultiplyEntries {
  Scalar factor;
  VectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i) = factor * from(i); }
};

/// Operator `4^k A` for a matrix whose entries are so large or so small that products and their
/// squares would overflow or underflow.
///
/// Half of the factor is applied to the vector before the product and half to the result, so that
/// both stay within the range of the numbers. Every factor is a power of two: the only bits that
/// change are those that would have been lost anyway.
///
/// A product needs two more vectors, allocated by `reserve`. An operator serves one execution-space
/// instance at a time.
template <class ExecutionSpace, class Scalar>
class OperatorInUnits {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Any = AnyOperator<ExecutionSpace, Scalar>;
  using In = MultiVectorView<const Scalar, memory_space>;
  using Out = MultiVectorView<Scalar, memory_space>;
  using VectorOut = VectorView<Scalar, memory_space>;
  using VectorIn = VectorView<const Scalar, memory_space>;

  /// \param exponent exponent of two, even
  OperatorInUnits(Any A, int exponent)
      : A_(std::move(A)), root_(static_cast<Scalar>(std::ldexp(1.0, exponent / 2))) {}

  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  bool has_transpose() const { return A_.has_transpose(); }
  bool supports_ranges() const { return A_.supports_ranges(); }
  bool has_diagonal() const { return A_.capabilities().diagonal != nullptr; }
  bool scales_values() const { return A_.capabilities().scaling != nullptr; }
  bool scales_in_float() const { return Tomokkos::scales_in_float(A_); }
  bool only_launches() const { return A_.capabilities().only_launches; }
  std::size_t memory_bytes() const { return A_.memory_bytes() + work_.extent(0) * sizeof(Scalar); }
  std::size_t pattern_bytes() const { return A_.pattern_bytes(); }
  std::size_t apply_bytes(int vectors) const {
    return A_.apply_bytes(vectors) + 2 * sizeof(Scalar) * vectors * A_.num_cols();
  }
  std::size_t apply_transpose_bytes(int vectors) const {
    return A_.apply_transpose_bytes(vectors) + 2 * sizeof(Scalar) * vectors * A_.num_rows();
  }
  const Communicator<ExecutionSpace>* row_ranks() const { return A_.capabilities().row_ranks; }
  const Communicator<ExecutionSpace>* column_ranks() const {
    return A_.capabilities().column_ranks;
  }

  void reserve(const ExecutionSpace& exec, int vectors) const {
    A_.reserve(exec, vectors);
    have(exec, static_cast<std::size_t>(std::max(num_rows(), num_cols())) *
                   static_cast<std::size_t>(vectors));
  }

  void apply(const ExecutionSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y,
             RowRange rows = all_rows) const {
    A_.apply(exec, root_ * alpha, multiplied(exec, X), beta, Y, rows);
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const In& X, Scalar beta,
                       const Out& Y, RowRange rows = all_rows) const {
    A_.apply_transpose(exec, root_ * alpha, multiplied(exec, X), beta, Y, rows);
  }

  void diagonal(const ExecutionSpace& exec, const VectorOut& d) const {
    A_.capabilities().diagonal->diagonal(exec, d);
    multiply_twice(exec, d);
  }
  void diagonal_blocks(const ExecutionSpace& exec, int size, const VectorOut& blocks) const {
    A_.capabilities().diagonal->blocks(exec, size, blocks);
    multiply_twice(exec, blocks);
  }
  /// Applies the factor to the scale: the scaled operator then needs no wrapper.
  Any scaled(const ExecutionSpace& exec, const VectorIn& scale) const {
    return A_.capabilities().scaling->scaled(exec, with_root(exec, scale));
  }
  Any scaled_in_float(const ExecutionSpace& exec, const VectorIn& scale) const {
    return A_.capabilities().scaling->scaled_in_float(exec, with_root(exec, scale));
  }

  /// Computes `values = 4^k values`.
  void multiply_twice(const ExecutionSpace& exec, const VectorOut& values) const {
    for (int i = 0; i < 2; ++i) multiply(exec, values, values);
  }

 private:
  void multiply(const ExecutionSpace& exec, const VectorIn& from, const VectorOut& to) const {
    Kokkos::parallel_for("Tomokkos::operator_in_units::multiply",
                         element_range(exec, from.extent(0)),
                         MultiplyEntries<Scalar, memory_space>{root_, from, to});
  }
  void have(const ExecutionSpace& exec, std::size_t size) const {
    if (work_.extent(0) < size)
      work_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::OperatorInUnits::work", size);
  }
  In multiplied(const ExecutionSpace& exec, const In& X) const {
    have(exec, X.size());
    const VectorOut work(work_.data(), X.size());
    multiply(exec, as_vector(X), work);
    return In(work_.data(), X.extent(0), X.extent(1));
  }
  Vector<Scalar, memory_space> with_root(const ExecutionSpace& exec, const VectorIn& scale) const {
    const auto result = allocate<Vector<Scalar, memory_space>>(
        exec, "Tomokkos::OperatorInUnits::scale", scale.extent(0));
    multiply(exec, scale, result);
    return result;
  }

  Any A_;
  Scalar root_;
  mutable Vector<Scalar, memory_space> work_;
};

}  // namespace Tomokkos::Impl
