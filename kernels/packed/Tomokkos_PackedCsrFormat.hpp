// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PackedCsrTransposed.hpp>
#include <Tomokkos_SpmvPackedCsr.hpp>
#include <Tomokkos_TransposedProducts.hpp>
#include <array>
#include <impl/Tomokkos_PackedRowsNeed.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Options of `make_operator` for packed rows.
struct PackedRowsOptions {
  StoredPrecision values = StoredPrecision::plain;
  /// Numbers of views and of detectors per view if the rows are the rays of a scan in natural
  /// order. Neighbouring rays are then stored in tiles that share the lines of x. 0: rows are not
  /// rays, or have another order.
  Ordinal views = 0, detectors = 0;
};

/// \brief Entry of packed rows in the registry of formats.
struct PackedCsrFormat : FormatDefaults {
  static constexpr MatrixFormat format = MatrixFormat::packed_csr;
  static constexpr std::string_view summary = "Compressed rows with columns of 16 bits.";
  using Options = PackedRowsOptions;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic,
                                         TransposeMethod::private_images};

  template <class Scalar, class MemorySpace>
  using Matrices =
      std::conditional_t<std::is_same_v<Scalar, float>,
                         TypeList<PackedCsrMatrix<Scalar, MemorySpace>,
                                  PackedCsrMatrix<float, MemorySpace, StoredPrecision::half>,
                                  PackedCsrMatrix<float, MemorySpace, StoredPrecision::scaled>>,
                         TypeList<PackedCsrMatrix<Scalar, MemorySpace>>>;

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.name("values", options.values,
             "Precision of the stored values. half and scaled use 16 bits and require float.");
  }
  static constexpr double usual_fill = 1.05;
  /// \brief Bytes of an entry: 2 for the column, plus the value, which is 2 bytes if it has 16
  /// bits.
  static double entry_bytes(const Options& options, std::size_t scalar_bytes) {
    return options.values == StoredPrecision::plain ? 2.0 + static_cast<double>(scalar_bytes) : 4.0;
  }
};

template <class Scalar, class MemorySpace, StoredPrecision Values>
struct FormatTraits<PackedCsrMatrix<Scalar, MemorySpace, Values>> : PackedCsrFormat {
  using Matrix = PackedCsrMatrix<Scalar, MemorySpace, Values>;
  static constexpr bool has_entries = Values == StoredPrecision::plain;
  static constexpr bool matches_options(const Options& options) { return options.values == Values; }

  template <class ExecutionSpace>
  static Matrix from_csr(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                         const Options& options) {
    return packed_csr_from_csr<ExecutionSpace, Scalar, Values>(exec, A, {},
                                                               row_order(exec, A, options));
  }
  static Description figures(const Matrix& A) {
    return Description::map()
        .set("values", Values)
        .set("layout", A.layout())
        .set("group", A.group)
        .set("far_groups", A.num_far_groups())
        .set("rows", A.rows.extent(0) > 0 ? "tiled_rays" : "natural");
  }

  template <class ExecutionSpace>
  static TransposeNeeds transpose_needs(const ExecutionSpace& exec,
                                        const CsrMatrix<Scalar, MemorySpace>& A,
                                        const Options& options, bool deterministic) {
    const auto need =
        Impl::counted_packed_rows_need<Matrix>(exec, A, row_order(exec, A, options), deterministic);
    TransposeNeeds needs;
    needs.stored_bytes = need.of(TransposeMethod::stored);
    needs.private_bytes = need.of(TransposeMethod::private_images);
    return needs;
  }
  template <class ExecutionSpace>
  static void require_room(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                           const Options& options, const MemoryCheckOptions& room,
                           const CsrMatrix<Scalar, MemorySpace>* transposed) {
    Impl::require_room_for_packed_rows<Matrix>(exec, A, row_order(exec, A, options), room.transpose,
                                               room.deterministic, room.available_bytes,
                                               transposed);
  }

 private:
  /// Returns the order of rays in tiles if the rows are rays, otherwise an empty map.
  template <class ExecutionSpace>
  static IndexMap<MemorySpace> row_order(const ExecutionSpace& exec,
                                         const CsrMatrix<Scalar, MemorySpace>& A,
                                         const Options& options) {
    if (options.views == 0 || Offset{options.views} * options.detectors != A.num_rows) return {};
    return make_index_map(exec, A.num_rows, tiled_ray_order(options.views, options.detectors));
  }
};

/// \brief Transposed products with packed rows, for several vectors at once: by atomic additions
/// or, on hosts, by private images.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
class TransposedProducts<ExecutionSpace,
                         PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Matrix = PackedCsrMatrix<Scalar, memory_space, Values>;
  static constexpr bool several_vectors = true;

  TransposedProducts() = default;
  /// \brief Sets the method. For private images, allocates the images of one vector.
  TransposedProducts(const ExecutionSpace& exec, const Matrix& A, TransposeMethod method,
                     bool deterministic) {
    require(Impl::is_host_space<ExecutionSpace> || method != TransposeMethod::private_images,
            "private images require a host; a GPU has too many threads for them");
    if (method == TransposeMethod::private_images) {
      count_ = private_image_count(device_traits(exec), deterministic);
      reserve(exec, A, 1);
    }
  }

  void reserve(const ExecutionSpace& exec, const Matrix& A, int vectors) {
    if (count_ == 0 || images_.vectors() >= vectors) return;
    images_ = {};  // frees the old images before the new ones are allocated
    images_ = PrivateImages<ExecutionSpace, Scalar>(exec, count_, A.num_cols, vectors);
  }
  std::size_t memory_bytes() const { return images_.memory_bytes(); }
  /// \brief Bytes of private images that a product writes and reads.
  std::size_t workspace_traffic(int vectors) const {
    return count_ == 0 ? 0 : 2 * images_.memory_bytes() / images_.vectors() * vectors;
  }

  void apply(const ExecutionSpace& exec, const Matrix& A, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) {
    if (count_ == 0) {
      spmv_transpose_atomic<ExecutionSpace, Scalar, Values>(exec, A, alpha, X, beta, Y);
      return;
    }
    reserve(exec, A, static_cast<int>(X.extent(1)));
    spmv_transpose_private<ExecutionSpace, Scalar, Values>(exec, images_, A, alpha, X, beta, Y);
  }

 private:
  int count_ = 0;
  PrivateImages<ExecutionSpace, Scalar> images_;
};

}  // namespace Tomokkos
