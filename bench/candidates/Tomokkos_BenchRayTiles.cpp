// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles as candidates: `ray_tiles`, `ray_tiles_half`, `ray_tiles_scaled`, each one copy for
// both products.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>

#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchRounded.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Matrix>
struct Tiled {
  Matrix A;
  RayTilesPlan<ExecutionSpace, Matrix> plan;
  double seconds = 0;
};

/// The one copy of this case, made when it is first asked for.
template <class Matrix, class ExecutionSpace, class Scalar>
std::shared_ptr<Tiled<ExecutionSpace, Matrix>> tiled(
    BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using Made = Tiled<ExecutionSpace, Matrix>;
  std::shared_ptr<void>& shared =
      matrix_case.shared("ray_tiles " + std::string(to_string(Matrix::tile_values)));
  if (!shared) {
    const ExecutionSpace exec = matrix_case.exec();
    auto made = std::make_shared<Made>();
    made->seconds = seconds_of([&] {
      made->A = ray_tiles_from_csr<ExecutionSpace, Scalar, Matrix::tile_values>(
          exec, matrix_case.matrix());
      made->plan = RayTilesPlan<ExecutionSpace, Matrix>(exec, made->A);
      exec.fence();
    });
    shared = made;
  }
  return std::static_pointer_cast<Made>(shared);
}

template <TileValues Values, class ExecutionSpace, class Scalar>
Product<Scalar> tiled_product(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = RayTilesMatrix<Scalar, MemorySpace, Values>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = tiled<Matrix>(matrix_case);
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  product.matrix_bytes = made->A.memory_bytes();
  product.memory_bytes = product.matrix_bytes + made->plan.memory_bytes();
  product.fill = fill_of(made->A);
  product.copy = made.get();
  product.run = [exec, made, of_transpose](const Scalar* x, Scalar* y) {
    using In = VectorView<const Scalar, MemorySpace>;
    using Out = VectorView<Scalar, MemorySpace>;
    const Matrix& A = made->A;
    if (of_transpose)
      spmv_transpose(exec, made->plan, A, Scalar(1), In(x, A.num_rows), Scalar(0),
                     Out(y, A.num_cols));
    else
      spmv(exec, made->plan, A, Scalar(1), In(x, A.num_cols), Scalar(0), Out(y, A.num_rows));
  };
  // The reference of the case has neither rounded values nor sums in whole numbers.
  if (Values != TileValues::plain || (of_transpose && !Impl::is_host_space<ExecutionSpace>))
    product.error = [exec, made, csr = matrix_case.matrix(), of_transpose](const Scalar* x,
                                                                           const Scalar* y) {
      return error_of_rounded<Values, ExecutionSpace, Scalar>(
          exec, csr, made->A.least, made->A.step, of_transpose, x, y, made->plan.column_bound());
    };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_ray_tiles_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  const std::string variant = "one_copy";
  list.attempt("ray_tiles", variant,
               [&] { return tiled_product<TileValues::plain>(matrix_case, of_transpose); });
  if constexpr (std::is_same_v<Scalar, float>) {
    list.attempt("ray_tiles_half", variant,
                 [&] { return tiled_product<TileValues::half>(matrix_case, of_transpose); });
    list.attempt("ray_tiles_scaled", variant,
                 [&] { return tiled_product<TileValues::scaled>(matrix_case, of_transpose); });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                 \
  template void add_ray_tiles_products<SPACE, SCALAR>(ProductList<SCALAR>&, \
                                                      BenchCase<SPACE, SCALAR>&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
