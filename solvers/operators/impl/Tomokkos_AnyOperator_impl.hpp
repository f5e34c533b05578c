// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_ScaledOperator.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
template <class Operator>
struct AnyOperator<ExecutionSpace, Scalar>::Model final : Interface {
  Operator A;

  template <class Source>
  explicit Model(Source&& source) : A(std::forward<Source>(source)) {}

  Ordinal num_rows() const override { return A.num_rows(); }
  Ordinal num_cols() const override { return A.num_cols(); }
  bool has_transpose() const override { return operator_has_transpose<ExecutionSpace, Scalar>(A); }
  bool takes_ranges() const override { return operator_takes_ranges<ExecutionSpace, Scalar>(A); }
  std::size_t memory_bytes() const override {
    if constexpr (requires { A.memory_bytes(); }) return A.memory_bytes();
    return 0;
  }
  std::size_t pattern_bytes() const override {
    if constexpr (requires { A.pattern_bytes(); }) return A.pattern_bytes();
    return 0;
  }
  std::size_t apply_bytes(int vectors) const override {
    return operator_apply_bytes<Scalar>(A, vectors);
  }
  std::size_t apply_transpose_bytes(int vectors) const override {
    return operator_apply_transpose_bytes<Scalar>(A, vectors);
  }
  void reserve(const ExecutionSpace& exec, int vectors) const override {
    operator_reserve(exec, A, vectors);
  }
  void reserve_transpose(const ExecutionSpace& exec) const override {
    operator_reserve_transpose(exec, A);
  }
  void apply(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X, Scalar beta,
             const MultiVectorType& Y, RowRange rows) const override {
    operator_apply<ExecutionSpace, Scalar>(exec, A, alpha, X, beta, Y, rows);
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X,
                       Scalar beta, const MultiVectorType& Y, RowRange rows) const override {
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, alpha, X, beta, Y, rows);
  }
  const Communicator<ExecutionSpace>* row_ranks() const override {
    return operator_row_ranks<ExecutionSpace>(A);
  }
  const Communicator<ExecutionSpace>* column_ranks() const override {
    return operator_column_ranks<ExecutionSpace>(A);
  }
  Ordinal slab_unit() const override { return operator_slab_unit(A); }
  void prepare_slabs(const ExecutionSpace& exec, const ConstMultiVectorType& X) const override {
    operator_prepare_slabs<ExecutionSpace, Scalar>(exec, A, X);
  }
  bool slabs_run_together(int vectors) const override {
    return operator_slabs_run_together(A, vectors);
  }
  void apply_transpose_columns(const ExecutionSpace& exec, Scalar alpha,
                               const ConstMultiVectorType& X, Scalar beta, const MultiVectorType& Y,
                               RowRange columns) const override {
    operator_apply_transpose_columns<ExecutionSpace, Scalar>(exec, A, alpha, X, beta, Y, columns);
  }
  void diagonal(const ExecutionSpace& exec, const VectorType& d) const override {
    operator_diagonal<ExecutionSpace, Scalar>(exec, A, d);
  }
  bool tells_diagonal() const override {
    return operator_tells_diagonal<ExecutionSpace, Scalar>(A);
  }
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorType& blocks) const override {
    operator_diagonal_blocks<ExecutionSpace, Scalar>(exec, A, size, blocks);
  }
  bool scales_values() const override { return operator_scales_values<ExecutionSpace, Scalar>(A); }
  bool only_launches() const override { return operator_only_launches(A); }
  const CsrMatrix<Scalar, memory_space>* csr() const override {
    return operator_csr<ExecutionSpace, Scalar>(A);
  }
  const CsrMatrix<Scalar, memory_space>* csr_transpose() const override {
    return operator_csr_transpose<ExecutionSpace, Scalar>(A);
  }
  bool transposes_by_atomics() const override { return operator_transposes_by_atomics(A); }
  Offset dot_sums() const override { return operator_dot_sums(A); }
  void apply_dot(const ExecutionSpace& exec, const ConstVectorType& x, const VectorType& y,
                 const VectorView<double, memory_space>& sums) const override {
    operator_apply_dot<ExecutionSpace, Scalar>(exec, A, x, y, sums);
  }
  Vector<double, memory_space> row_squared_norms(const ExecutionSpace& exec) const override {
    return operator_row_squared_norms<ExecutionSpace, Scalar>(exec, A);
  }
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     Ordinal block_rows) const override {
    return operator_largest_block_counts<ExecutionSpace, Scalar>(exec, A, block_rows);
  }
  void kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                      const ConstVectorType& b, const VectorType& x) const override {
    operator_kaczmarz_sweep<ExecutionSpace, Scalar>(exec, A, sweep, b, x);
  }
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec,
      const VectorView<const Ordinal, memory_space>& order) const override {
    return operator_kaczmarz_schedule<ExecutionSpace, Scalar>(exec, A, order);
  }
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<Scalar, memory_space>& sweep,
                             const ConstVectorType& b, const VectorType& x) const override {
    operator_kaczmarz_sweep_levels<ExecutionSpace, Scalar>(exec, A, schedule, sweep, b, x);
  }
  AnyOperator scaled(const ExecutionSpace& exec, const ConstVectorType& scale,
                     const AnyOperator& self) const override {
    require_equal("number of rows", num_rows(), "the number of columns", num_cols());
    require_equal("length of the scaling", static_cast<long long>(scale.extent(0)), "rows of A",
                  num_rows());
    if constexpr (requires { A.scaled(exec, scale); }) {
      return AnyOperator(A.scaled(exec, scale));
    } else {
      return AnyOperator(ScaledOperator<ExecutionSpace, Scalar, AnyOperator>(exec, self, scale));
    }
  }
  static constexpr bool has_float =
      std::is_same_v<Scalar, double> &&
      requires(const Operator& A, const ExecutionSpace& exec, const ConstVectorType& scale) {
    A.scaled_in_float(exec, scale);
  };
  bool scales_in_float() const override { return has_float; }
  AnyOperator scaled_in_float(const ExecutionSpace& exec,
                              const ConstVectorType& scale) const override {
    require_equal("length of the scaling", static_cast<long long>(scale.extent(0)), "rows of A",
                  num_rows());
    if constexpr (has_float) {
      return AnyOperator(A.scaled_in_float(exec, scale));
    } else {
      (void)exec;
      throw Refused("this operator cannot hold its values in float for vectors in double");
    }
  }
};

// Compiled once, in Tomokkos_AnyOperator.cpp. Nearly every source that includes this header uses
// these models and would compile them again.
#define TOMOKKOS_EXTERN(ExecutionSpace, Scalar)                                     \
  extern template struct AnyOperator<ExecutionSpace, Scalar>::Model<                \
      ScaledOperator<ExecutionSpace, Scalar, AnyOperator<ExecutionSpace, Scalar>>>; \
  extern template struct AnyOperator<ExecutionSpace, Scalar>::Model<                \
      MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, ExecutionSpace::memory_space>>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_EXTERN)
#undef TOMOKKOS_EXTERN

}  // namespace Tomokkos
