// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE on one stream, and a matrix in each format that it is given.
#pragma once

#include <cuda_runtime.h>
#include <cusparse.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formats.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench::Cusparse {

inline void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(std::string(call) + ": " + cusparseGetErrorString(status));
}

template <class Scalar>
constexpr cudaDataType cuda_type = std::is_same_v<Scalar, float> ? CUDA_R_32F : CUDA_R_64F;

using Space = Kokkos::CudaSpace;
using Buffer = Kokkos::View<char*, Space>;
using Offsets32 = Kokkos::View<const std::int32_t*, Space>;

/// cuSPARSE on the stream of one execution-space instance.
class Library {
 public:
  explicit Library(const Kokkos::Cuda& exec) : exec_(exec) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    const auto status = cusparseSetStream(handle_, exec.cuda_stream());
    if (status != CUSPARSE_STATUS_SUCCESS) cusparseDestroy(handle_);
    check(status, "cusparseSetStream");
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

/// Destroys the descriptor of a matrix. Descriptors keep the results of preprocessing, so every
/// product has its own.
struct DestroyMatrix {
  using pointer = cusparseConstSpMatDescr_t;
  void operator()(pointer matrix) const { cusparseDestroySpMat(matrix); }
};
using Descriptor = std::unique_ptr<void, DestroyMatrix>;

/// Matrix in memory, with the bytes of a product.
struct Matrix {
  Descriptor descriptor;
  std::shared_ptr<const void> arrays;
  Ordinal num_rows = 0, num_cols = 0;
  std::size_t bytes = 0;
  double fill = 1;
};

/// Returns a pointer that keeps \p arrays alive.
template <class Arrays>
std::shared_ptr<const void> keep(Arrays arrays) {
  return std::make_shared<const Arrays>(std::move(arrays));
}

/// Makes a descriptor of our arrays without a copy.
template <class Scalar>
Matrix csr_matrix(const CsrMatrix<Scalar, Space>& A, const Offsets32& offsets) {
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstCsr(&matrix, A.num_rows, A.num_cols, A.num_nonzeros(), offsets.data(),
                               A.columns.data(), A.values.data(), CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
        "cusparseCreateConstCsr");
  return {Descriptor(matrix), keep(std::pair(A, offsets)), A.num_rows, A.num_cols,
          csr_bytes(A, sizeof(std::int32_t))};
}

/// Makes a matrix in COO, with sorted entries, by our conversion.
template <class Scalar>
Matrix coo_matrix(const Kokkos::Cuda& exec, const CsrMatrix<Scalar, Space>& A) {
  const auto coo = coo_from_csr(exec, A);
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstCoo(&matrix, A.num_rows, A.num_cols, A.num_nonzeros(), coo.rows.data(),
                               coo.columns.data(), coo.values.data(), CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
        "cusparseCreateConstCoo");
  return {Descriptor(matrix), keep(coo), A.num_rows, A.num_cols, coo.memory_bytes()};
}

/// Makes a matrix in blocks of B x B, row by row, by our conversion.
template <int B, class Scalar>
Matrix bsr_matrix(const Kokkos::Cuda& exec, const CsrMatrix<Scalar, Space>& A) {
  require_whole_blocks(A, B);
#if CUSPARSE_VERSION >= 12600
  const auto blocks = bcsr_from_csr<B>(exec, A);
  const auto offsets = narrow_offsets(exec, blocks.block_offsets, blocks.num_blocks());
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstBsr(
            &matrix, blocks.num_block_rows(), blocks.num_block_cols(), blocks.num_blocks(), B, B,
            offsets.data(), blocks.block_columns.data(), blocks.values.data(), CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>, CUSPARSE_ORDER_ROW),
        "cusparseCreateConstBsr");
  const std::size_t bytes = blocks.memory_bytes() - offsets.extent(0) * sizeof(std::int32_t);
  const double fill = fill_of(blocks);
  return {
      Descriptor(matrix), keep(std::pair(blocks, offsets)), A.num_rows, A.num_cols, bytes, fill};
#else
  static_cast<void>(exec);
  throw Error("products of blocks need cuSPARSE 12.6; this is version " + cusparse_version());
#endif
}

/// Rows of a slice: as many as a warp has lanes.
inline constexpr int slice_rows = 32;

/// Computes the width of each slice, the length of its longest row.
struct MeasureSlices {
  Kokkos::View<const Offset*, Space> row_offsets;
  Ordinal num_rows;
  Kokkos::View<Offset*, Space> stored;  // number of stored entries of each slice
  KOKKOS_FUNCTION void operator()(const Ordinal slice) const {
    Offset longest = 0;
    const Ordinal begin = slice * slice_rows;
    for (Ordinal row = begin; row < begin + slice_rows && row < num_rows; ++row) {
      const Offset length = row_offsets(row + 1) - row_offsets(row);
      if (length > longest) longest = length;
    }
    stored(slice) = longest * slice_rows;
  }
};

/// Computes the start of each slice from the numbers of stored entries.
struct BeginSlices {
  Kokkos::View<const Offset*, Space> stored;
  Kokkos::View<Offset*, Space> begins;
  KOKKOS_FUNCTION void operator()(const Ordinal slice, Offset& sum, const bool last) const {
    if (last) begins(slice) = sum;
    if (slice < static_cast<Ordinal>(stored.extent(0))) sum += stored(slice);
  }
};

/// Writes the entries, one column of a slice after the other; -1 after the end of a row.
template <class Scalar>
struct FillSlices {
  CsrMatrix<Scalar, Space> A;
  Offsets32 begins;
  Kokkos::View<Ordinal*, Space> columns;
  Kokkos::View<Scalar*, Space> values;
  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Ordinal slice = slot / slice_rows;
    const Offset end = begins(slice + 1);
    Offset from = 0, to = 0;
    if (slot < A.num_rows) {
      from = A.row_offsets(slot);
      to = A.row_offsets(slot + 1);
    }
    for (Offset k = begins(slice) + slot % slice_rows; k < end; k += slice_rows, ++from) {
      columns(k) = from < to ? A.columns(from) : padding_column;
      values(k) = from < to ? A.values(from) : Scalar(0);
    }
  }
};

/// Makes a matrix in sliced ELLPACK for cuSPARSE. Our own format has another order within a chunk,
/// so that a lane loads several entries at once.
template <class Scalar>
Matrix sell_matrix(const Kokkos::Cuda& exec, const CsrMatrix<Scalar, Space>& A) {
#if CUSPARSE_VERSION >= 12200
  using Range = Kokkos::RangePolicy<Kokkos::Cuda>;
  const Ordinal slices = A.num_rows / slice_rows + (A.num_rows % slice_rows != 0 ? 1 : 0);
  const auto stored =
      allocate<Kokkos::View<Offset*, Space>>(exec, "Tomokkos::Bench::cusparse_sell", slices);
  const auto wide =
      allocate<Kokkos::View<Offset*, Space>>(exec, "Tomokkos::Bench::cusparse_sell", slices + 1);
  Kokkos::parallel_for("Tomokkos::bench::measure_slices", Range(exec, 0, slices),
                       MeasureSlices{A.row_offsets, A.num_rows, stored});
  Kokkos::parallel_scan("Tomokkos::bench::begin_slices", Range(exec, 0, slices + 1),
                        BeginSlices{stored, wide});
  exec.fence();
  Offset size = 0;
  Kokkos::deep_copy(exec, size, Kokkos::subview(wide, slices));
  exec.fence();
  check_fill("sell", size, A.num_nonzeros(), {});
  const Offsets32 begins =
      narrow_offsets<Kokkos::Cuda>(exec, Kokkos::View<const Offset*, Space>(wide), size);
  const auto columns =
      allocate<Kokkos::View<Ordinal*, Space>>(exec, "Tomokkos::Bench::cusparse_sell", size);
  const auto values =
      allocate<Kokkos::View<Scalar*, Space>>(exec, "Tomokkos::Bench::cusparse_sell", size);
  Kokkos::parallel_for("Tomokkos::bench::fill_slices", Range(exec, 0, slices * slice_rows),
                       FillSlices<Scalar>{A, begins, columns, values});
  exec.fence();
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstSlicedEll(&matrix, A.num_rows, A.num_cols, A.num_nonzeros(), size,
                                     slice_rows, begins.data(), columns.data(), values.data(),
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
        "cusparseCreateConstSlicedEll");
  const std::size_t bytes = static_cast<std::size_t>(size) * (sizeof(Ordinal) + sizeof(Scalar)) +
                            begins.extent(0) * sizeof(std::int32_t);
  return {Descriptor(matrix),
          keep(std::tuple(begins, columns, values)),
          A.num_rows,
          A.num_cols,
          bytes,
          A.num_nonzeros() > 0 ? static_cast<double>(size) / A.num_nonzeros() : 1.0};
#else
  static_cast<void>(exec), static_cast<void>(A);
  throw Error("sliced ELLPACK needs cuSPARSE 12.2; this is version " + cusparse_version());
#endif
}

}  // namespace Tomokkos::Bench::Cusparse
