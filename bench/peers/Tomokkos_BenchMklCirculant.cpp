// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_MKL)

// Block-circulant matrices by the sparse times dense product of MKL. The leading dimensions are
// smaller than for a dense matrix with that many rows or columns.
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchMklMatrix.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

using namespace MklApi;

template <class Scalar, class Problem>
Product<Scalar> make_product(const Problem& problem, Hint hint) {
  constexpr MKL_INT expected_calls = 100000;
  const sparse_layout_t layout =
      problem.row_major ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
  constexpr sparse_operation_t as_it_is = SPARSE_OPERATION_NON_TRANSPOSE;
  Product<Scalar> product = problem.product();
  const std::size_t before = mkl_bytes();
  Handle handle;
  product.setup_seconds = seconds_of([&] {
    handle = make_handle(problem.A, problem.offsets);
    if (hint == Hint::none) return;
    check(mkl_sparse_set_mm_hint(handle.get(), as_it_is, general, layout, problem.vectors,
                                 expected_calls),
          "mkl_sparse_set_mm_hint");
    check(
        mkl_sparse_set_memory_hint(
            handle.get(), hint == Hint::aggressive ? SPARSE_MEMORY_AGGRESSIVE : SPARSE_MEMORY_NONE),
        "mkl_sparse_set_memory_hint");
    check(mkl_sparse_optimize(handle.get()), "mkl_sparse_optimize");
  });
  const std::size_t after = mkl_bytes();
  product.memory_bytes += after > before ? after - before : 0;
  product.run = [problem, handle, layout](const Scalar* x, Scalar* y) {
    if constexpr (std::is_same_v<Scalar, float>)
      check(mkl_sparse_s_mm(as_it_is, 1.0F, handle.get(), general, layout, x, problem.vectors,
                            problem.x_stride, 0.0F, y, problem.y_stride),
            "mkl_sparse_s_mm");
    else
      check(mkl_sparse_d_mm(as_it_is, 1.0, handle.get(), general, layout, x, problem.vectors,
                            problem.x_stride, 0.0, y, problem.y_stride),
            "mkl_sparse_d_mm");
  };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void MklPeer<ExecutionSpace, Scalar>::add_strided_products(
    ProductList<Scalar>& list, const std::string& name,
    const StridedProblem<ExecutionSpace, Scalar>& problem) const {
  for (const Hint hint : {Hint::none, Hint::products, Hint::aggressive})
    list.attempt(name + ':' + name_of(hint), [&] { return make_product<Scalar>(problem, hint); });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                        \
  template void MklPeer<TOMOKKOS_HOST_SPACE, SCALAR>::add_strided_products( \
      ProductList<SCALAR>&, const std::string&,                             \
      const StridedProblem<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
