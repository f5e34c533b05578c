// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_MKL)

#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchMklMatrix.hpp"

namespace Tomokkos::Bench {
namespace {

using namespace MklApi;

/// Converts a matrix to blocks, in memory owned by MKL.
Handle in_blocks(const Handle& csr, int block) {
  sparse_matrix_t handle = nullptr;
  check(mkl_sparse_convert_bsr(csr.get(), block, SPARSE_LAYOUT_ROW_MAJOR,
                               SPARSE_OPERATION_NON_TRANSPOSE, &handle),
        "mkl_sparse_convert_bsr");
  return Handle(handle, Destroy{});
}

template <class Scalar>
std::size_t num_blocks(const Handle& bsr) {
  sparse_index_base_t base{};
  sparse_layout_t layout{};
  MKL_INT rows = 0, cols = 0, size = 0;
  MKL_INT *begin = nullptr, *end = nullptr, *columns = nullptr;
  Scalar* values = nullptr;
  if constexpr (std::is_same_v<Scalar, float>)
    check(mkl_sparse_s_export_bsr(bsr.get(), &base, &layout, &rows, &cols, &size, &begin, &end,
                                  &columns, &values),
          "mkl_sparse_s_export_bsr");
  else
    check(mkl_sparse_d_export_bsr(bsr.get(), &base, &layout, &rows, &cols, &size, &begin, &end,
                                  &columns, &values),
          "mkl_sparse_d_export_bsr");
  return rows > 0 ? static_cast<std::size_t>(end[rows - 1] - begin[0]) : 0;
}

/// Settings of a product.
struct Request {
  Hint hint = Hint::none;
  sparse_operation_t operation = SPARSE_OPERATION_NON_TRANSPOSE;
  int vectors = single_vector;
  int block = 0;  ///< size of the blocks of BSR; 0: CSR
};

void give_hints(const Handle& handle, const Request& request) {
  constexpr MKL_INT expected_calls = 100000;
  if (request.hint == Hint::none) return;
  if (request.vectors == single_vector)
    check(mkl_sparse_set_mv_hint(handle.get(), request.operation, general, expected_calls),
          "mkl_sparse_set_mv_hint");
  else
    check(mkl_sparse_set_mm_hint(handle.get(), request.operation, general, SPARSE_LAYOUT_ROW_MAJOR,
                                 request.vectors, expected_calls),
          "mkl_sparse_set_mm_hint");
  check(mkl_sparse_set_memory_hint(handle.get(), request.hint == Hint::aggressive
                                                     ? SPARSE_MEMORY_AGGRESSIVE
                                                     : SPARSE_MEMORY_NONE),
        "mkl_sparse_set_memory_hint");
  check(mkl_sparse_optimize(handle.get()), "mkl_sparse_optimize");
}

/// Computes the product. `beta` must be 0 or 1.
template <class Scalar>
void multiply(const Handle& handle, const Request& request, const Scalar* x, Scalar beta,
              Scalar* y) {
  const sparse_operation_t operation = request.operation;
  const MKL_INT vectors = request.vectors;
  if constexpr (std::is_same_v<Scalar, float>) {
    if (vectors == single_vector)
      check(mkl_sparse_s_mv(operation, 1.0F, handle.get(), general, x, beta, y), "mkl_sparse_s_mv");
    else
      check(mkl_sparse_s_mm(operation, 1.0F, handle.get(), general, SPARSE_LAYOUT_ROW_MAJOR, x,
                            vectors, vectors, beta, y, vectors),
            "mkl_sparse_s_mm");
  } else {
    if (vectors == single_vector)
      check(mkl_sparse_d_mv(operation, 1.0, handle.get(), general, x, beta, y), "mkl_sparse_d_mv");
    else
      check(mkl_sparse_d_mm(operation, 1.0, handle.get(), general, SPARSE_LAYOUT_ROW_MAJOR, x,
                            vectors, vectors, beta, y, vectors),
            "mkl_sparse_d_mm");
  }
}

template <class Scalar, class MemorySpace, class Offsets>
Product<Scalar> make_product(const CsrMatrix<Scalar, MemorySpace>& A, const Offsets& offsets,
                             const Request& request) {
  Product<Scalar> product;
  product.vectors = std::max(1, request.vectors);
  if (request.block > 0) require_whole_blocks(A, request.block);
  const std::size_t before = mkl_bytes();
  Handle handle;
  product.setup_seconds = seconds_of([&] {
    handle = make_handle(A, offsets);
    if (request.block > 0) handle = in_blocks(handle, request.block);
    give_hints(handle, request);
  });
  const std::size_t after = mkl_bytes();
  const std::size_t held = after > before ? after - before : 0;
  if (request.block == 0) {
    product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
    product.memory_bytes = product.matrix_bytes + held;
  } else {
    const std::size_t blocks = num_blocks<Scalar>(handle);
    const auto size = static_cast<std::size_t>(request.block);
    product.matrix_bytes = blocks * (size * size * sizeof(Scalar) + sizeof(std::int32_t)) +
                           (A.num_rows / size + 1) * sizeof(std::int32_t);
    product.memory_bytes = std::max(product.matrix_bytes, held);
    if (A.num_nonzeros() > 0)
      product.fill = static_cast<double>(blocks * size * size) / A.num_nonzeros();
  }
  product.run = [A, offsets, handle, request](const Scalar* x, Scalar* y) {
    multiply(handle, request, x, Scalar(0), y);
  };
  if (request.vectors == single_vector)
    product.add = [A, offsets, handle, request](const Scalar* x, Scalar* y) {
      multiply(handle, request, x, Scalar(1), y);
    };
  return product;
}

/// Returns a transposed copy made by MKL: its arrays, with the begin and end of each row.
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
  return Impl::text("{}.{}.{}", version.MajorVersion, version.MinorVersion, version.UpdateVersion);
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> MklPeer<ExecutionSpace, Scalar>::products(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options, int vectors,
    bool of_transpose) const {
  ProductList<Scalar> list(this->name());
  const auto A = matrix_case.matrix();
  const auto add = [&](const std::string& format, const std::string& variant, Request request) {
    request.vectors = vectors;
    if (!of_transpose) {
      list.attempt(format, product_name(variant, vectors),
                   [&] { return make_product(A, matrix_case.offsets32(), request); });
      return;
    }
    if (options.peer_copies)
      list.attempt(format, product_name("stored:" + variant, vectors), [&] {
        auto product = make_product(matrix_case.matrix(true), matrix_case.offsets32(true), request);
        product.setup_seconds += matrix_case.transposed_seconds();
        return product;
      });
    request.operation = SPARSE_OPERATION_TRANSPOSE;
    list.attempt(format, product_name("op_t:" + variant, vectors),
                 [&] { return make_product(A, matrix_case.offsets32(), request); });
  };
  for (const Hint hint : {Hint::none, Hint::products, Hint::aggressive}) {
    Request request;
    request.hint = hint;
    add("csr", name_of(hint), request);
  }
  if (wants(options, MatrixFormat::bcsr))
    for (const int block : {2, 3, 4, 8}) {
      Request request;
      request.hint = Hint::products;
      request.block = block;
      add("bcsr", std::string(name_of(request.hint)) + ':' + block_name(block), request);
    }
  return list;
}

template <class ExecutionSpace, class Scalar>
void MklPeer<ExecutionSpace, Scalar>::add_transpositions(
    CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case) const {
  using MemorySpace = typename ExecutionSpace::memory_space;
  list.attempt(this->name(), "csr", "convert_csr", [&] {
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
    // Measure the workspace, without the result, in one run.
    mkl_peak_mem_usage(MKL_PEAK_MEM_ENABLE);
    const std::size_t before = mkl_bytes();
    candidate.launch();
    const auto most = static_cast<std::size_t>(mkl_peak_mem_usage(MKL_PEAK_MEM));
    mkl_peak_mem_usage(MKL_PEAK_MEM_DISABLE);
    const std::size_t after = std::max(before, mkl_bytes());
    candidate.workspace_bytes = most > after ? most - after : 0;
    candidate.memory_bytes += *candidate.workspace_bytes;
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                  \
  template ProductList<SCALAR> MklPeer<TOMOKKOS_HOST_SPACE, SCALAR>::products(        \
      BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&, const BenchOptions&, int, bool) const; \
  template void MklPeer<TOMOKKOS_HOST_SPACE, SCALAR>::add_transpositions(             \
      CandidateList&, BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
