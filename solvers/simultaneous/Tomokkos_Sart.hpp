// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Sirt.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Parameters of `Sart`.
struct SartParams {
  /// Maximum number of sweeps; a sweep visits every view once.
  int sweeps = 10;
  /// Number of sweeps between checks by the host (rules, monitor). Each check needs one more
  /// product.
  int check_every = 10;
  /// Rules that stop earlier; none by default.
  StopRules stop{};
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// x is clamped to `[minimum, maximum]` after every view, or subset of views.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// Rows and columns are left out if the product of their sums is at most this (see `SirtParams`).
  double smallest_product = 1e-3;
  /// Number of rows per view, which are adjacent; must be set.
  Ordinal view_rows = 0;
  /// Number of ordered subsets of whole views (OS-SART), as `RowSubsets` divides them. Empty: each
  /// view is a subset.
  std::optional<int> subsets{};
  /// First row of each subset; empty: they are divided evenly. A subset without rows is skipped.
  std::vector<Ordinal> subset_begins = {};
  /// Treatment of a NaN in b: an error, or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
SartParams validated(const SartParams& params);

template <class Visitor>
void describe(Visitor&& key, SartParams& params) {
  key.integer("sweeps", params.sweeps, 0, max_count,
              "Maximum number of sweeps; a sweep visits every view once.");
  describe_steps(key, params);
  key.number("smallest_product", params.smallest_product, KeyRange::not_negative(),
             "Rows and columns are left out if the product of their sums is at most this.");
  describe_check_interval(key, params);
}

/// \brief Returns the parameters with which `Sirt` performs SART for a matrix with \p num_rows
/// rows.
SirtParams sirt_params(const SartParams& params, Ordinal num_rows);

/// \brief Simultaneous algebraic reconstruction technique (SART; Andersen and Kak 1984): view after
/// view, `x <- clamp(x + lambda C_v A_v^T R_v (b_v - A_v x))`. A_v holds the rows of view v, R_v
/// and C_v the inverses of its row and column sums. With subsets of views instead of single views
/// it is OS-SART.
///
/// SART is the parallel relative of ART: the rays of a view are treated together, with two products
/// and one update, and the next view uses the result. It is `Sirt` over ordered subsets with its
/// own rule for small sums. Only x carries over from one sweep to the next.
///
/// The usual rule of SART leaves out an entry a_ij with `|r_i c_j| <= smallest_product` for its row
/// and column sum. This is not a product of a weight for the row and one for the column. Here a row
/// is left out if the usual rule would leave out all its entries even for the largest column sum of
/// the view. Columns are treated likewise. For rays that graze the image, and for pixels at the end
/// of the detector, both rules agree.
template <class ExecutionSpace, class Scalar>
class Sart final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = SartParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates the memory of `Sirt` with one subset per view: for v
  /// views, n columns and s slices `(v + 2 s) n` values, and `s + 1` per row. The weights of all
  /// views, v n values, are about a fifth of a matrix with its stored transpose.
  Sart(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, const SartParams& params,
       Ordinal num_slices = 1)
      : params_(validated(params)),
        sirt_(exec, num_rows, num_cols, sirt_params(params, num_rows), num_slices) {}

  /// \brief Sets the order in which the next solves visit the views, or the subsets.
  ///
  /// \param order each of them once; empty: the order of their rows
  /// \throws Error when \p order does not contain each of them once
  void set_order(std::vector<Ordinal> order) { sirt_.set_order(std::move(order)); }

  /// \brief See `Sirt::resume`.
  void resume(SolveProgress progress) override { sirt_.resume(std::move(progress)); }

  /// \brief Sweeps from the start in \p X and overwrites it with the images. The slices share the
  /// weights.
  ///
  /// Before the sweeps: one product, and a transposed product for each view (the weights).
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error when an entry of B is not finite (naming it), when all row sums or all column
  /// sums are too small to be inverted, and when the operator cannot be restricted to ranges of
  /// rows
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    return sirt_.solve(exec, A, B, X, monitor);
  }
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return sirt_.num_slices(); }
  const SartParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override { return sirt_.workspace_bytes(); }

  /// \brief Returns the bytes that a sweep must move: every entry of A and A^T once, `3 s + 1`
  /// values per row, and a column vector for each view (`Sirt::iteration_bytes`).
  std::size_t iteration_bytes(const OperatorType& A) const override {
    return sirt_.iteration_bytes(A);
  }

 private:
  SartParams params_;
  Sirt<ExecutionSpace, Scalar> sirt_;
};

template <>
struct SolverOf<SartParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Sart<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
  static constexpr bool measures_whiteness = true;
};

/// \brief Parameters of `Sart` over ordered subsets of the views; `subsets` is their number.
struct OsSartParams : SartParams {};

template <class Visitor>
void describe(Visitor&& key, OsSartParams& params) {
  describe(key, static_cast<SartParams&>(params));
  int count = params.subsets.value_or(1);
  key.integer("subsets", count, 1, max_count, "Number of ordered subsets of the views.");
  params.subsets = count;
}

template <>
struct SolverOf<OsSartParams> : SolverOf<SartParams> {};

}  // namespace Tomokkos
