// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_HaloExchange.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief A square sparse matrix whose rows are spread over ranks, as an operator on vectors that
/// are spread alike: rank r holds rows and entries `begins[r]` to `begins[r + 1]`.
///
/// A rank keeps its rows as two matrices. The own part has all of its rows, and the columns that
/// are its own, renumbered from 0. The halo part has the rows alone that meet columns of other
/// ranks, in their order, and these columns, ascending (`HaloExchange`). Every entry stands in one
/// of them; columns within a row ascend. A product packs what others need and begins to exchange
/// it, multiplies the own part meanwhile, and adds the halo part when the halo has come:
/// `y = alpha A_own x + beta y`, `y(rows) += alpha A_halo h`. The error of a row is below that of
/// `spmv` with two roundings more. With one rank there is no halo, the matrix is the one that was
/// given, and products have the bits of `CsrOperator`; then alone can launches be recorded, and the
/// CSR matrix be had.
///
/// Memory beside what was given (which can go, where there are several ranks): both matrices, 4
/// bytes a row of the halo part, `HaloExchange`, and with long rows in the halo part (over 64
/// entries) a value for each of its rows and vectors. A product with s vectors moves on each device
/// what `apply_bytes` says: that of the own part, of an exchange, the halo part once, and two
/// values a row of the halo part and vector.
///
/// Copies share the arrays and the workspace, so an operator serves one execution-space instance at
/// a time. All ranks call `apply`, `reserve` and `scaled` alike. Products with ranges of rows, and
/// transposed ones, there are not.
template <class ExecutionSpace, class Scalar>
class HaloCsrOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using CommunicatorType = Communicator<ExecutionSpace>;

  /// \brief All ranks call it. Complete on return.
  ///
  /// \param rows the rows of this rank, of which there may be none, with global columns:
  /// `num_cols` is the number of rows of all ranks together
  /// \param begins `size() + 1` numbers, rising from 0 to `rows.num_cols`, the same on all ranks
  /// \param options those of forward products are taken
  /// Throws `Error` on all ranks where these do not fit on any; `MemoryError`. Cost: three passes
  /// over the rows, `12 rows.num_cols` bytes and a copy of the rows while it works.
  HaloCsrOperator(const ExecutionSpace& exec, const matrix_type& rows,
                  const std::vector<Ordinal>& begins,
                  const std::shared_ptr<const CommunicatorType>& communicator,
                  const OperatorOptions& options = {})
      : HaloCsrOperator(begins, communicator,
                        make_parts(exec, rows, begins, communicator, options)) {}

  /// \brief Rows and columns that are here.
  Ordinal num_rows() const { return own_.num_rows(); }
  Ordinal num_cols() const { return own_.num_cols(); }
  /// \brief Of all ranks together.
  const std::vector<Ordinal>& begins() const { return begins_; }
  Ordinal global_size() const { return begins_.back(); }
  /// \brief See `OperatorCapabilities::row_ranks`, `OperatorCapabilities::column_ranks`.
  const CommunicatorType* row_ranks() const { return communicator_.get(); }
  const CommunicatorType* column_ranks() const { return communicator_.get(); }

  /// \brief The part of columns that are here.
  const matrix_type& own_matrix() const { return own_.matrix(); }
  /// \brief Entries of vectors that this rank needs of others, and rows that meet them.
  Ordinal halo_size() const { return halo_ ? halo_->exchange->halo_size() : 0; }
  Ordinal num_halo_rows() const { return halo_ ? halo_->matrix.num_rows() : 0; }
  /// \brief Entries of vectors that this rank sends to others, all together.
  Offset sent_size() const { return halo_ ? halo_->exchange->sent_size() : 0; }

  std::size_t memory_bytes() const;
  /// \brief Of what `scaled` shares.
  std::size_t pattern_bytes() const;
  std::size_t apply_bytes(int vectors = 1) const;

  /// \brief Makes room for the halo of \p vectors vectors. A product that finds less makes it.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const;

  /// \brief `d_i = A(i, i)` of the rows that are here.
  void diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const {
    own_.diagonal(exec, d);
  }
  /// \brief Blocks along the diagonal, counted from the first row that is here: none reaches from
  /// one rank into the next.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorView<Scalar, memory_space>& blocks) const {
    own_.diagonal_blocks(exec, size, blocks);
  }

  /// \brief The operator of `diag(scale) A diag(scale)`, \p scale spread as vectors are: copies of
  /// the values, the patterns, lists and buffers shared. The scale of the halo is exchanged once.
  HaloCsrOperator scaled(const ExecutionSpace& exec,
                         const VectorView<const Scalar, memory_space>& scale) const;

  /// \brief Of one rank what `CsrOperator` has: see `OperatorCapabilities::only_launches`,
  /// `StoredCsr::matrix`, `FusedDot::num_sums`, `FusedDot::apply`.
  bool only_launches() const { return !halo_ && own_.only_launches(); }
  const matrix_type* csr() const { return halo_ ? nullptr : own_.csr(); }
  Offset dot_sums() const { return halo_ ? 0 : own_.dot_sums(); }
  void apply_dot(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                 const VectorView<Scalar, memory_space>& y,
                 const VectorView<double, memory_space>& sums) const;

 private:
  /// What there is of more than one rank.
  struct Halo {
    CsrOperator<ExecutionSpace, Scalar> matrix;
    Kokkos::View<const Ordinal*, memory_space> rows;  // of this rank, for each of the matrix
    std::shared_ptr<HaloExchange<ExecutionSpace, Scalar>> exchange;
    Vector<Scalar, memory_space> product;  // where rows are long

    bool has_long_rows() const;
    void reserve(const ExecutionSpace& exec, int vectors);
    void add(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& H,
             const MultiVectorView<Scalar, memory_space>& Y);
  };
  struct Parts {
    CsrOperator<ExecutionSpace, Scalar> own;
    std::shared_ptr<Halo> halo;
  };

  HaloCsrOperator(std::vector<Ordinal> begins, std::shared_ptr<const CommunicatorType> communicator,
                  Parts parts)
      : begins_(std::move(begins)),
        communicator_(std::move(communicator)),
        own_(std::move(parts.own)),
        halo_(std::move(parts.halo)) {}

  static Parts make_parts(const ExecutionSpace& exec, const matrix_type& rows,
                          const std::vector<Ordinal>& begins,
                          const std::shared_ptr<const CommunicatorType>& communicator,
                          const OperatorOptions& options);

  std::vector<Ordinal> begins_;
  std::shared_ptr<const CommunicatorType> communicator_;
  CsrOperator<ExecutionSpace, Scalar> own_;
  std::shared_ptr<Halo> halo_;  // null: there is one rank
};

}  // namespace Tomokkos
