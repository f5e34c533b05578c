// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ConcurrentInstances.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ForEach.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Distribution of the vectors over the columns in a `DistributedOperator`.
enum class ImageDistribution {
  replicated,  ///< every rank holds the whole vector
  split        ///< every rank holds its own columns only
};

template <>
struct EnumNames<ImageDistribution> {
  static constexpr std::array<std::pair<ImageDistribution, std::string_view>, 2> names{
      {{ImageDistribution::replicated, "replicated"}, {ImageDistribution::split, "split"}}};
};

/// \brief Options of `DistributedOperator`.
struct DistributedOptions {
  ImageDistribution image = ImageDistribution::replicated;
  /// Number of slabs of columns in a transposed product: the sum of one slab over the ranks
  /// overlaps with the product of the next. 0: chosen by the size of the image. Always 1 if the
  /// local operators cannot be cut at the same columns, for ranges of rows, and if the image is
  /// split.
  int slabs = 0;
};

/// \brief Ratio between the size of a slab and that of the next one.
inline constexpr int slab_ratio = 4;

/// \brief Returns the number of slabs of columns for a transposed product whose sum over ranks has
/// \p bytes bytes.
///
/// There is one slab for each full 16 MiB, at least one and at most four. More slabs do not pay:
/// the sum of a slab occupies multiprocessors that the product of the next one needs.
int choose_slabs(std::size_t bytes);

/// \brief Operator whose rows are distributed over ranks. Each rank holds some of the rows as a
/// local operator.
///
/// To a solver on a rank it is an operator with the local rows: vectors over the rows contain the
/// rows of this rank, and `row_ranks()` adds up quantities formed over them.
///
/// With `replicated` every rank holds all columns, with the same bits. `A x` is the product of the
/// local rows, without communication. `A^T y` sums the products of the ranks: each of P ranks sends
/// and receives `(P - 1) / P` of the image twice (reduce-scatter and all-gather), slab by slab
/// while the product continues. A slab is `slab_ratio` times as large as the next one, so that all
/// sums except the last and smallest overlap with work. If the local operator supports it, a GPU
/// computes the next slab while the last thread blocks of the current one still run. With `split` a
/// rank holds its own columns, and `column_ranks()` adds up quantities formed over them. `A x`
/// gathers x first, `A^T y` gives each rank the sum of its columns. The bytes sent are the same,
/// vectors over the columns are P times shorter, and one whole image is kept as workspace.
///
/// With one rank the products give the same bits as those of the local operator. An operator serves
/// one execution-space instance at a time. All ranks must call the products in the same order. An
/// exception on one rank leaves the others waiting; the application must end them (MPI_Abort). If
/// it continues instead, launched work may still run until the device is fenced.
template <class ExecutionSpace, class Scalar>
class DistributedOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using Local = AnyOperator<ExecutionSpace, Scalar>;
  using RanksPointer = std::shared_ptr<const Communicator<ExecutionSpace>>;

  /// \brief Builds the operator from the rows of this rank. All ranks call it.
  ///
  /// \param local operator with the rows of this rank, possibly none, and the same columns on every
  /// rank
  /// \throws Error on all ranks when the numbers of columns differ
  DistributedOperator(const ExecutionSpace& exec, Local local, RanksPointer ranks,
                      const DistributedOptions& options = {});

  Ordinal num_rows() const { return local_.num_rows(); }
  /// \brief Returns the number of columns; with a split image that of this rank.
  Ordinal num_cols() const { return local_end_ - local_begin_; }
  /// \brief Returns the number of columns of all ranks together.
  Ordinal num_image_cols() const { return local_.num_cols(); }
  /// \brief Returns the range of columns that this rank holds.
  RowRange local_columns() const { return {local_begin_, local_end_}; }

  bool has_transpose() const { return local_.has_transpose(); }
  bool supports_ranges() const { return local_.supports_ranges(); }
  bool transposes_by_atomics() const { return local_.capabilities().transposes_by_atomics; }
  const Communicator<ExecutionSpace>* row_ranks() const { return ranks_.get(); }
  const Communicator<ExecutionSpace>* column_ranks() const {
    return options_.image == ImageDistribution::split ? ranks_.get() : nullptr;
  }
  const Local& local() const { return local_; }

  /// \brief Returns true if the local operator gives access to its rows.
  bool has_rows() const { return local_.capabilities().rows != nullptr; }
  /// \brief Returns the squared norms of the rows of this rank. Needs `has_rows`, as does the next
  /// member.
  Vector<double, memory_space> row_squared_norms(const ExecutionSpace& exec) const {
    return local_.capabilities().rows->squared_norms(exec);
  }
  /// \brief See `RowAccess::largest_block_counts`, for the columns that this rank holds. \p blocks
  /// divide the rows of this rank, into as many blocks on every rank.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     const RowSubsets& blocks,
                                                     const Ranks* ranks) const;
  const DistributedOptions& options() const { return options_; }
  /// \brief Returns the first columns of the slabs of a transposed product with \p vectors vectors,
  /// and the end.
  std::vector<Ordinal> slabs(int vectors = 1) const;

  std::size_t memory_bytes() const {
    return local_.memory_bytes() + whole_.extent(0) * sizeof(Scalar);
  }
  /// \brief Returns the bytes of the local products; `sum_bytes` counts the bytes sent.
  std::size_t apply_bytes(int vectors = 1) const { return local_.apply_bytes(vectors); }
  std::size_t apply_transpose_bytes(int vectors = 1) const {
    return local_.apply_transpose_bytes(vectors);
  }
  /// \brief Returns the minimum number of bytes that a rank sends in a forward and a transposed
  /// product with \p vectors vectors.
  std::size_t sum_bytes(int vectors = 1) const;

  /// \brief Allocates workspace: an image of \p vectors columns if the image is split, and up to
  /// three instances for slabs that a GPU computes concurrently. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;

  /// \brief Computes `Y = alpha A(rows, :)^T X + beta Y`. \p rows are local rows of this rank; the
  /// range may be empty even if the ranges of other ranks are not.
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

 private:
  using Image = MultiVectorView<Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;

  const ColumnSlabs<ExecutionSpace, Scalar>* local_slabs() const {
    return local_.capabilities().slabs;
  }
  bool is_split() const { return options_.image == ImageDistribution::split; }
  Ordinal common_slab_multiple() const;
  VectorType whole(const ExecutionSpace& exec, std::size_t vectors) const;
  bool forms_together(std::size_t slabs, int vectors) const;
  const ConcurrentInstances<ExecutionSpace>& instances(const ExecutionSpace& exec,
                                                       std::size_t slabs) const;
  std::vector<Offset> parts(std::size_t vectors) const;
  void compute_local(const ExecutionSpace& exec, Scalar alpha,
                     const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                     const Image& Y, RowRange rows) const;

  Local local_;
  RanksPointer ranks_;
  DistributedOptions options_;
  Ordinal slab_unit_ = 0;  // 0: the ranks have no common unit
  Ordinal part_ = 0;       // columns per rank if the image is split; the last ranks may have fewer
  Ordinal local_begin_ = 0, local_end_ = 0;
  mutable Vector<Scalar, memory_space> whole_;  // workspace for an image; used if it is split
  // Instances for the slabs of a product.
  mutable std::shared_ptr<const ConcurrentInstances<ExecutionSpace>> instances_;
};

TOMOKKOS_EXTERN_CLASS(DistributedOperator)

}  // namespace Tomokkos
