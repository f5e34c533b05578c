// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)

#include <Tomokkos_ForEach.hpp>
#include <functional>

#include "Tomokkos_BenchCusparseMatrix.hpp"

namespace Tomokkos::Bench {
namespace {

using namespace Cusparse;

struct DestroyVector {
  using pointer = cusparseDnVecDescr_t;
  void operator()(pointer vector) const { cusparseDestroyDnVec(vector); }
};
using DenseVector = std::unique_ptr<void, DestroyVector>;

struct DestroyVectors {
  using pointer = cusparseDnMatDescr_t;
  void operator()(pointer vectors) const { cusparseDestroyDnMat(vectors); }
};
using DenseVectors = std::unique_ptr<void, DestroyVectors>;

template <class Scalar>
DenseVector make_vector(Ordinal length, Scalar* values) {
  cusparseDnVecDescr_t vector = nullptr;
  check(cusparseCreateDnVec(&vector, length, values, cuda_type<Scalar>), "cusparseCreateDnVec");
  return DenseVector(vector);
}

/// Makes a descriptor of row-major vectors.
template <class Scalar>
DenseVectors make_vectors(Ordinal length, int vectors, Scalar* values) {
  cusparseDnMatDescr_t matrix = nullptr;
  check(cusparseCreateDnMat(&matrix, length, vectors, vectors, values, cuda_type<Scalar>,
                            CUSPARSE_ORDER_ROW),
        "cusparseCreateDnMat");
  return DenseVectors(matrix);
}

/// Checks a preparation. If it is not supported the product may still work; otherwise its call
/// reports the error.
void check_preparation(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check(status, call);
}

/// Product with one vector by one algorithm: descriptors, buffer, preprocessing.
template <class Scalar>
class Spmv {
 public:
  Spmv(std::shared_ptr<Library> library, Matrix matrix, cusparseOperation_t operation,
       cusparseSpMVAlg_t algorithm, Scalar* x, Scalar* y)
      : library_(std::move(library)),
        matrix_(std::move(matrix)),
        operation_(operation),
        algorithm_(algorithm) {
    const bool transposed = operation == CUSPARSE_OPERATION_TRANSPOSE;
    x_ = make_vector(transposed ? matrix_.num_rows : matrix_.num_cols, x);
    y_ = make_vector(transposed ? matrix_.num_cols : matrix_.num_rows, y);
    std::size_t bytes = 0;
    check(
        cusparseSpMV_bufferSize(library_->handle(), operation_, &one_, matrix_.descriptor.get(),
                                x_.get(), &zero_, y_.get(), cuda_type<Scalar>, algorithm_, &bytes),
        "cusparseSpMV_bufferSize");
    buffer_ = allocate<Buffer>(library_->exec(), "Tomokkos::Bench::cusparse", bytes);
#if CUDART_VERSION >= 12040
    check_preparation(cusparseSpMV_preprocess(library_->handle(), operation_, &one_,
                                              matrix_.descriptor.get(), x_.get(), &zero_, y_.get(),
                                              cuda_type<Scalar>, algorithm_, buffer_.data()),
                      "cusparseSpMV_preprocess");
#endif
    library_->exec().fence();
  }

  /// Computes `y = A x`, or `y += A x` if \p add is set.
  void run(const Scalar* x, Scalar* y, bool add = false) {
    check(cusparseDnVecSetValues(x_.get(), const_cast<Scalar*>(x)), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_.get(), y), "cusparseDnVecSetValues");
    check(
        cusparseSpMV(library_->handle(), operation_, &one_, matrix_.descriptor.get(), x_.get(),
                     add ? &one_ : &zero_, y_.get(), cuda_type<Scalar>, algorithm_, buffer_.data()),
        "cusparseSpMV");
  }

  const Matrix& matrix() const { return matrix_; }
  std::size_t buffer_bytes() const { return buffer_.extent(0); }

 private:
  std::shared_ptr<Library> library_;
  Matrix matrix_;
  cusparseOperation_t operation_;
  cusparseSpMVAlg_t algorithm_;
  Scalar one_ = 1, zero_ = 0;
  DenseVector x_, y_;
  Buffer buffer_;
};

/// Product with several vectors by one algorithm: descriptors, buffer, preprocessing.
template <class Scalar>
class Spmm {
 public:
  Spmm(std::shared_ptr<Library> library, Matrix matrix, cusparseOperation_t operation,
       cusparseSpMMAlg_t algorithm, int vectors, Scalar* x, Scalar* y)
      : library_(std::move(library)),
        matrix_(std::move(matrix)),
        operation_(operation),
        algorithm_(algorithm) {
    const bool transposed = operation == CUSPARSE_OPERATION_TRANSPOSE;
    x_ = make_vectors(transposed ? matrix_.num_rows : matrix_.num_cols, vectors, x);
    y_ = make_vectors(transposed ? matrix_.num_cols : matrix_.num_rows, vectors, y);
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(library_->handle(), operation_, as_they_are, &one_,
                                  matrix_.descriptor.get(), x_.get(), &zero_, y_.get(),
                                  cuda_type<Scalar>, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    buffer_ = allocate<Buffer>(library_->exec(), "Tomokkos::Bench::cusparse", bytes);
    check_preparation(cusparseSpMM_preprocess(library_->handle(), operation_, as_they_are, &one_,
                                              matrix_.descriptor.get(), x_.get(), &zero_, y_.get(),
                                              cuda_type<Scalar>, algorithm_, buffer_.data()),
                      "cusparseSpMM_preprocess");
    library_->exec().fence();
  }

  void run(const Scalar* x, Scalar* y) {
    check(cusparseDnMatSetValues(x_.get(), const_cast<Scalar*>(x)), "cusparseDnMatSetValues");
    check(cusparseDnMatSetValues(y_.get(), y), "cusparseDnMatSetValues");
    check(cusparseSpMM(library_->handle(), operation_, as_they_are, &one_, matrix_.descriptor.get(),
                       x_.get(), &zero_, y_.get(), cuda_type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMM");
  }

  const Matrix& matrix() const { return matrix_; }
  std::size_t buffer_bytes() const { return buffer_.extent(0); }

 private:
  static constexpr cusparseOperation_t as_they_are = CUSPARSE_OPERATION_NON_TRANSPOSE;

  std::shared_ptr<Library> library_;
  Matrix matrix_;
  cusparseOperation_t operation_;
  cusparseSpMMAlg_t algorithm_;
  Scalar one_ = 1, zero_ = 0;
  DenseVectors x_, y_;
  Buffer buffer_;
};

/// Format with an algorithm for it.
template <class Scalar>
struct Way {
  std::string format;
  std::string variant;
  /// Algorithms with one vector and with several vectors; only one of them is used.
  cusparseSpMVAlg_t spmv = CUSPARSE_SPMV_ALG_DEFAULT;
  cusparseSpMMAlg_t spmm = CUSPARSE_SPMM_ALG_DEFAULT;
  std::function<Matrix(const CsrMatrix<Scalar, Space>&, const Offsets32&)> convert;
  bool has_transpose = true;  ///< true if op(T) is documented for the algorithm
};

template <class Scalar>
std::vector<Way<Scalar>> all_ways(const Kokkos::Cuda& exec, const BenchOptions& options,
                                  bool several) {
  using Csr = CsrMatrix<Scalar, Space>;
  std::vector<Way<Scalar>> ways;
  const auto as_csr = [](const Csr& A, const Offsets32& offsets) { return csr_matrix(A, offsets); };
  const auto as_coo = [exec](const Csr& A, const Offsets32&) { return coo_matrix(exec, A); };
  const auto as_sell = [exec](const Csr& A, const Offsets32&) { return sell_matrix(exec, A); };
  const auto spmv = [&](const char* format, const std::string& variant, cusparseSpMVAlg_t algorithm,
                        const auto& convert, bool has_transpose) {
    ways.push_back({format, variant, algorithm, CUSPARSE_SPMM_ALG_DEFAULT, convert, has_transpose});
  };
  const auto spmm = [&](const char* format, const std::string& variant, cusparseSpMMAlg_t algorithm,
                        const auto& convert, bool has_transpose) {
    ways.push_back({format, variant, CUSPARSE_SPMV_ALG_DEFAULT, algorithm, convert, has_transpose});
  };
  const auto blocks = [&](int size, const auto& convert) {
    const std::string variant = "bsr_alg1:" + block_name(size);
    // If the library is too old, the conversion reports it.
#if CUSPARSE_VERSION >= 12600
    if (several)
      spmm("bcsr", variant, CUSPARSE_SPMM_BSR_ALG1, convert, false);
    else
      spmv("bcsr", variant, CUSPARSE_SPMV_BSR_ALG1, convert, false);
#else
    if (several)
      spmm("bcsr", variant, CUSPARSE_SPMM_ALG_DEFAULT, convert, false);
    else
      spmv("bcsr", variant, CUSPARSE_SPMV_ALG_DEFAULT, convert, false);
#endif
  };

  if (several) {
    spmm("csr", "csr_alg2", CUSPARSE_SPMM_CSR_ALG2, as_csr, true);
    spmm("csr", "csr_alg3", CUSPARSE_SPMM_CSR_ALG3, as_csr, true);
    if (wants(options, MatrixFormat::coo))
      spmm("coo", "coo_alg4", CUSPARSE_SPMM_COO_ALG4, as_coo, true);
  } else {
    spmv("csr", "csr_alg1", CUSPARSE_SPMV_CSR_ALG1, as_csr, true);
    spmv("csr", "csr_alg2", CUSPARSE_SPMV_CSR_ALG2, as_csr, true);
    if (wants(options, MatrixFormat::coo)) {
      spmv("coo", "coo_alg1", CUSPARSE_SPMV_COO_ALG1, as_coo, true);
      spmv("coo", "coo_alg2", CUSPARSE_SPMV_COO_ALG2, as_coo, true);
    }
#if CUSPARSE_VERSION >= 12200
    if (wants(options, MatrixFormat::sell))
      spmv("sell", "sell_alg1", CUSPARSE_SPMV_SELL_ALG1, as_sell, false);
#else
    if (wants(options, MatrixFormat::sell))
      spmv("sell", "sell_alg1", CUSPARSE_SPMV_ALG_DEFAULT, as_sell, false);
#endif
  }
  if (wants(options, MatrixFormat::bcsr)) {
    blocks(2, [exec](const Csr& A, const Offsets32&) { return bsr_matrix<2>(exec, A); });
    blocks(3, [exec](const Csr& A, const Offsets32&) { return bsr_matrix<3>(exec, A); });
    blocks(4, [exec](const Csr& A, const Offsets32&) { return bsr_matrix<4>(exec, A); });
    blocks(8, [exec](const Csr& A, const Offsets32&) { return bsr_matrix<8>(exec, A); });
  }
  return ways;
}

/// Makes a product whose set-up is everything that \p make does.
template <class Scalar, class Make>
Product<Scalar> prepared_product(const Make& make) {
  Product<Scalar> product;
  decltype(make()) work;
  product.setup_seconds = seconds_of([&] { work = make(); });
  product.matrix_bytes = work->matrix().bytes;
  product.memory_bytes = product.matrix_bytes + work->buffer_bytes();
  product.fill = work->matrix().fill;
  product.run = [work](const Scalar* x, Scalar* y) { work->run(x, y); };
  if constexpr (std::is_same_v<decltype(work), std::shared_ptr<Spmv<Scalar>>>)
    product.add = [work](const Scalar* x, Scalar* y) { work->run(x, y, true); };
  return product;
}

}  // namespace

std::string cusparse_version() {
  return Impl::text("{}.{}.{}", CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH);
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> CusparsePeer<ExecutionSpace, Scalar>::products(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options, int vectors,
    bool of_transpose) const {
  ProductList<Scalar> list(this->name());
  const auto library = std::make_shared<Library>(matrix_case.exec());
  const int count = std::max(1, vectors);
  const auto make = [&](const Way<Scalar>& way, bool stored, cusparseOperation_t operation) {
    const auto& A = stored ? matrix_case.matrix(true) : matrix_case.matrix();
    Offsets32 offsets;
    if (way.format == "csr")
      offsets = stored ? matrix_case.offsets32(true) : matrix_case.offsets32();
    Scalar* const x = matrix_case.x(of_transpose, count).data();
    Scalar* const y = matrix_case.y(of_transpose, count).data();
    auto product = vectors == single_vector ? prepared_product<Scalar>([&] {
      return std::make_shared<Spmv<Scalar>>(library, way.convert(A, offsets), operation, way.spmv,
                                            x, y);
    })
                                            : prepared_product<Scalar>([&] {
                                                return std::make_shared<Spmm<Scalar>>(
                                                    library, way.convert(A, offsets), operation,
                                                    way.spmm, vectors, x, y);
                                              });
    product.vectors = count;
    if (stored) product.setup_seconds += matrix_case.transposed_seconds();
    return product;
  };
  for (const Way<Scalar>& way :
       all_ways<Scalar>(matrix_case.exec(), options, vectors != single_vector)) {
    const auto attempt = [&](const std::string& prefix, bool stored,
                             cusparseOperation_t operation) {
      list.attempt(way.format, product_name(prefix + way.variant, vectors),
                   [&] { return make(way, stored, operation); });
    };
    if (!of_transpose) {
      attempt("", false, CUSPARSE_OPERATION_NON_TRANSPOSE);
      continue;
    }
    if (way.has_transpose) attempt("op_t:", false, CUSPARSE_OPERATION_TRANSPOSE);
    if (options.peer_copies) attempt("stored:", true, CUSPARSE_OPERATION_NON_TRANSPOSE);
  }
  return list;
}

namespace {

/// Arrays and buffer of one transposition.
template <class Scalar>
struct Transposition {
  std::shared_ptr<Library> library;
  CsrMatrix<Scalar, Kokkos::CudaSpace> A;
  Kokkos::View<const std::int32_t*, Kokkos::CudaSpace> offsets;
  Kokkos::View<std::int32_t*, Kokkos::CudaSpace> t_offsets;
  Kokkos::View<Ordinal*, Kokkos::CudaSpace> t_columns;
  Kokkos::View<Scalar*, Kokkos::CudaSpace> t_values;
  Buffer buffer;

  int rows() const { return A.num_rows; }
  int nonzeros() const { return static_cast<int>(A.num_nonzeros()); }

  void prepare() {
    const Kokkos::Cuda& exec = library->exec();
    t_offsets = allocate<decltype(t_offsets)>(exec, "Tomokkos::Bench::csr2csc", A.num_cols + 1);
    t_columns = allocate<decltype(t_columns)>(exec, "Tomokkos::Bench::csr2csc", A.num_nonzeros());
    t_values = allocate<decltype(t_values)>(exec, "Tomokkos::Bench::csr2csc", A.num_nonzeros());
    std::size_t bytes = 0;
    check(cusparseCsr2cscEx2_bufferSize(
              library->handle(), rows(), A.num_cols, nonzeros(), A.values.data(), offsets.data(),
              A.columns.data(), t_values.data(), t_offsets.data(), t_columns.data(),
              cuda_type<Scalar>, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
              CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes),
          "cusparseCsr2cscEx2_bufferSize");
    buffer = allocate<Buffer>(exec, "Tomokkos::Bench::csr2csc", bytes);
    exec.fence();
  }

  void run() const {
    check(cusparseCsr2cscEx2(library->handle(), rows(), A.num_cols, nonzeros(), A.values.data(),
                             offsets.data(), A.columns.data(), t_values.data(), t_offsets.data(),
                             t_columns.data(), cuda_type<Scalar>, CUSPARSE_ACTION_NUMERIC,
                             CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, buffer.data()),
          "cusparseCsr2cscEx2");
  }

  void poison() const {
    const Kokkos::Cuda& exec = library->exec();
    Kokkos::deep_copy(exec, t_offsets, -1);
    Kokkos::deep_copy(exec, t_columns, -1);
    exec.fence();
  }

  CsrMatrix<Scalar, Kokkos::CudaSpace> result() const {
    return {A.num_cols, A.num_rows, converted<Offset>(library->exec(), t_offsets), t_columns,
            t_values};
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void CusparsePeer<ExecutionSpace, Scalar>::add_transpositions(
    CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case) const {
  list.attempt(this->name(), "csr", "csr2csc", [&] {
    const auto work = std::make_shared<Transposition<Scalar>>();
    work->library = std::make_shared<Library>(matrix_case.exec());
    work->A = matrix_case.matrix();
    work->offsets = matrix_case.offsets32();
    const double setup_seconds = seconds_of([&] { work->prepare(); });
    Candidate candidate = matrix_case.transposition(
        [work] { work->poison(); }, [work] { return work->result(); }, sizeof(std::int32_t));
    candidate.setup_seconds = setup_seconds;
    candidate.workspace_bytes = work->buffer.extent(0);
    candidate.memory_bytes += work->buffer.extent(0);
    candidate.launch = [work] { work->run(); };
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                           \
  template ProductList<SCALAR> CusparsePeer<Kokkos::Cuda, SCALAR>::products(   \
      BenchCase<Kokkos::Cuda, SCALAR>&, const BenchOptions&, int, bool) const; \
  template void CusparsePeer<Kokkos::Cuda, SCALAR>::add_transpositions(        \
      CandidateList&, BenchCase<Kokkos::Cuda, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
