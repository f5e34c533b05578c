// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for formats in which one copy serves both products, or which have several methods for
// the transposed one: ray tiles, packed rows, pairs of rows, and A^T x from CSR.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <memory>

#include "Tomokkos_BenchOurProducts.hpp"
#include "Tomokkos_BenchRoundedValues.hpp"

namespace Tomokkos::Bench {
namespace {

/// Matrix in its format, with the time of the conversion.
template <class Matrix>
struct ConvertedMatrix {
  Matrix A;
  double seconds = 0;  // of the conversion
};

template <class Matrix, class ExecutionSpace, class Scalar>
std::shared_ptr<const ConvertedMatrix<Matrix>> convert(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const typename FormatTraits<Matrix>::Options& options) {
  const auto made = std::make_shared<ConvertedMatrix<Matrix>>();
  made->seconds = seconds_of([&] {
    made->A = FormatTraits<Matrix>::from_csr(exec, A, options);
    exec.fence();
  });
  return made;
}

/// Returns the copy of A called \p name. It is shared by all products of this case that exist at
/// the same time.
template <class Matrix, class ExecutionSpace, class Scalar>
std::shared_ptr<const ConvertedMatrix<Matrix>> shared_copy(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const std::string& name,
    const typename FormatTraits<Matrix>::Options& options) {
  return while_used<ConvertedMatrix<Matrix>>(matrix_case.shared(name), [&] {
    return convert<Matrix>(matrix_case.exec(), matrix_case.matrix(), options);
  });
}

/// Precision in which a format stores its values.
template <class Matrix>
constexpr StoredPrecision values_of() {
  if constexpr (requires { Matrix::stored_precision; }) return Matrix::stored_precision;
  return StoredPrecision::plain;
}

template <class Matrix>
std::pair<float, float> rounding_of(const Matrix& A) {
  if constexpr (requires { A.least; }) return {A.least, A.step};
  static_cast<void>(A);
  return {0.0F, 0.0F};
}

/// Name of a format with the precision of its values, for example `packed_csr_half`.
template <class Matrix>
std::string format_name() {
  std::string name(to_string(FormatTraits<Matrix>::format));
  if (values_of<Matrix>() != StoredPrecision::plain)
    name.append("_").append(to_string(values_of<Matrix>()));
  return name;
}

/// Bound by which the fixed-point sums of a transposed product are judged; 0 if its sums are in
/// floating point. Also 0 for pairs in float: the bound of the case is wide enough for their 64-bit
/// sums.
template <class Operator>
double column_bound(const Operator& op) {
  if constexpr (Operator::is_csr) return op.windows().column_bound();
  if constexpr (requires { op.plan().column_bound(); })
    return op.plan().column_bound();
  else if constexpr (requires { op.transposed_products().plan().column_bound(); })
    return op.transposes_by_atomics() || std::is_same_v<typename Operator::scalar_type, float>
               ? 0.0
               : op.transposed_products().plan().column_bound();
  static_cast<void>(op);
  return 0;
}

/// Makes a product with \p made, a copy of \p csr. The transposed product uses \p method; empty:
/// chosen by the operator.
template <class Matrix, class ExecutionSpace, class Scalar>
Product<Scalar> product_of_copy(const ExecutionSpace& exec,
                                const std::shared_ptr<const ConvertedMatrix<Matrix>>& made,
                                const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& csr,
                                bool of_transpose, std::optional<TransposeMethod> method = {},
                                bool deterministic = false) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Operator = MatrixOperator<ExecutionSpace, Matrix>;
  constexpr StoredPrecision values = values_of<Matrix>();
  require(!(method == TransposeMethod::atomic && deterministic),
          "run.deterministic excludes atomic, which adds in no fixed order");
  OperatorOptions options;
  if (of_transpose) options.spmv.variant = SpmvVariant::scalar;  // needs no plan
  options.transpose = method;
  options.spmv.deterministic = deterministic;
  std::shared_ptr<const Operator> op;
  Product<Scalar> product;
  product.setup_seconds = made->seconds + seconds_of([&] {
                            op = std::make_shared<const Operator>(exec, made->A, options);
                            exec.fence();
                          });
  const std::size_t vectors = sizeof(Scalar) * (static_cast<std::size_t>(csr.num_rows) +
                                                static_cast<std::size_t>(csr.num_cols));
  product.matrix_bytes = (of_transpose ? op->apply_transpose_bytes() : op->apply_bytes()) - vectors;
  product.memory_bytes = op->memory_bytes();
  if constexpr (!Impl::is_csr<Matrix>) product.fill = fill_of(made->A);
  product.copy = made.get();
  product.run = [exec, made, op, of_transpose](const Scalar* x, Scalar* y) {
    using In = MultiVectorView<const Scalar, MemorySpace>;
    using Out = MultiVectorView<Scalar, MemorySpace>;
    const Matrix& A = made->A;
    if (of_transpose)
      op->apply_transpose(exec, Scalar(1), In(x, A.num_rows, 1), Scalar(0), Out(y, A.num_cols, 1));
    else
      op->apply(exec, Scalar(1), In(x, A.num_cols, 1), Scalar(0), Out(y, A.num_rows, 1));
  };
  // The reference of the case accounts neither for rounded values nor for fixed-point sums.
  const double bound = of_transpose ? column_bound(*op) : 0.0;
  if (values != StoredPrecision::plain || bound > 0)
    product.error = [exec, csr, rounding = rounding_of(made->A), of_transpose, bound](
                        const Scalar* x, const Scalar* y) {
      return error_of_rounded<values, ExecutionSpace, Scalar>(
          exec, csr, rounding.first, rounding.second, of_transpose, x, y, bound);
    };
  return product;
}

/// Makes A x, or A^T x from packed rows of A^T. The layout becomes the variant.
template <class Matrix, class ExecutionSpace, class Scalar>
Product<Scalar> packed_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                               const PackedRowsOptions& options, bool of_transpose,
                               std::optional<TransposeMethod> method, bool deterministic) {
  const ExecutionSpace exec = matrix_case.exec();
  const bool by_copy = of_transpose && method == TransposeMethod::stored;
  const auto csr = matrix_case.matrix(by_copy);
  PackedRowsOptions plain;
  plain.values = options.values;
  const auto made = by_copy ? convert<Matrix>(exec, csr, plain)
                            : shared_copy<Matrix>(matrix_case, format_name<Matrix>(), options);
  Product<Scalar> product =
      by_copy ? product_of_copy<Matrix>(exec, made, csr, false)
              : product_of_copy<Matrix>(exec, made, csr, of_transpose, method, deterministic);
  if (by_copy) product.setup_seconds += matrix_case.transposed_seconds();
  if (of_transpose) product.variant.append(to_string(*method)).append(":");
  product.variant.append(to_string(made->A.layout()));
  if (!by_copy && made->A.rows.extent(0) > 0) product.variant.append(":tiled_rays");
  return product;
}

/// Orders of the entries of a row within a sub-matrix of pairs.
constexpr std::array<std::pair<bool, const char*>, 2> pair_orders{
    {{true, "spread"}, {false, "ascending"}}};

}  // namespace

template <class ExecutionSpace, class Scalar>
Product<Scalar> transposed_csr_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                       TransposeMethod method, bool deterministic) {
  using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
  const auto plain = std::make_shared<ConvertedMatrix<Csr>>();
  plain->A = matrix_case.matrix();
  return product_of_copy<Csr>(matrix_case.exec(),
                              std::shared_ptr<const ConvertedMatrix<Csr>>(plain), plain->A, true,
                              method, deterministic);
}

template <class ExecutionSpace, class Scalar>
void add_ray_tiles_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  using Types =
      typename RayTilesFormat::template Matrices<Scalar, typename ExecutionSpace::memory_space>;
  Types::for_each([&]<class Matrix>() {
    list.attempt(format_name<Matrix>(), "one_copy", [&] {
      return product_of_copy<Matrix>(matrix_case.exec(),
                                     shared_copy<Matrix>(matrix_case, format_name<Matrix>(), {}),
                                     matrix_case.matrix(), of_transpose);
    });
  });
}

template <class ExecutionSpace, class Scalar>
void add_packed_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const BenchOptions& options, bool of_transpose) {
  using Types =
      typename PackedCsrFormat::template Matrices<Scalar, typename ExecutionSpace::memory_space>;
  Types::for_each([&]<class Matrix>() {
    PackedRowsOptions shape;
    shape.values = values_of<Matrix>();
    shape.views = matrix_case.rays().views;
    shape.detectors = matrix_case.rays().detectors;
    const auto attempt = [&](const std::string& name, std::optional<TransposeMethod> method) {
      list.attempt(format_name<Matrix>(), name, [&] {
        return packed_product<Matrix>(matrix_case, shape, of_transpose, method,
                                      options.deterministic);
      });
    };
    if (!of_transpose) return attempt("", std::nullopt);
    for (const TransposeMethod method : PackedCsrFormat::transposes) {
      const bool is_there =
          method != TransposeMethod::private_images || Impl::is_host_space<ExecutionSpace>;
      const bool by_copy = method == TransposeMethod::stored;
      if (is_there && wants(options, method))
        attempt(by_copy ? "" : std::string(to_string(method)), method);
    }
  });
}

template <class ExecutionSpace, class Scalar>
void add_pair_blocked_products(ProductList<Scalar>& list,
                               BenchCase<ExecutionSpace, Scalar>& matrix_case,
                               const BenchOptions& options, bool of_transpose) {
  using Matrix = PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>;
  const std::string format = format_name<Matrix>();
  for (const auto& [is_spread, order] : pair_orders) {
    PairBlockedOptions shape;
    shape.spread_columns = is_spread;
    const std::string name = order;
    const auto attempt = [&](const std::string& variant, std::optional<TransposeMethod> method) {
      list.attempt(format, variant, [&] {
        return product_of_copy<Matrix>(
            matrix_case.exec(), shared_copy<Matrix>(matrix_case, format + name, shape),
            matrix_case.matrix(), of_transpose, method, options.deterministic);
      });
    };
    if (!of_transpose) attempt(name, std::nullopt);
    for (const auto method : {TransposeMethod::atomic, TransposeMethod::fixed_point})
      if (of_transpose && wants(options, method))
        attempt(std::string(to_string(method)).append(":").append(name), method);
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                 \
  template Product<SCALAR> transposed_csr_product<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&, \
                                                                 TransposeMethod, bool);    \
  template void add_ray_tiles_products<SPACE, SCALAR>(ProductList<SCALAR>&,                 \
                                                      BenchCase<SPACE, SCALAR>&, bool);     \
  template void add_packed_products<SPACE, SCALAR>(                                         \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);          \
  template void add_pair_blocked_products<SPACE, SCALAR>(                                   \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
