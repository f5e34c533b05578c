// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HaloExchange.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Square sparse matrix whose rows are distributed over ranks, as an operator on vectors
/// with the same distribution. Rank r holds rows and entries `begins[r]` to `begins[r + 1]`.
///
/// A rank stores its rows as two matrices, the own part and the halo part. The own part has all
/// rows of the rank and the columns that belong to the rank, renumbered from 0, in any format. The
/// halo part, in CSR, has only those rows that use columns of other ranks, in their order. Its
/// columns are the used columns of other ranks, in ascending order (`HaloExchange`). Every entry is
/// in one of the two parts; columns within a row ascend. A product packs the values that other
/// ranks need and starts the exchange, multiplies the own part meanwhile, and adds the halo part
/// when the halo has arrived: `y = alpha A_own x + beta y`, `y(rows) += alpha A_halo h`. The error
/// bound of a row is that of its products plus two roundings. With one rank there is no halo, the
/// own part is the whole matrix, and products give its bits. Launches can be recorded, and a CSR
/// matrix can be accessed, only with one rank.
///
/// Memory in addition to the given matrix (which may be freed if there are several ranks): both
/// matrices, 4 bytes per row of the halo part, `HaloExchange`, and for long rows in the halo part
/// (over 64 entries) a value for each of its rows and vectors. `apply_bytes` gives the bytes that a
/// product moves on each device: the bytes of the product with the own part, those of an exchange,
/// the halo part once, and two values for each vector and row of the halo part.
///
/// Copies share the arrays and the workspace, so an operator serves one execution-space instance at
/// a time. All ranks must call `apply`, `reserve` and `scaled` in the same order. Products with
/// ranges of rows and transposed products are not supported. The diagonal and scaling are available
/// if the own part has them.
template <class ExecutionSpace, class Scalar>
class HaloOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using CommunicatorType = Communicator<ExecutionSpace>;
  using OwnOperator = AnyOperator<ExecutionSpace, Scalar>;
  /// \brief Makes the operator of the own part from its matrix.
  using MakeOwn = std::function<OwnOperator(const matrix_type& own)>;

  /// \brief Builds both parts and the exchange. All ranks call it; the operator is complete on
  /// return.
  ///
  /// \param rows rows of this rank, possibly none, with global columns: `num_cols` is the number of
  /// rows of all ranks together
  /// \param begins `size() + 1` numbers, rising from 0 to `rows.num_cols`, the same on all ranks
  /// \param make_own makes the own part; it must give an operator of the same rows and columns, of
  /// the same kind on every rank
  /// \param deterministic products with the halo part have the same bits in every run
  /// \throws Error on all ranks when the arguments do not match on any rank, or `make_own` throws
  /// \throws MemoryError
  ///
  /// Cost: three passes over the rows, `12 rows.num_cols` bytes, and a temporary copy of the rows.
  HaloOperator(const ExecutionSpace& exec, const matrix_type& rows,
               const std::vector<Ordinal>& begins,
               const std::shared_ptr<const CommunicatorType>& communicator, const MakeOwn& make_own,
               bool deterministic = false)
      : HaloOperator(begins, communicator,
                     make_parts(exec, rows, begins, communicator, make_own, deterministic)) {}

  /// \brief Builds both parts in CSR.
  ///
  /// \param options only those of forward products are used
  HaloOperator(const ExecutionSpace& exec, const matrix_type& rows,
               const std::vector<Ordinal>& begins,
               const std::shared_ptr<const CommunicatorType>& communicator,
               const OperatorOptions& options = {});

  /// \brief Returns the number of rows and columns of this rank.
  Ordinal num_rows() const { return own_.num_rows(); }
  Ordinal num_cols() const { return own_.num_cols(); }
  /// \brief Returns the partition of all rows over the ranks.
  const std::vector<Ordinal>& begins() const { return begins_; }
  Ordinal global_size() const { return begins_.back(); }
  /// \brief See `OperatorCapabilities::row_ranks`, `OperatorCapabilities::column_ranks`.
  const CommunicatorType* row_ranks() const { return communicator_.get(); }
  const CommunicatorType* column_ranks() const { return communicator_.get(); }

  /// \brief Returns the part of the matrix with the columns of this rank.
  const OwnOperator& own() const { return own_; }
  /// \brief Returns the number of vector entries that this rank needs from others; `num_halo_rows`
  /// is the number of rows that use them.
  Ordinal halo_size() const { return halo_ ? halo_->exchange->halo_size() : 0; }
  Ordinal num_halo_rows() const { return halo_ ? halo_->matrix.num_rows() : 0; }
  /// \brief Returns the total number of vector entries that this rank sends to others.
  Offset sent_size() const { return halo_ ? halo_->exchange->sent_size() : 0; }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes of the arrays that the result of `scaled` shares with this operator.
  std::size_t pattern_bytes() const;
  std::size_t apply_bytes(int vectors = 1) const;

  /// \brief Allocates memory for the halo of \p vectors vectors. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const;

  /// \brief Returns true if the own part gives its diagonal.
  bool has_diagonal() const { return own_.capabilities().diagonal != nullptr; }
  /// \brief Writes `d_i = A(i, i)` for the rows of this rank.
  void diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const {
    own_.capabilities().diagonal->diagonal(exec, d);
  }
  /// \brief Writes the blocks along the diagonal, counted from the first row of this rank: no block
  /// extends into the rows of the next rank.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorView<Scalar, memory_space>& blocks) const {
    own_.capabilities().diagonal->blocks(exec, size, blocks);
  }

  /// \brief Returns true if the own part can be scaled.
  bool scales_values() const { return own_.capabilities().scaling != nullptr; }
  /// \brief Returns the operator of `diag(scale) A diag(scale)`, with \p scale distributed like
  /// vectors. Copies the values; patterns, lists and buffers are shared. The scale of the halo is
  /// exchanged once.
  HaloOperator scaled(const ExecutionSpace& exec,
                      const VectorView<const Scalar, memory_space>& scale) const {
    return scaled(exec, scale, false);
  }
  bool scales_in_float() const { return Tomokkos::scales_in_float(own_); }
  /// \brief Returns the scaled operator with the values of both parts rounded to float. The own
  /// part stores them in float.
  HaloOperator scaled_in_float(const ExecutionSpace& exec,
                               const VectorView<const Scalar, memory_space>& scale)
      const requires std::is_same_v<Scalar, double> {
    return scaled(exec, scale, true);
  }

  /// \brief Members that pass on the capabilities of a single rank. With several ranks they report
  /// that the capability is missing. See `OperatorCapabilities::only_launches`,
  /// `StoredCsr::matrix`, `FusedDot::num_sums`, `FusedDot::apply`.
  bool only_launches() const { return !halo_ && own_.capabilities().only_launches; }
  const matrix_type* csr() const { return halo_ ? nullptr : stored_csr(own_); }
  Offset dot_sums() const;
  void apply_dot(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                 const VectorView<Scalar, memory_space>& y,
                 const VectorView<double, memory_space>& sums) const;

 private:
  /// Parts that exist only with more than one rank.
  struct Halo {
    CsrOperator<ExecutionSpace, Scalar> matrix;
    Kokkos::View<const Ordinal*, memory_space> rows;  // local row of each row of `matrix`
    std::shared_ptr<HaloExchange<ExecutionSpace, Scalar>> exchange;
    Vector<Scalar, memory_space> product;  // used if rows are long

    bool has_long_rows() const;
    void reserve(const ExecutionSpace& exec, int vectors);
    void add(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& H,
             const MultiVectorView<Scalar, memory_space>& Y);
  };
  struct Parts {
    OwnOperator own;
    std::shared_ptr<Halo> halo;
  };

  HaloOperator(std::vector<Ordinal> begins, std::shared_ptr<const CommunicatorType> communicator,
               Parts parts)
      : begins_(std::move(begins)),
        communicator_(std::move(communicator)),
        own_(std::move(parts.own)),
        halo_(std::move(parts.halo)) {}

  static Parts make_parts(const ExecutionSpace& exec, const matrix_type& rows,
                          const std::vector<Ordinal>& begins,
                          const std::shared_ptr<const CommunicatorType>& communicator,
                          const MakeOwn& make_own, bool deterministic);
  HaloOperator scaled(const ExecutionSpace& exec,
                      const VectorView<const Scalar, memory_space>& scale, bool in_float) const;

  std::vector<Ordinal> begins_;
  std::shared_ptr<const CommunicatorType> communicator_;
  OwnOperator own_;
  std::shared_ptr<Halo> halo_;  // null: a single rank
};

TOMOKKOS_EXTERN_CLASS(HaloOperator)

}  // namespace Tomokkos
