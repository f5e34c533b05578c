// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Sirt.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Parameters of `Sart`.
struct SartParams {
  /// Number of sweeps; one visits every view once.
  int sweeps = 10;
  /// The host looks (rules, monitor) every so many sweeps; each look takes a product of its own.
  int check_every = 10;
  /// Reasons to stop earlier; none by default.
  StopRules stop;
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// x is clamped to `[minimum, maximum]` after every view, or subset of views.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// What has a row sum times a column sum up to this takes no part (`SirtParams`).
  double smallest_product = 1e-3;
  /// Rows of a view, which follow each other; has to be given.
  Ordinal view_rows = 0;
  /// Ordered subsets of whole views (OS-SART), as `RowSubsets` cuts them; nothing: each view is
  /// one.
  std::optional<int> subsets;
  /// Where these begin, one row for each; empty: they are cut evenly. One without rows is passed
  /// over.
  std::vector<Ordinal> subset_begins = {};
  /// Whether a NaN in b is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
SartParams validated(const SartParams& params);

template <class Visitor>
void describe(Visitor&& key, SartParams& params) {
  key.integer("sweeps", params.sweeps, 0, most_count, "Sweeps; one visits every view once.");
  describe_steps(key, params);
  key.number("smallest_product", params.smallest_product, KeyRange::not_negative(),
             "Rows and columns take no part where the product of their sums is at most this.");
  describe_looks(key, params);
}

/// \brief What `Sirt` is given to be SART of a matrix with \p num_rows rows.
SirtParams sirt_params(const SartParams& params, Ordinal num_rows);

/// \brief The simultaneous algebraic reconstruction technique (Andersen and Kak 1984): view after
/// view, `x <- clamp(x + lambda C_v A_v^T R_v (b_v - A_v x))`, A_v the rows of view v, R_v and C_v
/// the inverses of its row and column sums. With subsets of views in place of single ones OS-SART.
///
/// The parallel cousin of ART: the rays of a view are taken together, two products and an update
/// each, and the next view sees what they changed. It is `Sirt` over ordered subsets with a rule of
/// its own for small sums. Nothing but x carries over from one sweep to the next.
///
/// The rule of Andersen and Kak's followers leaves out an entry a_ij with `|r_i c_j| <=
/// smallest_product` of its row and column sum. That is no product of a weight for the row and one
/// for the column; here a row goes where all its entries would for the largest column sum of the
/// view, and a column likewise. Of a ray that grazes the image, and of a pixel at the end of the
/// detector, it is the same.
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

  /// \brief Checks \p params and allocates what `Sirt` with as many subsets as there are views
  /// does: for v views, n columns and s slices `(v + 2 s) n` values, and `s + 1` a row. The weights
  /// of all views, v n values, are about a fifth of a matrix with its stored transpose.
  Sart(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, const SartParams& params,
       Ordinal num_slices = 1)
      : params_(validated(params)),
        sirt_(exec, num_rows, num_cols, sirt_params(params, num_rows), num_slices) {}

  /// \brief The views, or subsets, in the order of their visits, for the solves to come; empty: as
  /// their rows lie. Throws `Error` unless each stands there once.
  void set_order(std::vector<Ordinal> order) { sirt_.set_order(std::move(order)); }

  /// \brief As `Sirt::resume`.
  void resume(SolveProgress progress) override { sirt_.resume(std::move(progress)); }

  /// \brief Sweeps from the start in \p X and leaves the images there. The slices share the
  /// weights.
  ///
  /// Before the sweeps: a product, and a transposed one of each view (the weights).
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error for a non-finite entry of B (naming it), where all sums are too small, and for
  /// an operator that cannot be restricted to ranges of rows \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    return sirt_.solve(exec, A, B, X, monitor);
  }
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return sirt_.num_slices(); }
  const SartParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override { return sirt_.workspace_bytes(); }

  /// \brief Bytes that a sweep must move: every entry of A and A^T once, `3 s + 1` values a row,
  /// and a column for each view (`Sirt::iteration_bytes`).
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
};

/// \brief Parameters of `Sart` over ordered subsets of the views, which `subsets` counts.
struct OsSartParams : SartParams {};

template <class Visitor>
void describe(Visitor&& key, OsSartParams& params) {
  describe(key, static_cast<SartParams&>(params));
  int count = params.subsets.value_or(1);
  key.integer("subsets", count, 1, most_count, "Ordered subsets of the views.");
  params.subsets = count;
}

template <>
struct SolverOf<OsSartParams> : SolverOf<SartParams> {};

}  // namespace Tomokkos
