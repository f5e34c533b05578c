// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)

#include <cuda_runtime.h>
#include <cusparse.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(std::string(call) + ": " + cusparseGetErrorString(status));
}

template <class Scalar>
constexpr cudaDataType cuda_type = std::is_same_v<Scalar, float> ? CUDA_R_32F : CUDA_R_64F;

using Buffer = Kokkos::View<char*, Kokkos::CudaSpace>;

/// The library on the stream of one execution-space instance.
class Library {
 public:
  explicit Library(const Kokkos::Cuda& exec) : exec_(exec) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseSetStream(handle_, exec.cuda_stream()), "cusparseSetStream");
  }
  ~Library() { cusparseDestroy(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  cusparseHandle_t handle() const { return handle_; }
  const Kokkos::Cuda& exec() const { return exec_; }

 private:
  Kokkos::Cuda exec_;
  cusparseHandle_t handle_ = nullptr;
};

/// One product with one algorithm: descriptors, buffer and the result of the preprocessing, which
/// the library keeps in the descriptor of the matrix.
template <class Scalar>
class Spmv {
 public:
  using Matrix = CsrMatrix<Scalar, Kokkos::CudaSpace>;
  using Offsets = Kokkos::View<const std::int32_t*, Kokkos::CudaSpace>;

  Spmv(std::shared_ptr<Library> library, const Matrix& A, const Offsets& offsets,
       cusparseOperation_t operation, cusparseSpMVAlg_t algorithm, Scalar* x, Scalar* y)
      : library_(std::move(library)),
        A_(A),
        offsets_(offsets),
        operation_(operation),
        algorithm_(algorithm) {
    const bool transposed = operation == CUSPARSE_OPERATION_TRANSPOSE;
    check(cusparseCreateConstCsr(&matrix_, A.num_rows, A.num_cols, A.num_nonzeros(), offsets.data(),
                                 A.columns.data(), A.values.data(), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
          "cusparseCreateConstCsr");
    check(cusparseCreateDnVec(&x_, transposed ? A.num_rows : A.num_cols, x, cuda_type<Scalar>),
          "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&y_, transposed ? A.num_cols : A.num_rows, y, cuda_type<Scalar>),
          "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(library_->handle(), operation_, &one_, matrix_, x_, &zero_, y_,
                                  cuda_type<Scalar>, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = allocate<Buffer>(library_->exec(), "Tomokkos::Bench::cusparse", bytes);
#if CUDART_VERSION >= 12040
    check(cusparseSpMV_preprocess(library_->handle(), operation_, &one_, matrix_, x_, &zero_, y_,
                                  cuda_type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMV_preprocess");
#endif
    library_->exec().fence();
  }
  ~Spmv() {
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
    cusparseDestroySpMat(matrix_);
  }
  Spmv(const Spmv&) = delete;
  Spmv& operator=(const Spmv&) = delete;

  void run(const Scalar* x, Scalar* y) {
    check(cusparseDnVecSetValues(x_, const_cast<Scalar*>(x)), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_, y), "cusparseDnVecSetValues");
    check(cusparseSpMV(library_->handle(), operation_, &one_, matrix_, x_, &zero_, y_,
                       cuda_type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMV");
  }

  std::size_t buffer_bytes() const { return buffer_.extent(0); }

 private:
  std::shared_ptr<Library> library_;
  Matrix A_;
  Offsets offsets_;
  cusparseOperation_t operation_;
  cusparseSpMVAlg_t algorithm_;
  Scalar one_ = 1, zero_ = 0;
  cusparseConstSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  Buffer buffer_;
};

}  // namespace

std::string cusparse_version() {
  return std::to_string(CUSPARSE_VER_MAJOR) + "." + std::to_string(CUSPARSE_VER_MINOR) + "." +
         std::to_string(CUSPARSE_VER_PATCH);
}

template <class Scalar>
ProductList<Scalar> cusparse_products(BenchCase<Kokkos::Cuda, Scalar>& matrix_case,
                                      bool of_transpose) {
  ProductList<Scalar> list("cusparse");
  const auto library = std::make_shared<Library>(matrix_case.exec());
  const auto make = [&](const auto& M, const auto& offsets, cusparseOperation_t operation,
                        cusparseSpMVAlg_t algorithm) {
    Product<Scalar> product;
    std::shared_ptr<Spmv<Scalar>> spmv;
    product.setup_seconds = seconds_of([&] {
      spmv = std::make_shared<Spmv<Scalar>>(library, M, offsets, operation, algorithm,
                                            matrix_case.x(of_transpose).data(),
                                            matrix_case.y(of_transpose).data());
    });
    product.matrix_bytes = csr_bytes(M, sizeof(std::int32_t));
    product.memory_bytes = product.matrix_bytes + spmv->buffer_bytes();
    product.run = [spmv](const Scalar* x, Scalar* y) { spmv->run(x, y); };
    return product;
  };

  for (const bool second : {false, true}) {
    const auto algorithm = second ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1;
    const std::string name = second ? "csr_alg2" : "csr_alg1";
    if (!of_transpose) {
      list.attempt(name, [&] {
        return make(matrix_case.matrix(), matrix_case.offsets32(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                    algorithm);
      });
      continue;
    }
    list.attempt("op_t:" + name, [&] {
      return make(matrix_case.matrix(), matrix_case.offsets32(), CUSPARSE_OPERATION_TRANSPOSE,
                  algorithm);
    });
    list.attempt("stored:" + name, [&] {
      auto product = make(matrix_case.transposed(), matrix_case.transposed_offsets32(),
                          CUSPARSE_OPERATION_NON_TRANSPOSE, algorithm);
      product.setup_seconds += matrix_case.transposed_seconds();
      return product;
    });
  }
  return list;
}

namespace {

struct WidenOffsets {
  Kokkos::View<const std::int32_t*, Kokkos::CudaSpace> from;
  Kokkos::View<Offset*, Kokkos::CudaSpace> to;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { to(i) = from(i); }
};

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
    const Kokkos::Cuda& exec = library->exec();
    const Kokkos::View<Offset*, Kokkos::CudaSpace> wide("Tomokkos::Bench::csr2csc", A.num_cols + 1);
    exec.fence();
    Kokkos::parallel_for("Tomokkos::bench::widen_offsets",
                         Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, A.num_cols + 1),
                         WidenOffsets{t_offsets, wide});
    exec.fence();
    return {A.num_cols, A.num_rows, wide, t_columns, t_values};
  }
};

}  // namespace

template <class Scalar>
void add_cusparse_transpositions(CandidateList& list,
                                 BenchCase<Kokkos::Cuda, Scalar>& matrix_case) {
  list.attempt("cusparse", "csr", "csr2csc", [&] {
    const auto work = std::make_shared<Transposition<Scalar>>();
    work->library = std::make_shared<Library>(matrix_case.exec());
    work->A = matrix_case.matrix();
    work->offsets = matrix_case.offsets32();
    const double setup_seconds = seconds_of([&] { work->prepare(); });
    Candidate candidate = matrix_case.transposition(
        [work] { work->poison(); }, [work] { return work->result(); }, sizeof(std::int32_t));
    candidate.setup_seconds = setup_seconds;
    candidate.memory_bytes += work->buffer.extent(0);
    candidate.launch = [work] { work->run(); };
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                      \
  template ProductList<SCALAR> cusparse_products(BenchCase<Kokkos::Cuda, SCALAR>&, bool); \
  template void add_cusparse_transpositions(CandidateList&, BenchCase<Kokkos::Cuda, SCALAR>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
