// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ConcurrentInstances.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Some rows of a matrix, as an operator of their own on the device or on the host.
template <class ExecutionSpace, class Scalar>
struct OperatorPart {
  /// Ranges of the rows in the whole matrix, ascending. The part numbers its rows one range after
  /// the other.
  std::vector<RowRange> rows;
  /// Operator of these rows; exactly one of both is set.
  std::optional<AnyOperator<ExecutionSpace, Scalar>> here;
  std::optional<AnyOperator<TOMOKKOS_HOST_SPACE, Scalar>> on_host;
  /// Bytes of `here` that lie in host memory, and their owner, such as `StreamedArrays`. Set both
  /// for an operator whose arrays the owner holds; the part keeps it alive.
  std::size_t streamed_bytes = 0;
  std::shared_ptr<const void> owner = {};
};

/// \brief Operator whose rows are divided into parts, some of which the cores of the host multiply
/// while the device multiplies the others.
///
/// Vectors are in the memory of \p ExecutionSpace. `A x`: x is copied to page-locked host memory in
/// a queue of its own while the device multiplies its parts; then the cores of the host multiply
/// theirs, and their rows are copied back. `A^T y`: the host's rows of y are copied, both form an
/// image, and that of the host is copied back and added. A product with a GPU therefore moves an
/// image and the host's rows of y between both, at the same time as the products.
///
/// If \p ExecutionSpace is a host space, the parts are multiplied one after the other, without
/// copies.
///
/// Every range of rows is supported if all parts support ranges. The bits are those of the parts;
/// sums over parts run in their order. Copies share the parts and the workspace, so an operator
/// serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class SplitOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using Part = OperatorPart<ExecutionSpace, Scalar>;
  using Input = MultiVectorView<const Scalar, memory_space>;
  using Output = MultiVectorView<Scalar, memory_space>;

  /// \brief Builds the operator from its parts.
  ///
  /// \throws Error unless every row from 0 to the last belongs to one part, and all parts have
  /// \p num_cols columns
  SplitOperator(const ExecutionSpace& exec, Ordinal num_cols, std::vector<Part> parts);

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  const std::vector<Part>& parts() const { return *parts_; }

  /// \brief True if every part has a transposed product.
  bool has_transpose() const;
  /// \brief True if every part supports ranges of rows.
  bool supports_ranges() const;
  /// \brief True if a part forms transposed products by atomic additions.
  bool transposes_by_atomics() const;

  /// \brief Returns the bytes in the memory of \p ExecutionSpace.
  std::size_t memory_bytes() const;
  /// \brief Returns the bytes in host memory: those of the parts of the host, and of arrays that
  /// the device reads from there. 0 if the device is the host.
  std::size_t host_bytes() const;
  /// \brief Returns the bytes that the products of all parts move.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the workspace of products with \p vectors vectors: if the host has rows, one
  /// image and the host's rows for each vector, on the device and in page-locked memory.
  ///
  /// \throws MemoryError
  void reserve(const ExecutionSpace& exec, int vectors) const;
  /// \brief Allocates what the transposed products of the parts need.
  void reserve_transpose(const ExecutionSpace& exec) const;

  /// \brief Computes `Y = alpha A(rows, :) X + beta Y`. X has `num_cols()` rows, Y as many as
  /// \p rows, and both as many columns as there are vectors. With \p beta 0 Y need not be set.
  ///
  /// Waits for the host's rows if there are any. Allocates unless `reserve` was called for as many
  /// vectors.
  ///
  /// \throws DimensionMismatch, Error for rows outside the matrix, MemoryError
  void apply(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta, const Output& Y,
             RowRange rows = all_rows) const;
  /// \brief Computes `Y = alpha A(rows, :)^T X + beta Y`, in the same way; X has the rows of
  /// \p rows, Y `num_cols()`.
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta,
                       const Output& Y, RowRange rows = all_rows) const;

 private:
  using Host = TOMOKKOS_HOST_SPACE;
  using StagingSpace = typename Impl::StagingMemory<ExecutionSpace>::type;
  using Staging = Vector<Scalar, StagingSpace>;
  using HostInput = MultiVectorView<const Scalar, Host::memory_space>;
  using HostOutput = MultiVectorView<Scalar, Host::memory_space>;
  static constexpr bool copies = !Impl::is_host_space<ExecutionSpace>;

  /// Rows of one part that lie in a range.
  struct Segment {
    const Part* part;
    RowRange local;  // rows of the part
    Ordinal at;      // first of them, counted from the beginning of the range
    Ordinal count;
  };
  /// Workspace, shared by all copies.
  struct Workspace {
    std::unique_ptr<ConcurrentInstances<ExecutionSpace>> beside;
    Staging image, rows;                           // page-locked
    Vector<Scalar, memory_space> added, returned;  // image and rows of the host, on the device
  };

  std::vector<Segment> segments_of(RowRange rows) const;
  void multiply_on_host(const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta,
                        const Output& Y, const std::vector<Segment>& segments) const;
  void multiply_transpose_on_host(const ExecutionSpace& exec, Scalar alpha, const Input& X,
                                  const Output& Y, const std::vector<Segment>& segments) const;

  Ordinal num_rows_ = 0, num_cols_ = 0, host_rows_ = 0;
  std::shared_ptr<const std::vector<Part>> parts_;
  std::shared_ptr<Workspace> workspace_;
};

TOMOKKOS_EXTERN_CLASS(SplitOperator)

}  // namespace Tomokkos
