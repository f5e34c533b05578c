// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_MKL)

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

static_assert(sizeof(MKL_INT) == sizeof(std::int32_t), "the interface with 32-bit integers");

void check(sparse_status_t status, const char* call) {
  constexpr const char* reasons[] = {"success",       "not initialised",  "no memory",
                                     "invalid value", "execution failed", "internal error",
                                     "not supported"};
  if (status == SPARSE_STATUS_SUCCESS) return;
  const bool known = status >= 0 && status < 7;
  throw Error(std::string(call) + ": " + (known ? reasons[status] : "unknown error"));
}

/// How much MKL is told about what comes.
enum class Hint {
  none,       ///< the handle as it is created
  products,   ///< many products, without additional memory
  aggressive  ///< many products, with as much memory as it likes
};

const char* name_of(Hint hint) {
  if (hint == Hint::none) return "as_created";
  return hint == Hint::products ? "hint" : "aggressive";
}

struct Destroy {
  void operator()(sparse_matrix* handle) const { mkl_sparse_destroy(handle); }
};
using Handle = std::shared_ptr<sparse_matrix>;

/// MKL takes pointers to what it does not change.
template <class T>
T* unconst(const T* pointer) {
  return const_cast<T*>(pointer);
}

/// A handle on our arrays, not copied.
template <class Scalar, class MemorySpace, class Offsets>
Handle make_handle(const CsrMatrix<Scalar, MemorySpace>& A, const Offsets& offsets) {
  sparse_matrix_t handle = nullptr;
  MKL_INT* begin = unconst(offsets.data());
  MKL_INT* columns = unconst(A.columns.data());
  if constexpr (std::is_same_v<Scalar, float>)
    check(mkl_sparse_s_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, A.num_rows, A.num_cols, begin,
                                  begin + 1, columns, unconst(A.values.data())),
          "mkl_sparse_s_create_csr");
  else
    check(mkl_sparse_d_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, A.num_rows, A.num_cols, begin,
                                  begin + 1, columns, unconst(A.values.data())),
          "mkl_sparse_d_create_csr");
  return Handle(handle, Destroy{});
}

constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_LOWER,
                               SPARSE_DIAG_NON_UNIT};

/// Bytes that MKL itself holds.
std::size_t mkl_bytes() {
  int buffers = 0;
  return static_cast<std::size_t>(mkl_mem_stat(&buffers));
}

template <class Scalar, class MemorySpace, class Offsets>
Product<Scalar> make_product(const CsrMatrix<Scalar, MemorySpace>& A, const Offsets& offsets,
                             Hint hint, sparse_operation_t operation) {
  constexpr MKL_INT expected_calls = 100000;
  Product<Scalar> product;
  const std::size_t before = mkl_bytes();
  Handle handle;
  product.setup_seconds = seconds_of([&] {
    handle = make_handle(A, offsets);
    if (hint == Hint::none) return;
    check(mkl_sparse_set_mv_hint(handle.get(), operation, general, expected_calls),
          "mkl_sparse_set_mv_hint");
    check(
        mkl_sparse_set_memory_hint(
            handle.get(), hint == Hint::aggressive ? SPARSE_MEMORY_AGGRESSIVE : SPARSE_MEMORY_NONE),
        "mkl_sparse_set_memory_hint");
    check(mkl_sparse_optimize(handle.get()), "mkl_sparse_optimize");
  });
  const std::size_t after = mkl_bytes();
  product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes + (after > before ? after - before : 0);
  product.run = [A, offsets, handle, operation](const Scalar* x, Scalar* y) {
    if constexpr (std::is_same_v<Scalar, float>)
      check(mkl_sparse_s_mv(operation, 1.0F, handle.get(), general, x, 0.0F, y), "mkl_sparse_s_mv");
    else
      check(mkl_sparse_d_mv(operation, 1.0, handle.get(), general, x, 0.0, y), "mkl_sparse_d_mv");
  };
  return product;
}

/// What MKL returns for a transposed copy: its own arrays, with begin and end of each row.
template <class Scalar, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> exported(const Handle& handle) {
  if (!handle) return {};
  sparse_index_base_t base{};
  MKL_INT rows = 0, cols = 0;
  MKL_INT *begin = nullptr, *end = nullptr, *columns = nullptr;
  Scalar* values = nullptr;
  if constexpr (std::is_same_v<Scalar, float>)
    check(
        mkl_sparse_s_export_csr(handle.get(), &base, &rows, &cols, &begin, &end, &columns, &values),
        "mkl_sparse_s_export_csr");
  else
    check(
        mkl_sparse_d_export_csr(handle.get(), &base, &rows, &cols, &begin, &end, &columns, &values),
        "mkl_sparse_d_export_csr");
  const Kokkos::View<Offset*, MemorySpace> row_offsets("Tomokkos::Bench::mkl", rows + 1);
  for (MKL_INT i = 0; i < rows; ++i) row_offsets(i) = begin[i] - base;
  if (rows > 0) row_offsets(rows) = end[rows - 1] - base;
  const auto nonzeros = static_cast<std::size_t>(row_offsets(rows));
  return {rows, cols, row_offsets, Kokkos::View<const Ordinal*, MemorySpace>(columns, nonzeros),
          Kokkos::View<const Scalar*, MemorySpace>(values, nonzeros)};
}

}  // namespace

std::string mkl_version() {
  MKLVersion version;
  mkl_get_version(&version);
  return std::to_string(version.MajorVersion) + "." + std::to_string(version.MinorVersion) + "." +
         std::to_string(version.UpdateVersion);
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> mkl_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                 bool of_transpose) {
  ProductList<Scalar> list("mkl");
  const auto A = matrix_case.matrix();
  for (const Hint hint : {Hint::none, Hint::products, Hint::aggressive}) {
    const std::string name = name_of(hint);
    if (!of_transpose) {
      list.attempt(name, [&] {
        return make_product(A, matrix_case.offsets32(), hint, SPARSE_OPERATION_NON_TRANSPOSE);
      });
      continue;
    }
    list.attempt("op_t:" + name, [&] {
      return make_product(A, matrix_case.offsets32(), hint, SPARSE_OPERATION_TRANSPOSE);
    });
    list.attempt("stored:" + name, [&] {
      auto product = make_product(matrix_case.transposed(), matrix_case.transposed_offsets32(),
                                  hint, SPARSE_OPERATION_NON_TRANSPOSE);
      product.setup_seconds += matrix_case.transposed_seconds();
      return product;
    });
  }
  return list;
}

template <class ExecutionSpace, class Scalar>
void add_mkl_transpositions(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  list.attempt("mkl", "csr", "convert_csr", [&] {
    const auto A = matrix_case.matrix();
    const auto offsets = matrix_case.offsets32();
    const Handle handle = make_handle(A, offsets);
    const auto result = std::make_shared<Handle>();
    Candidate candidate = matrix_case.transposition(
        [result] { result->reset(); }, [result] { return exported<Scalar, MemorySpace>(*result); },
        sizeof(std::int32_t));
    candidate.launch = [A, offsets, handle, result] {
      result->reset();
      sparse_matrix_t transposed = nullptr;
      check(mkl_sparse_convert_csr(handle.get(), SPARSE_OPERATION_TRANSPOSE, &transposed),
            "mkl_sparse_convert_csr");
      *result = Handle(transposed, Destroy{});
    };
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                        \
  template ProductList<SCALAR> mkl_products(BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&, bool); \
  template void add_mkl_transpositions(CandidateList&, BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
