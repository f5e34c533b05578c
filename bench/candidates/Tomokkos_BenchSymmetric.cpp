// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that store one ray of each orbit: `scsr`, and with 16-bit values `scsr_half`. The
// variant names the format of the stored rays.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SymmetricTranspose.hpp>

#include "Tomokkos_BenchOurProducts.hpp"
#include "Tomokkos_BenchRoundedValues.hpp"

namespace Tomokkos::Bench {

/// Format of the stored rays, with their transposed method. Not in the unnamed namespace below: a
/// lambda captures it in a function that other files can name.
struct StoredFormat {
  std::string name;
  MatrixFormat format = MatrixFormat::csr;
  TransposeMethod transpose = TransposeMethod::stored;
  int chunk = 0;  ///< chunk of `sell`, see `SellOptions`
  StoredPrecision values = StoredPrecision::plain;
  bool transpose_in_sell = false;  ///< only for rays in CSR
};

namespace {

/// Stored rays, shared by all candidates.
template <class ExecutionSpace, class Scalar>
struct StoredRays {
  SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> A;
  double seconds = 0;
};

/// Operator of the stored rays in one format.
template <class ExecutionSpace, class Scalar>
struct Symmetric {
  std::shared_ptr<const StoredRays<ExecutionSpace, Scalar>> rays;
  SymmetricOperator<ExecutionSpace, Scalar> op;
  std::size_t transposed_bytes = 0;
  double seconds = 0;
  double column_bound = 0;  ///< fixed-point sums: bound of the column sums; otherwise 0
};

template <class ExecutionSpace, class Scalar>
auto stored_rays(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using Built = StoredRays<ExecutionSpace, Scalar>;
  std::shared_ptr<void>& shared = matrix_case.shared("scsr");
  if (!shared) {
    const auto& of = matrix_case.rays().scan;
    require(
        of.has_value(),
        "applies only to the system matrix of a scan with all rays and pixels in natural order");
    const ExecutionSpace exec = matrix_case.exec();
    const auto made = std::make_shared<Built>();
    made->seconds = seconds_of([&] {
      made->A = build_symmetric_projection<ExecutionSpace, Scalar>(exec, of->volume, of->scan,
                                                                   of->projector);
      exec.fence();
    });
    shared = made;
  }
  return std::static_pointer_cast<const Built>(std::static_pointer_cast<Built>(shared));
}

/// Makes the operator of the stored rays. Returns also the bytes of a transposed copy and the bound
/// of its sums.
template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> stored_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& E,
    const StoredFormat& stored, bool deterministic, std::size_t& transposed_bytes,
    double& column_bound) {
  if (stored.format == MatrixFormat::csr) {
    OperatorOptions options;
    // The atomic method keeps no copy; the copy in SELL is made separately.
    options.transpose = stored.transpose_in_sell ? TransposeMethod::atomic : stored.transpose;
    const CsrOperator<ExecutionSpace, Scalar> made(exec, E, options);
    transposed_bytes = made.transposed_matrix().memory_bytes();
    return made;
  }
  if (stored.format == MatrixFormat::pair_blocked) {
    using Pairs = PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>;
    OperatorOptions options;
    options.transpose = stored.transpose;
    const MatrixOperator<ExecutionSpace, Pairs> made(exec, pair_blocked_from_csr(exec, E), options);
    // A slot holds one ray, or the two rays that measure a line from both of its ends. In float the
    // bound of the case is wide enough for 64-bit sums.
    if (stored.transpose != TransposeMethod::atomic && std::is_same_v<Scalar, double>)
      column_bound = 2 * made.transposed_products().plan().column_bound();
    return made;
  }
  MakeOptions options;
  options.format = default_options(stored.format);
  if (auto* const sell = std::get_if<SellOptions>(&*options.format)) sell->chunk = stored.chunk;
  if (auto* const packed = std::get_if<PackedRowsOptions>(&*options.format))
    packed->values = stored.values;
  options.transpose = stored.transpose;
  options.spmv.deterministic = deterministic;
  const auto made = make_operator<ExecutionSpace, Scalar>(exec, E, options).A;
  // Bytes of the copy: those that a product reads, without its vectors.
  transposed_bytes = made.apply_transpose_bytes() -
                     (static_cast<std::size_t>(E.num_rows) + static_cast<std::size_t>(E.num_cols)) *
                         sizeof(Scalar);
  return made;
}

template <class ExecutionSpace, class Scalar>
std::shared_ptr<Symmetric<ExecutionSpace, Scalar>> symmetric(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const StoredFormat& stored,
    bool deterministic) {
  using Built = Symmetric<ExecutionSpace, Scalar>;
  std::string name = "scsr ";
  name.append(stored.name).append(" ").append(to_string(stored.transpose));
  name.append(" ").append(to_string(stored.values));
  std::shared_ptr<void>& shared = matrix_case.shared(name);
  if (!shared) {
    const ExecutionSpace exec = matrix_case.exec();
    const auto rays = stored_rays(matrix_case);
    std::size_t transposed_bytes = 0;
    double column_bound = 0;
    std::shared_ptr<Built> made;
    const double seconds = seconds_of([&] {
      const auto E = stored_operator<ExecutionSpace, Scalar>(
          exec, rays->A.stored, stored, deterministic, transposed_bytes, column_bound);
      std::optional<AnyOperator<ExecutionSpace, Scalar>> transposed;
      if (stored.transpose_in_sell) {
        transposed = make_symmetric_transpose<ExecutionSpace, Scalar>(exec, rays->A.stored);
        transposed_bytes = transposed->memory_bytes();
      }
      made = std::make_shared<Built>(Built{rays, {rays->A.symmetry, E, transposed}});
      made->op.reserve(exec, 1);
      exec.fence();
    });
    made->seconds = rays->seconds + seconds;
    made->transposed_bytes = transposed_bytes;
    made->column_bound = column_bound;
    shared = made;
  }
  return std::static_pointer_cast<Built>(shared);
}

template <class ExecutionSpace, class Scalar>
Product<Scalar> symmetric_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                  const StoredFormat& stored, bool deterministic,
                                  bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = symmetric(matrix_case, stored, deterministic);
  const auto& A = made->rays->A;
  const auto vectors = static_cast<std::size_t>(A.num_rows() + A.num_cols());
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  // Bytes that the product reads and writes in addition to x and y.
  product.matrix_bytes =
      (of_transpose ? made->op.apply_transpose_bytes() : made->op.apply_bytes()) -
      vectors * sizeof(Scalar);
  product.memory_bytes = made->op.memory_bytes();
  if (!of_transpose) product.memory_bytes -= made->transposed_bytes;
  product.fill = static_cast<double>(A.stored.num_nonzeros()) /
                 static_cast<double>(matrix_case.matrix().num_nonzeros());
  // Both products read the same stored rays.
  product.copy = made->rays.get();
  product.run = [exec, made, of_transpose](const Scalar* x, Scalar* y) {
    using In = MultiVectorView<const Scalar, MemorySpace>;
    using Out = MultiVectorView<Scalar, MemorySpace>;
    const auto rows = static_cast<std::size_t>(made->rays->A.num_rows());
    const auto columns = static_cast<std::size_t>(made->rays->A.num_cols());
    if (of_transpose)
      made->op.apply_transpose(exec, Scalar(1), In(x, rows, 1), Scalar(0), Out(y, columns, 1));
    else
      made->op.apply(exec, Scalar(1), In(x, columns, 1), Scalar(0), Out(y, rows, 1));
  };
  const auto check = [&]<StoredPrecision Values>() {
    product.error = [exec, csr = matrix_case.matrix(), of_transpose, bound = made->column_bound](
                        const Scalar* x, const Scalar* y) {
      return error_of_rounded<Values, ExecutionSpace, Scalar>(exec, csr, 0, 0, of_transpose, x, y,
                                                              bound);
    };
  };
  // The reference of the case accounts neither for rounded values nor for fixed-point sums.
  if (stored.values == StoredPrecision::half)
    check.template operator()<StoredPrecision::half>();
  else if (of_transpose && made->column_bound > 0)
    check.template operator()<StoredPrecision::plain>();
  return product;
}

/// Formats of the stored rays, each with its methods for the transposed product.
template <class ExecutionSpace, class Scalar>
std::vector<StoredFormat> stored_formats() {
  std::vector<StoredFormat> all;
  all.push_back({"csr", MatrixFormat::csr});
  all.push_back({"csr", MatrixFormat::csr, TransposeMethod::atomic});
  StoredFormat in_sell{"csr:sell", MatrixFormat::csr};
  in_sell.transpose_in_sell = true;
  all.push_back(in_sell);
  all.push_back({"sell", MatrixFormat::sell});
  // The stored rays are few long rows, and the rows of the transpose are shorter: chunks of 8 need
  // less padding than chunks of 32.
  if (!Impl::is_host_space<ExecutionSpace>)
    all.push_back({"sell:chunk_8", MatrixFormat::sell, TransposeMethod::stored, 8});
  all.push_back({"packed_csr", MatrixFormat::packed_csr});
  if (std::is_same_v<Scalar, float>)
    all.push_back({"packed_csr", MatrixFormat::packed_csr, TransposeMethod::stored, 0,
                   StoredPrecision::half});
  all.push_back({"pair_blocked", MatrixFormat::pair_blocked, TransposeMethod::fixed_point});
  all.push_back({"pair_blocked", MatrixFormat::pair_blocked, TransposeMethod::atomic});
  return all;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_symmetric_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options, bool of_transpose) {
  std::string last;
  for (const StoredFormat& stored : stored_formats<ExecutionSpace, Scalar>()) {
    std::string format = "scsr";
    if (stored.values != StoredPrecision::plain)
      format.append("_").append(to_string(stored.values));
    // A x is the same product for every transposed method.
    const std::string is_forward = format + stored.name;
    if (!of_transpose && (is_forward == last || stored.transpose_in_sell)) continue;
    last = is_forward;
    // Atomic additions have no fixed order.
    const bool is_excluded = stored.transpose == TransposeMethod::atomic && options.deterministic;
    if (of_transpose && (!wants(options, stored.transpose) || is_excluded)) continue;
    std::string variant;
    if (of_transpose) variant.append(to_string(stored.transpose)).append(":");
    list.attempt(format, variant.append(stored.name), [&] {
      return symmetric_product(matrix_case, stored, options.deterministic, of_transpose);
    });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)            \
  template void add_symmetric_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
