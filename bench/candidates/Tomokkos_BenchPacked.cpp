// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows as candidates: `packed_csr`, `packed_csr_half`, `packed_csr_scaled`, of A or of its
// stored transpose, and A^T x from those of A.
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PackedCsrFormat.hpp>
#include <Tomokkos_PackedCsrTransposed.hpp>
#include <Tomokkos_SpmvPackedCsr.hpp>
#include <memory>

#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchRounded.hpp"

namespace Tomokkos::Bench {
namespace {

template <class Matrix>
struct PackedRows {
  Matrix A;
  bool tiled_rays = false;
  double seconds = 0;  // of the packing

  std::string name() const {
    return std::string(to_string(A.layout())) + (tiled_rays ? ":tiled_rays" : "");
  }
};

/// \p csr in packed rows; rays of the case in tiles, where these are its rows.
template <class Matrix, class ExecutionSpace, class Scalar>
std::shared_ptr<const PackedRows<Matrix>> pack(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& csr,
    RayGrid rays) {
  auto made = std::make_shared<PackedRows<Matrix>>();
  made->tiled_rays = rays.views > 0 && Offset{rays.views} * rays.detectors == csr.num_rows;
  made->seconds = seconds_of([&] {
    IndexMap<typename ExecutionSpace::memory_space> rows;
    if (made->tiled_rays)
      rows = make_index_map(exec, csr.num_rows, tiled_ray_order(rays.views, rays.detectors));
    made->A = packed_csr_from_csr<ExecutionSpace, Scalar, Matrix::tile_values>(exec, csr, {}, rows);
    exec.fence();
  });
  return made;
}

/// The packed rows of A, which all products of this case share that are there at the same time.
template <class Matrix, class ExecutionSpace, class Scalar>
std::shared_ptr<const PackedRows<Matrix>> packed(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  return while_used<PackedRows<Matrix>>(
      matrix_case.shared("packed_csr " + std::string(to_string(Matrix::tile_values))),
      [&] { return pack<Matrix>(matrix_case.exec(), matrix_case.matrix(), matrix_case.rays()); });
}

/// What products with \p made have in common.
template <class Scalar, class Matrix>
Product<Scalar> product_with(const std::shared_ptr<const PackedRows<Matrix>>& made) {
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  product.matrix_bytes = made->A.memory_bytes();
  product.memory_bytes = product.matrix_bytes;
  product.fill = fill_of(made->A);
  product.copy = made.get();
  return product;
}

/// The error against values as they were rounded: of \p csr, or of its transpose.
template <class ExecutionSpace, class Scalar, class Matrix>
void check_rounded(Product<Scalar>& product, const ExecutionSpace& exec, const Matrix& A,
                   const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& csr,
                   bool of_transpose) {
  constexpr TileValues values = Matrix::tile_values;
  if constexpr (values != TileValues::plain)
    product.error = [exec, csr, least = A.least, step = A.step, of_transpose](const Scalar* x,
                                                                              const Scalar* y) {
      return error_of_rounded<values, ExecutionSpace, Scalar>(exec, csr, least, step, of_transpose,
                                                              x, y);
    };
}

template <TileValues Values, class Scalar, class ExecutionSpace>
using Packed = PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>;

/// A x, or A^T x from packed rows of A^T.
template <TileValues Values, class ExecutionSpace, class Scalar>
Product<Scalar> packed_product(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = Packed<Values, Scalar, ExecutionSpace>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto csr = of_transpose ? matrix_case.matrix(true) : matrix_case.matrix();
  const auto made = of_transpose ? pack<Matrix>(exec, csr, {}) : packed<Matrix>(matrix_case);
  auto product = product_with<Scalar>(made);
  if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
  product.variant = (of_transpose ? "stored:" : "") + made->name();
  product.run = [exec, made](const Scalar* x, Scalar* y) {
    const Matrix& A = made->A;
    const SpmvPlan<ExecutionSpace, Matrix> plan(exec, A);
    spmv(exec, plan, A, Scalar(1), VectorView<const Scalar, MemorySpace>(x, A.num_cols), Scalar(0),
         VectorView<Scalar, MemorySpace>(y, A.num_rows));
  };
  check_rounded(product, exec, made->A, csr, false);
  return product;
}

/// A^T x from packed rows of A, which A x reads, too.
template <TileValues Values, class ExecutionSpace, class Scalar>
Product<Scalar> added_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                              TransposeMethod method, bool deterministic) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using In = MultiVectorView<const Scalar, MemorySpace>;
  using Out = MultiVectorView<Scalar, MemorySpace>;
  using Matrix = Packed<Values, Scalar, ExecutionSpace>;
  const bool is_atomic = method == TransposeMethod::atomic;
  require(!(is_atomic && deterministic),
          "atomic adds in any order, which run.deterministic excludes");
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = packed<Matrix>(matrix_case);
  auto product = product_with<Scalar>(made);
  product.variant = std::string(to_string(method)) + ":" + made->name();
  if (is_atomic) {
    product.run = [exec, made](const Scalar* x, Scalar* y) {
      const Matrix& A = made->A;
      spmv_transpose_atomic<ExecutionSpace, Scalar, Values>(
          exec, A, Scalar(1), In(x, A.num_rows, 1), Scalar(0), Out(y, A.num_cols, 1));
    };
  } else {
    const PrivateImages<ExecutionSpace, Scalar> images(
        exec, private_image_count(device_traits(exec), deterministic), made->A.num_cols);
    product.matrix_bytes += 2 * images.memory_bytes();
    product.memory_bytes += images.memory_bytes();
    product.run = [exec, made, images](const Scalar* x, Scalar* y) {
      const Matrix& A = made->A;
      spmv_transpose_private<ExecutionSpace, Scalar, Values>(
          exec, images, A, Scalar(1), In(x, A.num_rows, 1), Scalar(0), Out(y, A.num_cols, 1));
    };
  }
  check_rounded(product, exec, made->A, matrix_case.matrix(), true);
  return product;
}

template <TileValues Values, class ExecutionSpace, class Scalar>
void add_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                  const BenchOptions& options, bool of_transpose) {
  const std::string format =
      "packed_csr" + (Values == TileValues::plain ? "" : "_" + std::string(to_string(Values)));
  // Each is called by its layout.
  if (!of_transpose || wants(options, TransposeMethod::stored))
    list.attempt(format, "", [&] { return packed_product<Values>(matrix_case, of_transpose); });
  if (!of_transpose) return;
  for (const auto method : {TransposeMethod::atomic, TransposeMethod::private_images}) {
    const bool is_there = method == TransposeMethod::atomic || Impl::is_host_space<ExecutionSpace>;
    if (is_there && wants(options, method))
      list.attempt(format, std::string(to_string(method)), [&] {
        return added_product<Values>(matrix_case, method, options.deterministic);
      });
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_packed_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const BenchOptions& options, bool of_transpose) {
  add_products<TileValues::plain>(list, matrix_case, options, of_transpose);
  if constexpr (std::is_same_v<Scalar, float>) {
    add_products<TileValues::half>(list, matrix_case, options, of_transpose);
    add_products<TileValues::scaled>(list, matrix_case, options, of_transpose);
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)         \
  template void add_packed_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
