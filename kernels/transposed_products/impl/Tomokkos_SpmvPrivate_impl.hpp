// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SpmvPrivate.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_SpmmHost_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Computes `image(part) = A(rows of the part, :)^T X`.
template <class Scalar>
struct AddToPrivateImages {
  const Offset* offsets;  // row offsets of the multiplied rows
  const Ordinal* columns;
  const Scalar* values;
  const Scalar* x;
  Scalar* images;
  Ordinal num_rows;
  Offset image_size;
  int width, parts;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    Scalar* const image = images + part * image_size;
    for (Offset i = 0; i < image_size; ++i) image[i] = 0;
    const Ordinal end = first_slot_of_part(offsets, num_rows, part + 1, parts);
    for (Ordinal row = first_slot_of_part(offsets, num_rows, part, parts); row < end; ++row) {
      const Scalar* const r = x + Offset{row} * width;
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        Scalar* const to = image + Offset{columns[k]} * width;
        for (int j = 0; j < width; ++j) to[j] += values[k] * r[j];
      }
    }
  }
};

/// Computes `y = alpha (image(0) + image(1) + ...) + beta y`.
template <class Scalar>
struct SumPrivateImages {
  const Scalar* images;
  Scalar* y;
  Offset image_size;
  Scalar alpha, beta;
  int parts;

  void operator()(const Offset i) const {
    double sum = 0;
    for (int part = 0; part < parts; ++part)
      sum += static_cast<double>(images[part * image_size + i]);
    y[i] = combine(alpha, static_cast<Scalar>(sum), beta, y[i]);
  }
};

/// Checks that each image has room for \p size sums. Throws `Error`.
template <class Images>
void require_images(const Images& images, Offset size) {
  require(
      images.count() > 0 && static_cast<Offset>(images.values().extent(0)) >= images.count() * size,
      "the private images were allocated for another matrix or for fewer vectors");
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
PrivateImages<ExecutionSpace, Scalar>::PrivateImages(const ExecutionSpace& exec, int count,
                                                     Ordinal columns, int vectors)
    : count_(count), vectors_(vectors) {
  require(Impl::is_host_space<ExecutionSpace>,
          "private images are available only on hosts; a GPU has too many threads");
  require(count > 0 && columns >= 0 && vectors > 0,
          "private images: count and vectors must be at least 1, columns must not be negative");
  values_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PrivateImages::values",
                                                   static_cast<std::size_t>(count) *
                                                       static_cast<std::size_t>(columns) *
                                                       static_cast<std::size_t>(vectors));
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose_private(const ExecutionSpace& exec,
                            const PrivateImages<ExecutionSpace, Scalar>& images,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            RowRange rows, Coefficient<Scalar> alpha,
                            const InputMultiVector<ExecutionSpace, Scalar>& X,
                            Coefficient<Scalar> beta,
                            const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  Impl::require_operands(Impl::Operand("X", X, Impl::rows_in(range, A.num_rows), count),
                         Impl::Operand("Y", Y, "columns of A", A.num_cols));
  const auto size = static_cast<Offset>(Y.size());
  Impl::require_images(images, size);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    if (size == 0) return;
    const int parts = images.count();
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::csr::private",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
        Impl::AddToPrivateImages<Scalar>{A.row_offsets.data() + range.begin, A.columns.data(),
                                         A.values.data(), X.data(), images.values().data(), count,
                                         size, static_cast<int>(Y.extent(1)), parts});
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::csr::private::sum", Impl::element_range(exec, Y.size()),
        Impl::SumPrivateImages<Scalar>{images.values().data(), Y.data(), size, alpha, beta, parts});
  } else {
    (void)exec, (void)alpha, (void)beta;
  }
}

}  // namespace Tomokkos
