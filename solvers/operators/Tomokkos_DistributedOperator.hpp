// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ConcurrentInstances.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ForEach.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Where the ranks of a `DistributedOperator` have their vectors over the columns.
enum class ImageDistribution {
  replicated,  ///< every rank has all of it
  split        ///< every rank has the columns that are its own
};

template <>
struct EnumNames<ImageDistribution> {
  static constexpr std::array<std::pair<ImageDistribution, std::string_view>, 2> names{
      {{ImageDistribution::replicated, "replicated"}, {ImageDistribution::split, "split"}}};
};

/// \brief Options of `DistributedOperator`.
struct DistributedOptions {
  ImageDistribution image = ImageDistribution::replicated;
  /// Slabs of columns in which a transposed product is formed and added up: the sum of one runs
  /// beside the product of the next. 0: by the size of the image. 1 where the ranks' operators
  /// cannot be cut at the same columns, for ranges of rows, and where the image is split.
  int slabs = 0;
};

/// \brief How much larger than the next one a slab is.
inline constexpr int slab_ratio = 4;

/// \brief Slabs for a sum of \p bytes over ranks: one for each 16 MiB, four at most, since a sum
/// takes multiprocessors from the product beside it. A pure function.
int choose_slabs(std::size_t bytes);

/// \brief An operator whose rows are spread over ranks: each holds some of them as an operator of
/// its own, which no other one knows. To a solver on a rank it is an operator with the rows that
/// are here: vectors over the rows are those of this rank, `row_ranks()` adds up what is formed
/// over them.
///
/// With `replicated` the columns are whole on every rank, with the same bits: `A x` is the product
/// of the local rows, without communication; `A^T y` sums the ranks' products, `(P - 1) / P` of the
/// image sent and received twice by each of P ranks (reduce-scatter and all-gather), slab by slab
/// beside the product. A slab is `slab_ratio` times as large as the next one: all sums but the last
/// and smallest are beside work. Where the local operator can, a GPU forms the next slab while the
/// last thread blocks of one still run. With `split` a rank has the columns of its own,
/// `column_ranks()` adds up what is formed over them: `A x` gathers x first, `A^T y` gives each
/// rank the sum of its columns: the same bytes, vectors over the columns are P times shorter, and
/// one whole image is kept as workspace.
///
/// With one rank the products have the bits of the operator that it holds. Serves one
/// execution-space instance at a time. All ranks call its products in the same order; an exception
/// on one leaves the others waiting, and is for the application to end (MPI_Abort); where it goes
/// on, what had been launched may still run until the device is fenced.
template <class ExecutionSpace, class Scalar>
class DistributedOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using Local = AnyOperator<ExecutionSpace, Scalar>;
  using RanksPointer = std::shared_ptr<const Communicator<ExecutionSpace>>;

  /// \brief \p local holds the rows of this rank, which may be none; every rank has the same
  /// columns. Throws `Error` on all ranks where these differ.
  DistributedOperator(const ExecutionSpace& exec, Local local, RanksPointer ranks,
                      const DistributedOptions& options = {});

  Ordinal num_rows() const { return local_.num_rows(); }
  /// \brief Those of this rank where the image is split.
  Ordinal num_cols() const { return local_end_ - local_begin_; }
  /// \brief Columns of all ranks together.
  Ordinal num_image_cols() const { return local_.num_cols(); }
  /// \brief The columns whose vectors this rank has.
  RowRange local_columns() const { return {local_begin_, local_end_}; }

  bool has_transpose() const { return local_.has_transpose(); }
  bool supports_ranges() const { return local_.supports_ranges(); }
  bool transposes_by_atomics() const { return local_.capabilities().transposes_by_atomics; }
  const Communicator<ExecutionSpace>* row_ranks() const { return ranks_.get(); }
  const Communicator<ExecutionSpace>* column_ranks() const {
    return options_.image == ImageDistribution::split ? ranks_.get() : nullptr;
  }
  const Local& local() const { return local_; }
  const DistributedOptions& options() const { return options_; }
  /// \brief Where the slabs of a transposed product with \p vectors vectors begin, and the end.
  std::vector<Ordinal> slabs(int vectors = 1) const;

  std::size_t memory_bytes() const {
    return local_.memory_bytes() + whole_.extent(0) * sizeof(Scalar);
  }
  /// \brief Of the local products; what is sent is `sum_bytes`.
  std::size_t apply_bytes(int vectors = 1) const { return local_.apply_bytes(vectors); }
  std::size_t apply_transpose_bytes(int vectors = 1) const {
    return local_.apply_transpose_bytes(vectors);
  }
  /// \brief Bytes that a rank sends in a product and a transposed product with \p vectors vectors,
  /// at least.
  std::size_t sum_bytes(int vectors = 1) const;

  /// \brief With a split image an image of \p vectors columns; for slabs that a GPU forms at the
  /// same time up to three instances. A product that finds less makes it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;

  /// \brief \p rows are of those that are here, and may be none while those of other ranks are
  /// some.
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
  Ordinal common_slab_unit() const;
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
  Ordinal slab_unit_ = 0;  // 0: the ranks have none in common
  Ordinal part_ = 0;       // columns of a rank, where the image is split; of the last ones fewer
  Ordinal local_begin_ = 0, local_end_ = 0;
  mutable Vector<Scalar, memory_space> whole_;  // an image, where it is split
  // For the slabs of a product.
  mutable std::shared_ptr<const ConcurrentInstances<ExecutionSpace>> instances_;
};

}  // namespace Tomokkos
