// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantPeer.hpp>
#include <Tomokkos_ForEach.hpp>

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_CirculantVectors.hpp>
#include <Tomokkos_KokkosKernels.hpp>
#include <limits>
#include <memory>
#include <string>

#include "Tomokkos_BenchKokkosKernelsOverlap.hpp"

namespace Tomokkos {

namespace {

using KokkosKernelsApi::Spmv;
using KokkosKernelsApi::Types;

/// Product `Y = M B` of eq. 6. M is the first block row with its positions as columns. B(q, p) is
/// value q + p of the replicated X, so each row of B begins one position after the row before.
template <class ExecutionSpace, class Scalar>
class ReplicatedProduct {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Of = Types<ExecutionSpace, Scalar>;
  using Rows = typename Of::Matrix;
  using Overlapping = KokkosKernelsApi::OverlappingRows<ExecutionSpace, Scalar>;
  using X = typename Overlapping::View;
  using Y = typename Of::MultiY;

  ReplicatedProduct(const ExecutionSpace& exec, const BlockCirculantMatrix<Scalar, memory_space>& A)
      : exec_(exec),
        A_(checked(A)),
        offsets_(Impl::offsets_as<std::int32_t>(exec, A.row_offsets)),
        rows_("Tomokkos::ReplicatedProduct::rows", A.block_rows, A.block_cols * A.pitch,
              static_cast<std::int32_t>(A.num_stored()), A.values, offsets_,
              Columns(reinterpret_cast<const Ordinal*>(A.positions.data()), A.positions.extent(0))),
        replicated_(allocate<Vector<Scalar, memory_space>>(
            exec, "Tomokkos::ReplicatedProduct::x",
            Impl::replicated_size(A.block_cols, A.pitch, 1))),
        spmv_(false) {}

  std::size_t memory_bytes() const {
    return replicated_.extent(0) * sizeof(Scalar) + offsets_.extent(0) * sizeof(std::int32_t);
  }

  void operator()(const Scalar* x, Scalar* y) {
    Impl::replicate(exec_, A_.block_cols, A_.blocks, A_.pitch, 1, x, replicated_.data());
    const auto columns = static_cast<std::size_t>(A_.blocks);
    const X B = Overlapping::make(replicated_.data(), static_cast<std::size_t>(rows_.numCols()),
                                  columns, 1);
    require(B.extent(0) < 2 || B.stride(0) == 1,
            "Kokkos cannot make row-major arrays whose rows overlap");
    spmv_.run(exec_, "N", rows_, B, Y(y, static_cast<std::size_t>(A_.block_rows), columns));
  }

 private:
  using Columns = Kokkos::View<const Ordinal*, memory_space, typename Of::Unmanaged>;

  static const BlockCirculantMatrix<Scalar, memory_space>& checked(
      const BlockCirculantMatrix<Scalar, memory_space>& A) {
    constexpr Offset most = std::numeric_limits<std::int32_t>::max();
    const Offset columns = Offset{A.block_cols} * A.pitch;
    require(A.num_stored() <= most && columns <= most,
            Impl::text("{} entries and {} values of the replicated X are too many for Kokkos "
                       "Kernels, which numbers them with 32 bits here",
                       A.num_stored(), columns));
    return A;
  }

  ExecutionSpace exec_;
  BlockCirculantMatrix<Scalar, memory_space> A_;  // owner of the arrays of the matrix below
  Kokkos::View<const std::int32_t*, memory_space> offsets_;
  Rows rows_;
  Vector<Scalar, memory_space> replicated_;
  Spmv<ExecutionSpace, Rows, X, Y> spmv_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
CirculantRoute<Scalar> circulant_library_route(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  const auto product = std::make_shared<ReplicatedProduct<ExecutionSpace, Scalar>>(exec, A);
  return {[product](const Scalar* x, Scalar* y) {
            try {
              (*product)(x, y);
            } catch (const std::exception& refusal) {
              throw Error(std::string("Kokkos Kernels refuses the product: ") + refusal.what());
            }
          },
          product->memory_bytes()};
}

#else

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
CirculantRoute<Scalar> circulant_library_route(
    const ExecutionSpace&,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>&) {
  throw Error("this program was built without Kokkos Kernels");
}

#endif

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                               \
  template CirculantRoute<SCALAR> circulant_library_route<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
