// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_HaloOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RanksWish.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Processes that share a linear system, and their communicator; by default a single one.
template <class ExecutionSpace>
struct SystemRanks {
  const RankGroup* group = nullptr;  ///< must outlive its users; null: a single process
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator = {};
};

/// \brief Rows of a linear system, a chart or a smoothing on the ranks that share it.
///
/// Rank r holds rows `begins()[r]` to `begins()[r + 1]` in the order of the solver. A square system
/// cuts its unknowns in the same way; a least-squares problem has all unknowns on every rank.
/// Without ranks the object does nothing: all rows belong to the only process.
template <class ExecutionSpace, class Scalar>
class SharedSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Prepared = BuiltSystem<ExecutionSpace, Scalar>;
  using Map = IndexMap<memory_space>;
  using Order = MatrixOrder<memory_space>;
  /// \brief Prepares the operator of the rows and the columns of a rank.
  using Prepare = std::function<Prepared(const Matrix& own)>;

  /// \param task what is asked of the operator
  /// \param wish must outlive the object
  /// \param block_rows rows that a preconditioner keeps together
  SharedSystem(const ExecutionSpace& exec, SystemTask task, const RanksWish& wish,
               Ordinal block_rows, SystemRanks<ExecutionSpace> ranks)
      : exec_(exec),
        task_(std::move(task)),
        wish_(wish),
        block_rows_(block_rows),
        ranks_(ranks.group),
        communicator_(std::move(ranks.communicator)) {}

  /// \brief True if several ranks share the rows.
  bool is_used() const { return communicator_ != nullptr; }

  /// \brief Calls \p step on all ranks, which all end if it throws on one. See
  /// `RankGroup::together`.
  template <class Step>
  auto together(const Step& step) const {
    return is_used() ? ranks_->together(step) : step();
  }

  /// \brief Throws `ConfigError` for settings that only tomography has. No effect on a single
  /// process.
  void require_supported() const;

  /// \brief Cuts rows by their nonzeros, or \p rows of almost equal length by their number. Shares
  /// begin at multiples of \p unit and of the block of `block_jacobi`.
  void cut(const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets, Ordinal unit = 1);
  void cut_evenly(Ordinal rows, Ordinal unit = 1);

  /// \brief Returns the rows that \p make makes for this rank by cutting a matrix. With measured
  /// weights it first makes equal shares, measures their products, and cuts again by their speed.
  /// Collective; \p make must not wait for other ranks.
  template <class Make>
  Matrix make_rows(const Make& make, bool with_transpose = false) {
    Matrix rows = together(make);
    if (!is_used() || !wish_.measured) return rows;
    measure(rows, with_transpose);
    rows = {};  // makes room for those of the second cut
    return together(make);
  }

  /// \brief The ranks; null: a single process.
  const RankGroup* ranks() const { return ranks_; }
  const std::vector<Ordinal>& begins() const { return begins_; }
  /// \brief Rows of this rank.
  RowRange own() const {
    const auto r = static_cast<std::size_t>(ranks_->rank());
    return {begins_[r], begins_[r + 1]};
  }

  /// \brief Rows of this rank of a whole matrix in the order of the solver, which is cut by its
  /// nonzeros; \p A itself on a single process.
  Matrix share(const Matrix& A, Ordinal unit = 1);

  /// \brief Map of the rows of this rank. \p map is that of all rows, empty: the identity.
  std::optional<Map> own_part(const std::optional<Map>& map) const {
    return is_used() ? restrict_map(exec_, map, begins_.back(), {own()}) : map;
  }

  /// \brief Prepares a square system, with the format of the task for the columns of this
  /// rank. Collective.
  ///
  /// \param rows rows of this rank with all columns
  /// \param vectors number of vectors of a product
  /// \param prepare_own prepares the part with the columns of this rank; empty: `prepare_operator`
  Prepared prepare_square(const Matrix& rows, Ordinal vectors,
                          const Prepare& prepare_own = {}) const;
  /// \brief Prepares a least-squares problem. Collective.
  Prepared prepare_rectangular(const Matrix& rows, Ordinal vectors) const;

 private:
  std::vector<double> weights() const {
    return weights_.empty() ? wish_.weights_of(ranks_->size()) : weights_;
  }
  void measure(const Matrix& rows, bool with_transpose);
  template <class Operator>
  Prepared finished(Operator A, Description report, const RowStatistics& own,
                    const Description& more) const;

  ExecutionSpace exec_;
  SystemTask task_;
  const RanksWish& wish_;
  Ordinal block_rows_;  // shares begin at multiples of it
  const RankGroup* ranks_;
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator_;  // null: one process
  std::vector<double> weights_;  // measured; empty: not measured
  std::vector<Ordinal> begins_;  // first row of each rank, and the end
};

}  // namespace Tomokkos
