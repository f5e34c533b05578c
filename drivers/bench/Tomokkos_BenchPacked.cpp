// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows as candidates: `packed_csr`, `packed_csr_half`, `packed_csr_scaled`, of A or of its
// stored transpose.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_SpmvPackedCsr.hpp>

#include "Tomokkos_BenchFormatBytes.hpp"
#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchRounded.hpp"

namespace Tomokkos::Bench {
namespace {

template <TileValues Values, class ExecutionSpace, class Scalar>
Product<Scalar> packed_product(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Packed = PackedCsrMatrix<Scalar, MemorySpace, Values>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto csr = of_transpose ? matrix_case.transposed() : matrix_case.matrix();
  const RayGrid rays = matrix_case.rays();
  const bool has_rays =
      !of_transpose && rays.views > 0 && Offset{rays.views} * rays.detectors == csr.num_rows;
  Packed A;
  Product<Scalar> product;
  product.setup_seconds = seconds_of([&] {
    IndexMap<MemorySpace> rows;
    if (has_rays)
      rows = make_index_map(exec, csr.num_rows, tiled_ray_order(rays.views, rays.detectors));
    A = packed_csr_from_csr<ExecutionSpace, Scalar, Values>(exec, csr, {}, rows);
    exec.fence();
  });
  if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
  product.variant = (of_transpose ? "stored:" : "") + std::string(to_string(A.layout())) +
                    (has_rays ? ":tiled_rays" : "");
  product.matrix_bytes = A.memory_bytes();
  product.memory_bytes = product.matrix_bytes;
  product.fill = stored_per_nonzero(A);
  product.run = [exec, A](const Scalar* x, Scalar* y) {
    spmv<ExecutionSpace, Scalar, Values>(exec, A, Scalar(1),
                                         VectorView<const Scalar, MemorySpace>(x, A.num_cols),
                                         Scalar(0), VectorView<Scalar, MemorySpace>(y, A.num_rows));
  };
  if constexpr (Values != TileValues::plain)
    product.error = [exec, csr, least = A.least, step = A.step](const Scalar* x, const Scalar* y) {
      return error_of_rounded<Values, ExecutionSpace, Scalar>(exec, csr, least, step, false, x, y);
    };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_packed_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const BenchOptions& options, bool of_transpose) {
  if (of_transpose && !wants(options, TransposeMethod::stored)) return;
  // Each is called by its layout.
  list.attempt("packed_csr", "",
               [&] { return packed_product<TileValues::plain>(matrix_case, of_transpose); });
  if constexpr (std::is_same_v<Scalar, float>) {
    list.attempt("packed_csr_half", "",
                 [&] { return packed_product<TileValues::half>(matrix_case, of_transpose); });
    list.attempt("packed_csr_scaled", "",
                 [&] { return packed_product<TileValues::scaled>(matrix_case, of_transpose); });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)         \
  template void add_packed_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
