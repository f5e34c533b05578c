// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ColumnByColumn.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_KokkosKernels.hpp>
#include <Tomokkos_LibraryOperator.hpp>
#include <Tomokkos_Transpose.hpp>
#include <limits>
#include <memory>
#include <optional>

#if defined(TOMOKKOS_HAVE_KOKKOS_KERNELS)
#include <Tomokkos_KokkosKernelsApi.hpp>
#endif

namespace Tomokkos {

#if defined(TOMOKKOS_HAVE_KOKKOS_KERNELS)

namespace {

/// A CSR matrix and its product by Kokkos Kernels.
template <class ExecutionSpace, class Scalar>
class LibraryProduct {
 public:
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, MemorySpace>;

  LibraryProduct(const ExecutionSpace& exec, const Matrix& A)
      : A_(A),
        offsets_(Impl::offsets_as<std::int32_t>(exec, A.row_offsets)),
        theirs_("Tomokkos::LibraryProduct", A.num_rows, A.num_cols,
                static_cast<std::int32_t>(A.num_nonzeros()), A.values, offsets_, A.columns) {}

  const Matrix& matrix() const { return A_; }
  std::size_t memory_bytes() const {
    return A_.memory_bytes() + offsets_.extent(0) * sizeof(std::int32_t);
  }
  /// Bytes that the product with a vector reads and writes.
  std::size_t bytes() const {
    const auto rows = static_cast<std::size_t>(A_.num_rows);
    const auto columns = static_cast<std::size_t>(A_.num_cols);
    return static_cast<std::size_t>(A_.num_nonzeros()) * (sizeof(Scalar) + sizeof(Ordinal)) +
           rows * sizeof(std::int32_t) + (rows + columns) * sizeof(Scalar);
  }

  void operator()(const ExecutionSpace& exec, Scalar alpha,
                  const VectorView<const Scalar, MemorySpace>& x, Scalar beta,
                  const VectorView<Scalar, MemorySpace>& y) const {
    product_->run(exec, "N", theirs_, typename Types::X(x.data(), x.extent(0)),
                  typename Types::Y(y.data(), y.extent(0)), beta, alpha);
  }

 private:
  Matrix A_;
  Kokkos::View<const std::int32_t*, MemorySpace> offsets_;
  typename Types::Matrix theirs_;
  using Product = KokkosKernelsApi::Spmv<ExecutionSpace, typename Types::Matrix, typename Types::X,
                                         typename Types::Y>;
  std::shared_ptr<Product> product_ = std::make_shared<Product>(false);
};

/// Operator of `make_library_operator`.
template <class ExecutionSpace, class Scalar>
class LibraryOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using Input = MultiVectorView<const Scalar, memory_space>;
  using Output = MultiVectorView<Scalar, memory_space>;
  using Product = LibraryProduct<ExecutionSpace, Scalar>;
  using Matrix = typename Product::Matrix;

  LibraryOperator(const ExecutionSpace& exec, const Matrix& A,
                  const std::optional<Matrix>& transposed)
      : forward_(exec, A) {
    if (transposed) back_.emplace(exec, *transposed);
  }

  Ordinal num_rows() const { return forward_.matrix().num_rows; }
  Ordinal num_cols() const { return forward_.matrix().num_cols; }
  bool has_transpose() const { return back_.has_value(); }
  std::size_t memory_bytes() const {
    return forward_.memory_bytes() + (back_ ? back_->memory_bytes() : 0) +
           work_->extent(0) * sizeof(Scalar);
  }
  std::size_t apply_bytes() const { return forward_.bytes(); }
  std::size_t apply_transpose_bytes() const { return back_ ? back_->bytes() : 0; }

  void reserve(const ExecutionSpace& exec, int vectors) const {
    const std::size_t length =
        static_cast<std::size_t>(num_rows()) + static_cast<std::size_t>(num_cols());
    if (vectors > 1 && work_->extent(0) == 0)
      *work_ =
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::LibraryOperator::work", length);
  }
  void apply(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta,
             const Output& Y) const {
    multiply(exec, forward_, alpha, X, beta, Y);
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta,
                       const Output& Y) const {
    require(back_.has_value(), "this operator was built without a transpose");
    multiply(exec, *back_, alpha, X, beta, Y);
  }
  void diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const {
    csr_diagonal<ExecutionSpace, Scalar>(exec, forward_.matrix(), d);
  }

 private:
  void multiply(const ExecutionSpace& exec, const Product& product, Scalar alpha, const Input& X,
                Scalar beta, const Output& Y) const {
    const Matrix& A = product.matrix();
    require_equal("rows of X", static_cast<long long>(X.extent(0)), "columns of A", A.num_cols);
    require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "rows of A", A.num_rows);
    require_equal("columns of X", static_cast<long long>(X.extent(1)), "columns of Y",
                  static_cast<long long>(Y.extent(1)));
    if (X.extent(1) == 1) return product(exec, alpha, as_vector(X), beta, as_vector(Y));
    reserve(exec, static_cast<int>(X.extent(1)));
    Impl::column_by_column<ExecutionSpace, Scalar>(
        exec, *work_, X, beta, Y,
        [&](const auto& x, const auto& y) { product(exec, alpha, x, beta, y); });
  }

  Product forward_;
  std::optional<Product> back_;
  /// Room for a column of X and of Y. Copies of the operator share it.
  std::shared_ptr<Vector<Scalar, memory_space>> work_ =
      std::make_shared<Vector<Scalar, memory_space>>();
};

}  // namespace

std::string library_name() { return "Kokkos Kernels " + KokkosKernelsApi::version(); }

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_library_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    bool with_transpose, TransposeVariant transposition) {
  if (A.num_nonzeros() > std::numeric_limits<std::int32_t>::max())
    throw Refused("variant: library has 32-bit offsets, too few for " +
                  std::to_string(A.num_nonzeros()) + " nonzeros");
  std::optional<CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> transposed;
  if (with_transpose)
    transposed = transpose<ExecutionSpace, Scalar>(exec, A, {.variant = transposition});
  LibraryOperator<ExecutionSpace, Scalar> made(exec, A, transposed);
  BuiltOperator<ExecutionSpace, Scalar> result{AnyOperator<ExecutionSpace, Scalar>(made)};
  if (with_transpose) result.transpose = TransposeMethod::stored;
  result.description = Description::map()
                           .set("format", MatrixFormat::csr)
                           .set("variant", "library")
                           .set("library", library_name());
  result.description.set("transpose", with_transpose ? "stored" : "none");
  return result;
}

#else

std::string library_name() { return {}; }

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_library_operator(
    const ExecutionSpace&, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>&, bool,
    TransposeVariant) {
  throw Refused("variant: library: this program was built without Kokkos Kernels");
}

#endif

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                   \
  template BuiltOperator<SPACE, SCALAR> make_library_operator<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, bool, TransposeVariant);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
