// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers that turn an operator into an `AnyOperator`: each capability that its members offer is
// wrapped once.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_StepRegions.hpp>

namespace Tomokkos {
namespace Impl {

/// Argument types with which the wrappers probe the members of an operator.
template <class ExecutionSpace, class Scalar>
struct OperatorArguments {
  using MemorySpace = typename ExecutionSpace::memory_space;
  ExecutionSpace exec;
  VectorView<const Scalar, MemorySpace> in;
  VectorView<Scalar, MemorySpace> out;
  VectorView<double, MemorySpace> sums;
  VectorView<const Ordinal, MemorySpace> order;
  MultiVectorView<const Scalar, MemorySpace> X;
  MultiVectorView<Scalar, MemorySpace> Y;
  KaczmarzSweep<Scalar, MemorySpace> sweep;
};

/// Members that an operator offers, by capability. They are not asked in the wrappers that call
/// them: a compiler may compile the virtual functions of a class as soon as it needs one of its
/// constants (Clang does, GCC does not).
template <class ExecutionSpace, class Scalar, class Operator>
struct MembersOf {
  using Args = OperatorArguments<ExecutionSpace, Scalar>;
  using CsrType = typename StoredCsr<ExecutionSpace, Scalar>::matrix_type;

  static constexpr bool levels = requires(const Operator& A, Args a) {
    A.kaczmarz_schedule(a.exec, a.order);
  };
  static constexpr bool sweep = requires(const Operator& A, Args a) {
    A.kaczmarz_sweep(a.exec, a.sweep, a.in, a.out);
  };
  static constexpr bool norms = requires(const Operator& A, Args a) {
    A.row_squared_norms(a.exec);
  };
  static constexpr bool block_counts = requires(const Operator& A, Args a) {
    A.largest_block_counts(a.exec, RowSubsets(1, 1), nullptr);
  };
  static constexpr bool stored_rows = requires(const Operator& A, Args a) {
    A.stored_rows(a.exec);
  };
  static constexpr bool rows = levels || sweep || norms;
  static constexpr bool diagonal = requires(const Operator& A, Args a) {
    A.diagonal(a.exec, a.out);
  };
  static constexpr bool diagonal_blocks = requires(const Operator& A, Args a) {
    A.diagonal_blocks(a.exec, 2, a.out);
  };
  static constexpr bool scaling = requires(const Operator& A, Args a) { A.scaled(a.exec, a.in); };
  static constexpr bool scaling_in_float =
      std::is_same_v<Scalar, double> && requires(const Operator& A, Args a) {
    A.scaled_in_float(a.exec, a.in);
  };
  static constexpr bool dot = requires(const Operator& A, Args a) {
    A.apply_dot(a.exec, a.in, a.out, a.sums);
  };
  static constexpr bool slabs = requires(const Operator& A, Args a) {
    A.apply_transpose_columns(a.exec, Scalar(1), a.X, Scalar(0), a.Y, RowRange{});
  };
  static constexpr bool csr = requires(const Operator& A) {
    { A.csr() } -> std::convertible_to<const CsrType*>;
  };
  static constexpr bool inverse = requires(const Operator& A, Args a) {
    A.filtered_back_projection(a.exec, RampWindow::ram_lak, a.X, a.Y);
  };
};

/// Placeholder for a capability that an operator does not have.
struct NotOffered {
  template <class Operator>
  explicit NotOffered(const Operator&) {}
};

template <class ExecutionSpace, class Scalar, class Operator>
struct RowsOf final : RowAccess<ExecutionSpace, Scalar> {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Members = MembersOf<ExecutionSpace, Scalar, Operator>;

  const Operator& A;
  explicit RowsOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator& A) {
    if constexpr (requires { A.has_rows(); })
      return A.has_rows();
    else
      return true;
  }
  Vector<double, MemorySpace> squared_norms(const ExecutionSpace& exec) const override {
    if constexpr (Members::norms) return A.row_squared_norms(exec);
    throw Refused("this operator does not provide the norms of its rows; a CSR matrix does");
  }
  Vector<Ordinal, MemorySpace> largest_block_counts(const ExecutionSpace& exec,
                                                    const RowSubsets& blocks,
                                                    const Ranks* ranks) const override {
    if constexpr (Members::block_counts) return A.largest_block_counts(exec, blocks, ranks);
    throw Refused("this operator does not provide the columns of its rows; a CSR matrix does");
  }
  bool has_stored_rows() const override { return Members::stored_rows; }
  StoredRows<Scalar, MemorySpace> stored_rows(const ExecutionSpace& exec) const override {
    if constexpr (Members::stored_rows) return A.stored_rows(exec);
    throw Refused("this operator does not store its rows; a CSR matrix does");
  }
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> schedule(
      const ExecutionSpace& exec,
      const VectorView<const Ordinal, MemorySpace>& order) const override {
    if constexpr (Members::levels)
      return A.kaczmarz_schedule(exec, order);
    else
      return nullptr;
  }
  void sweep(const ExecutionSpace& exec, const KaczmarzSchedule<ExecutionSpace>* schedule,
             const KaczmarzSweep<Scalar, MemorySpace>& sweep,
             const VectorView<const Scalar, MemorySpace>& b,
             const VectorView<Scalar, MemorySpace>& x) const override {
    const ScopedRegion region(StepRegions::rows);
    if constexpr (Members::levels)
      if (schedule != nullptr) return A.kaczmarz_sweep_levels(exec, *schedule, sweep, b, x);
    if constexpr (Members::sweep) return A.kaczmarz_sweep(exec, sweep, b, x);
    throw Refused("this operator has no Kaczmarz sweep of this kind");
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct DiagonalOf final : DiagonalAccess<ExecutionSpace, Scalar> {
  using typename DiagonalAccess<ExecutionSpace, Scalar>::VectorType;

  const Operator& A;
  explicit DiagonalOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator& A) {
    if constexpr (requires { A.has_diagonal(); })
      return A.has_diagonal();
    else
      return true;
  }
  void require_square() const {
    require_equal("number of rows", A.num_rows(), "the number of columns", A.num_cols());
  }
  void diagonal(const ExecutionSpace& exec, const VectorType& d) const override {
    require_square();
    require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                  A.num_rows());
    A.diagonal(exec, d);
  }
  void blocks(const ExecutionSpace& exec, int size, const VectorType& blocks) const override {
    require(size >= 1, "blocks of the diagonal have at least one row");
    require_square();
    const long long n = A.num_rows();
    require_equal("length of the blocks", static_cast<long long>(blocks.extent(0)),
                  "the entries of the blocks of A", (n + size - 1) / size * size * size);
    if constexpr (MembersOf<ExecutionSpace, Scalar, Operator>::diagonal_blocks)
      A.diagonal_blocks(exec, size, blocks);
    else
      throw Refused("this operator does not provide the blocks along its diagonal");
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct ScalingOf final : Scaling<ExecutionSpace, Scalar> {
  using Members = MembersOf<ExecutionSpace, Scalar, Operator>;
  using Any = AnyOperator<ExecutionSpace, Scalar>;
  using typename Scaling<ExecutionSpace, Scalar>::ConstVectorType;

  const Operator& A;
  explicit ScalingOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator& A) {
    if constexpr (requires { A.scales_values(); })
      return A.scales_values();
    else
      return true;
  }
  void check(const ConstVectorType& scale) const {
    require_equal("number of rows", A.num_rows(), "the number of columns", A.num_cols());
    require_equal("length of the scaling", static_cast<long long>(scale.extent(0)), "rows of A",
                  A.num_rows());
  }
  Any scaled(const ExecutionSpace& exec, const ConstVectorType& scale) const override {
    check(scale);
    return A.scaled(exec, scale);
  }
  bool has_float() const override {
    if constexpr (requires { A.scales_in_float(); })
      return A.scales_in_float();
    else
      return Members::scaling_in_float;
  }
  Any scaled_in_float(const ExecutionSpace& exec, const ConstVectorType& scale) const override {
    check(scale);
    if constexpr (Members::scaling_in_float) return A.scaled_in_float(exec, scale);
    throw Refused("this operator cannot hold its values in float for vectors in double");
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct DotOf final : FusedDot<ExecutionSpace, Scalar> {
  using MemorySpace = typename ExecutionSpace::memory_space;

  const Operator& A;
  explicit DotOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator& A) { return A.dot_sums() > 0; }
  Offset num_sums() const override { return A.dot_sums(); }
  void apply(const ExecutionSpace& exec, const VectorView<const Scalar, MemorySpace>& x,
             const VectorView<Scalar, MemorySpace>& y,
             const VectorView<double, MemorySpace>& sums) const override {
    const ScopedRegion region(StepRegions::forward);
    A.apply_dot(exec, x, y, sums);
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct SlabsOf final : ColumnSlabs<ExecutionSpace, Scalar> {
  using typename ColumnSlabs<ExecutionSpace, Scalar>::Input;
  using typename ColumnSlabs<ExecutionSpace, Scalar>::Output;

  const Operator& A;
  explicit SlabsOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator&) { return true; }
  Ordinal unit() const override { return A.slab_multiple(); }
  void prepare(const ExecutionSpace& exec, const Input& X) const override {
    const ScopedRegion region(StepRegions::transposed);
    if constexpr (requires { A.prepare_slabs(exec, X); }) A.prepare_slabs(exec, X);
  }
  bool run_together(int vectors) const override {
    if constexpr (requires { A.slabs_run_together(vectors); })
      return A.slabs_run_together(vectors);
    else
      return false;
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta,
                       const Output& Y, RowRange columns) const override {
    const ScopedRegion region(StepRegions::transposed);
    A.apply_transpose_columns(exec, alpha, X, beta, Y, columns);
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct CsrOf final : StoredCsr<ExecutionSpace, Scalar> {
  using typename StoredCsr<ExecutionSpace, Scalar>::matrix_type;

  const Operator& A;
  explicit CsrOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator&) { return true; }
  const matrix_type* matrix() const override { return A.csr(); }
  const matrix_type* transpose() const override {
    if constexpr (requires { A.csr_transpose(); })
      return A.csr_transpose();
    else
      return nullptr;
  }
};

template <class ExecutionSpace, class Scalar, class Operator>
struct InverseOf final : AnalyticInverse<ExecutionSpace, Scalar> {
  using MemorySpace = typename ExecutionSpace::memory_space;

  const Operator& A;
  explicit InverseOf(const Operator& of) : A(of) {}

  static bool is_offered(const Operator& A) {
    if constexpr (requires { A.has_all_rays(); })
      return A.has_all_rays();
    else
      return true;
  }
  void filtered_back_projection(const ExecutionSpace& exec, RampWindow window,
                                const MultiVectorView<const Scalar, MemorySpace>& B,
                                const MultiVectorView<Scalar, MemorySpace>& X) const override {
    A.filtered_back_projection(exec, window, B, X);
  }
};

/// Scales \p bytes of one vector to a product with several vectors.
template <class Scalar, class Operator>
std::size_t with_more_vectors(const Operator& A, std::size_t bytes, int vectors) {
  if (bytes == 0) return 0;
  return bytes + static_cast<std::size_t>(vectors - 1) * sizeof(Scalar) *
                     (static_cast<std::size_t>(A.num_rows()) + A.num_cols());
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
template <class Operator>
struct AnyOperator<ExecutionSpace, Scalar>::Model final : Interface {
  using Members = Impl::MembersOf<ExecutionSpace, Scalar, Operator>;
  template <bool is_offered, template <class, class, class> class Wrapper>
  using Offered =
      std::conditional_t<is_offered, Wrapper<ExecutionSpace, Scalar, Operator>, Impl::NotOffered>;
  static constexpr bool is_transposable = TransposableOperator<Operator, ExecutionSpace, Scalar>;
  static constexpr bool has_row_ranges = RowSubsettable<Operator, ExecutionSpace, Scalar>;
  static constexpr bool has_transposed_row_ranges =
      TransposedRowSubsettable<Operator, ExecutionSpace, Scalar>;

  Operator A;
  Offered<Members::rows, Impl::RowsOf> rows;
  Offered<Members::diagonal, Impl::DiagonalOf> diagonal;
  Offered<Members::scaling, Impl::ScalingOf> scaling;
  Offered<Members::dot, Impl::DotOf> dot;
  Offered<Members::slabs, Impl::SlabsOf> slabs;
  Offered<Members::csr, Impl::CsrOf> csr;
  Offered<Members::inverse, Impl::InverseOf> inverse;

  template <class Source>
  explicit Model(Source&& source)
      : A(std::forward<Source>(source)),
        rows(A),
        diagonal(A),
        scaling(A),  // refers to this type: nvcc rejects an initializer at the member
        dot(A),
        slabs(A),
        csr(A),
        inverse(A) {
    this->num_rows = A.num_rows();
    this->num_cols = A.num_cols();
    if constexpr (requires {
                    { A.has_transpose() } -> std::convertible_to<bool>;
                  })
      this->has_transpose = A.has_transpose();
    else
      this->has_transpose = is_transposable;
    if constexpr (requires {
                    { A.supports_ranges() } -> std::convertible_to<bool>;
                  })
      this->supports_ranges = A.supports_ranges();
    else
      this->supports_ranges = has_row_ranges && has_transposed_row_ranges;
    offer(this->capabilities);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void offer(Capabilities& to) {
    to.rows = address_of(rows);
    to.diagonal = address_of(diagonal);
    to.scaling = address_of(scaling);
    to.dot = address_of(dot);
    to.slabs = address_of(slabs);
    to.csr = address_of(csr);
    to.analytic_inverse = address_of(inverse);
    if constexpr (requires { A.row_ranks(); }) to.row_ranks = A.row_ranks();
    if constexpr (requires { A.column_ranks(); }) to.column_ranks = A.column_ranks();
    if constexpr (requires { A.only_launches(); }) to.only_launches = A.only_launches();
    if constexpr (requires { A.transposes_by_atomics(); })
      to.transposes_by_atomics = A.transposes_by_atomics();
  }

  template <class Wrapper>
  const Wrapper* address_of(const Wrapper& wrapper) const {
    return Wrapper::is_offered(A) ? &wrapper : nullptr;
  }
  std::nullptr_t address_of(const Impl::NotOffered&) const { return nullptr; }

  Bytes bytes(int vectors) const override {
    Bytes result;
    if constexpr (requires { A.memory_bytes(); }) result.memory = A.memory_bytes();
    if constexpr (requires { A.pattern_bytes(); }) result.pattern = A.pattern_bytes();
    if constexpr (requires { A.apply_bytes(vectors); })
      result.apply = A.apply_bytes(vectors);
    else if constexpr (requires { A.apply_bytes(); })
      result.apply = Impl::with_more_vectors<Scalar>(A, A.apply_bytes(), vectors);
    if constexpr (requires { A.apply_transpose_bytes(vectors); })
      result.apply_transpose = A.apply_transpose_bytes(vectors);
    else if constexpr (requires { A.apply_transpose_bytes(); })
      result.apply_transpose =
          Impl::with_more_vectors<Scalar>(A, A.apply_transpose_bytes(), vectors);
    return result;
  }
  void reserve(const ExecutionSpace& exec, int vectors) const override {
    if constexpr (requires { A.reserve(exec, vectors); }) A.reserve(exec, vectors);
  }
  void reserve_transpose(const ExecutionSpace& exec) const override {
    if constexpr (requires { A.reserve_transpose(exec); }) A.reserve_transpose(exec);
  }
  void apply(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X, Scalar beta,
             const MultiVectorType& Y, RowRange range) const override {
    if constexpr (has_row_ranges) {
      A.apply(exec, alpha, X, beta, Y, range);
    } else {
      require(range.is_all(), "this operator cannot be restricted to a range of rows");
      A.apply(exec, alpha, X, beta, Y);
    }
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X,
                       Scalar beta, const MultiVectorType& Y, RowRange range) const override {
    if constexpr (has_transposed_row_ranges) {
      A.apply_transpose(exec, alpha, X, beta, Y, range);
    } else if constexpr (is_transposable) {
      require(range.is_all(), "this operator cannot be restricted to a range of rows");
      A.apply_transpose(exec, alpha, X, beta, Y);
    } else {
      (void)exec, (void)alpha, (void)X, (void)beta, (void)Y, (void)range;
      throw Refused("this operator has no transposed product");
    }
  }
};

// Compiled once, in Tomokkos_AnyOperator.cpp: nearly every source that includes this header uses
// this model and would compile it again.
#define TOMOKKOS_EXTERN(ExecutionSpace, Scalar)                      \
  extern template struct AnyOperator<ExecutionSpace, Scalar>::Model< \
      MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, ExecutionSpace::memory_space>>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_EXTERN)
#undef TOMOKKOS_EXTERN

}  // namespace Tomokkos
