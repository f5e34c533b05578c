// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PackedCsrTransposed.hpp>
#include <impl/Tomokkos_PackedCsrVisit.hpp>
#include <impl/Tomokkos_SpmvPrivate_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// `Y(column, :) += alpha a X(row, :)`
template <class Scalar, StoredPrecision Values>
struct AddPackedAtomically {
  PackedStreams<Scalar, Values> A;
  const Scalar* x;
  Scalar* y;
  Offset width;
  Scalar alpha;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Scalar value = alpha * A.value(at);
    for (Offset j = 0; j < width; ++j)
      Kokkos::atomic_add(&y[column * width + j], value * x[row * width + j]);
  }
};

/// `Y(column, :) += a X(row, :)`, by the only thread that writes Y.
template <class Scalar, StoredPrecision Values>
struct AddPackedEntry {
  PackedStreams<Scalar, Values> A;
  const Scalar* x;
  Scalar* y;
  Offset width;

  // Marked KOKKOS_FUNCTION because its caller is; called only on hosts.
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Scalar value = A.value(at);
    for (Offset j = 0; j < width; ++j) y[column * width + j] += value * x[row * width + j];
  }
};

/// `image(part) = A(rows of the part, :)^T X`
template <class Scalar, StoredPrecision Values>
struct AddPackedToImages {
  PackedStreams<Scalar, Values> A;
  const Scalar* x;
  Scalar* images;
  Offset image_size, width;
  int parts;

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    Scalar* const image = images + part * image_size;
    for (Offset i = 0; i < image_size; ++i) image[i] = 0;
    const AddPackedEntry<Scalar, Values> add{A, x, image, width};
    const Ordinal end = first_slot_of_part(A.bundle_offsets, A.num_bundles, part + 1, parts);
    for (Ordinal bundle = first_slot_of_part(A.bundle_offsets, A.num_bundles, part, parts);
         bundle < end; ++bundle)
      for (int lane = 0; lane < A.group; ++lane) visit_packed_lane(A, bundle, lane, add);
  }
};

template <class Matrix, class Input, class Output>
void require_transposed_shapes(const Matrix& A, const Input& X, const Output& Y) {
  Impl::require_operands(Impl::Operand("X", X, "rows of A", A.num_rows),
                         Impl::Operand("Y", Y, "columns of A", A.num_cols));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_atomic(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  Impl::require_transposed_shapes(A, X, Y);
  Kokkos::parallel_for(
      "Tomokkos::spmv_transpose::packed_csr::atomic::scale", Impl::element_range(exec, Y.size()),
      Impl::ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
  using Add = Impl::AddPackedAtomically<Scalar, Values>;
  const Impl::PackedStreams<Scalar, Values> streams(A);
  Kokkos::parallel_for(
      "Tomokkos::spmv_transpose::packed_csr::atomic",
      Impl::element_range(exec, Offset{A.num_bundles()} * A.group),
      Impl::VisitPackedLanes<Scalar, Values, Add>{
          streams, Add{streams, X.data(), Y.data(), static_cast<Offset>(X.extent(1)), alpha}});
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_private(
    const ExecutionSpace& exec, const PrivateImages<ExecutionSpace, Scalar>& images,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  Impl::require_transposed_shapes(A, X, Y);
  const auto size = static_cast<Offset>(Y.size());
  Impl::require_images(images, size);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    if (size == 0) return;
    const int parts = images.count();
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::packed_csr::private",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
        Impl::AddPackedToImages<Scalar, Values>{Impl::PackedStreams<Scalar, Values>(A), X.data(),
                                                images.values().data(), size,
                                                static_cast<Offset>(Y.extent(1)), parts});
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::packed_csr::private::sum", Impl::element_range(exec, Y.size()),
        Impl::SumPrivateImages<Scalar>{images.values().data(), Y.data(), size, alpha, beta, parts});
  } else {
    (void)exec, (void)alpha, (void)beta;
  }
}

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES)                               \
  template void spmv_transpose_atomic<SPACE, SCALAR, VALUES>(                            \
      const SPACE&, const PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>&, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                              \
  template void spmv_transpose_private<SPACE, SCALAR, VALUES>(                           \
      const SPACE&, const PrivateImages<SPACE, SCALAR>&,                                 \
      const PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>&, SCALAR,               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, StoredPrecision::plain)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
