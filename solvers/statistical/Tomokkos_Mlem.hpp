// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_MissingPatterns.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Parameters of `Mlem`.
struct MlemParams {
  /// Maximum number of iterations.
  int iterations = 50;
  /// Number of iterations between checks by the host (rules, monitor).
  int check_every = 10;
  /// Rules that stop earlier; none by default.
  StopRules stop{};
  /// Voxels whose sensitivity `(A^T n)_j` is at most this fraction of the largest one are set to 0
  /// and stay 0: with almost no data they would only grow into bright spots.
  double sensitivity_threshold = 1e-6;
  /// Computes the log-likelihood in every iteration (a logarithm per row).
  bool log_likelihood = true;
  /// Number of ordered subsets per iteration: ranges of rows, as `RowSubsets` divides them.
  int subsets = 1;
  /// Number of rows that stay together in a subset, for example those of a view.
  Ordinal subset_unit = 1;
  /// First row of each subset; empty: they are divided evenly. A subset without rows is skipped.
  std::vector<Ordinal> subset_begins = {};
  /// Treatment of a NaN in the data: an error, or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
MlemParams validated(const MlemParams& params);

template <class Visitor>
void describe(Visitor&& key, MlemParams& params) {
  key.integer("iterations", params.iterations, 0, max_count, "Maximum number of iterations.");
  key.integer("subsets", params.subsets, 1, max_count,
              "Number of ordered subsets of the views; an iteration has one update per subset.");
  key.number("sensitivity_threshold", params.sensitivity_threshold,
             KeyRange{.minimum = 0,
                      .maximum = 1,
                      .includes_maximum = false,
                      .because = "it is a fraction of the largest sensitivity"},
             "Voxels with at most this fraction of the largest sensitivity are set to 0.");
  describe_check_interval(key, params);
}

/// \brief Terms of the model `y = n (A f) + b`. An empty term is absent (n = 1, b = 0).
///
/// A term has one value per row, which all slices of a stack share, or `num_rows x num_slices`
/// values, row-major. The arrays are not copied and must outlive the solves.
template <class Scalar, class MemorySpace>
struct MlemTerms {
  /// n: attenuation, normalisation, dead time. Not negative.
  VectorView<const Scalar, MemorySpace> multiplicative;
  /// b: scatter, randoms. Not negative.
  VectorView<const Scalar, MemorySpace> additive;
};

/// \brief Figures of MLEM for a slice; the likelihood and the counts of the model are in the
/// records.
struct MlemFigures {
  /// Sum of the data over the rows that are used.
  double counts = 0;
  /// Number of rows that are not used: rows that miss the image, and rays that the slice has not
  /// measured.
  Ordinal excluded_rows = 0;
  /// Sum of the data of the excluded rows.
  double excluded_counts = 0;
  /// Number of voxels whose sensitivity is below the threshold; they are 0.
  Ordinal inactive_voxels = 0;

  bool operator==(const MlemFigures&) const = default;
};

/// \brief Describes \p figures and the final log-likelihood for a report; the likelihood is omitted
/// if it was not recorded.
Description description_of(const MlemFigures& figures, const SolveResult& result);

/// \brief Maximum likelihood expectation maximisation for Poisson data (MLEM; Shepp and Vardi
/// 1982): `f <- f / (A^T n) * A^T [n g / (n (A f) + b)]`.
///
/// A and the start must have no negative entries. 0/0 counts as 0; no negative zero appears. Rows
/// that miss the image, with `n_i sum_j a_ij = 0` over the reconstructed voxels, are not used in
/// ratio, likelihood and counts; the result gives their number and their counts. For b = 0 every
/// iterate except the start preserves the counts, `sum_j s_j f_j = sum_i g_i`, and the likelihood
/// never decreases. Only x carries over from one iteration to the next: 10 iterations and 10 more
/// from the saved x give the same bits as 20.
///
/// In a slice with missing rays, `A^T n` is the sum over the rays that it has measured: the slice
/// has the image that it has alone, without the rows of these rays.
///
/// If all data are zero, x = 0 is the solution and the reason is `zero_rhs`.
///
/// With ordered subsets (OSEM; Hudson and Larkin 1994) an iteration has one update per subset, from
/// the first rows to the last: the formula above, with the sensitivity and all sums taken over the
/// rows of the subset only. A subset leaves a voxel unchanged if its sensitivity in that subset is
/// too small (`sensitivity_threshold` times the largest sensitivity, divided by the number of
/// subsets). For b = 0 the counts of the last subset are preserved. The likelihood may decrease,
/// and iterates may end in a limit cycle around the solution. If the rays through a voxel hold no
/// counts in one subset, the voxel becomes 0 and stays 0: use few subsets for data with few counts.
template <class ExecutionSpace, class Scalar>
class Mlem final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = MlemParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `(s + 1) (num_rows + num_cols)` values for s slices. A
  /// multiplicative term per slice increases that to `2 s (num_rows + num_cols)` in the next solve.
  /// k subsets need `(s + k) num_cols` more, or `(s + s k) num_cols`. If the slices have p patterns
  /// of missing rays, the next solve allocates what p slices with a term of their own would need.
  Mlem(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const MlemParams& params = {}, Ordinal num_slices = 1);

  /// \brief Sets the terms of the next solves.
  void set_terms(const MlemTerms<Scalar, memory_space>& terms) { terms_ = terms; }

  /// \brief Makes the next solve continue from \p progress and the x that belongs to it. The result
  /// has the same bits as without the interruption, and the whole history.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Iterates from the start in \p X and overwrites it with the images. The slices share the
  /// sensitivity unless there is a multiplicative term per slice; those with missing rays share it
  /// with the slices that lack the same rays. A slice with zero data stops alone.
  ///
  /// Before the iterations: one product and one transposed product (sensitivity, rows that miss the
  /// image) for each pattern of missing rays, with subsets another transposed product.
  ///
  /// \param G the counts, `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error when data, terms or start have a negative or non-finite entry (naming the
  /// first), when the start or the sensitivity is zero everywhere, when the start is so small that
  /// its projection vanishes or the first update overflows, when a subset has no counts, and when
  /// the operator cannot be restricted to the subsets
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& G, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return num_slices_; }
  const MlemParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move.
  ///
  /// They are the two products of \p A; for each slice 3 values per row in the ratio and 3 per
  /// column in the update; the weights of rows and columns and the background, each once or once
  /// per slice. With subsets the update is repeated for each subset, and every `check_every`
  /// iterations a product, a ratio and 4 values per column are added for the measurement.
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  /// Figures of a slice that are computed before the iterations.
  struct Setup : MlemFigures {
    double rhs_norm = 0;
    double start_sum = 0;
  };

  bool per_slice(const ConstVectorType& term) const;
  Ordinal num_weightings() const;
  Ordinal joint_weightings() const;
  Impl::RowFactor<Scalar, memory_space> factor(const ConstVectorType& values) const;
  Impl::RowFactor<Scalar, memory_space> additive() const {
    return {terms_.additive, per_slice(terms_.additive) ? num_slices_ : 1};
  }
  void check_input(const ExecutionSpace& exec, const ConstVectorType& g, const VectorType& x) const;
  void reserve_weights(const ExecutionSpace& exec);
  std::vector<Setup> set_up(const ExecutionSpace& exec, const OperatorType& A,
                            const ConstMultiVectorType& G, const VectorType& x);
  void load_multiplicative(const ExecutionSpace& exec, const ConstMultiVectorType& G, Ordinal set);
  std::vector<double> scale_voxels(const ExecutionSpace& exec, Ordinal set);
  std::vector<Setup> compute_weights(const ExecutionSpace& exec, const OperatorType& A,
                                     const ConstMultiVectorType& G);
  void mask_start(const ExecutionSpace& exec, const VectorType& x, std::vector<Setup>& setup);
  void count(const ExecutionSpace& exec, const ConstVectorType& g, std::vector<Setup>& setup);
  std::vector<double> count_dark_rows(const ExecutionSpace& exec, const ConstVectorType& g);
  void require_projection(const ExecutionSpace& exec, const OperatorType& A,
                          const ConstMultiVectorType& G, const MultiVectorType& X);
  template <class Target>
  void compute_ratio(const ExecutionSpace& exec, const ConstVectorType& g, RowRange rows,
                     bool log_likelihood, const Target& sums, Offset stride);
  void compute_ratio(const ExecutionSpace& exec, const ConstVectorType& g, int iteration);
  void update(const ExecutionSpace& exec, const VectorType& x, int iteration);
  VectorType subset_scale(int subset) const;
  void set_up_subsets(const ExecutionSpace& exec, const OperatorType& A,
                      const ConstMultiVectorType& G, const std::vector<Setup>& setup);
  void require_counts(const ExecutionSpace& exec, const ConstVectorType& g,
                      const std::vector<Setup>& setup, int subset);
  void visit(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& g,
             const MultiVectorType& X, int subset);

  MlemParams params_;
  Ordinal num_rows_, num_cols_, num_slices_;
  RowSubsets subsets_;
  std::vector<char> visited_;                // 1 for the subsets that have rows on some rank
  Impl::VectorRanks<ExecutionSpace> ranks_;  // ranks of the current solve
  bool weighs_slices_ = false;               // some rank has a multiplicative term per slice
  MlemTerms<Scalar, memory_space> terms_;
  std::optional<SolveProgress> resumed_;
  Vector<Scalar, memory_space> projection_;    // n (A f), then the ratio
  Vector<Scalar, memory_space> weight_;        // n_i, 0 for a row that is not used
  Vector<Scalar, memory_space> back_;          // A^T ratio
  Vector<Scalar, memory_space> scale_;         // 1 / sensitivity, 0 for an inactive voxel
  Vector<Scalar, memory_space> subset_scale_;  // scale of each subset, 0 where the subset leaves a
                                               // voxel unchanged
  Vector<Scalar, memory_space> before_;        // with subsets: the previous iterate
  Vector<double, memory_space> sums_;          // 4 per slice
  Vector<double, memory_space> thresholds_;
  Vector<int, memory_space> active_;  // 1 for the slices that continue
  ReductionWorkspace<memory_space> reduction_;
  Impl::MissingPatterns<ExecutionSpace> patterns_;  // of the current solve
  double largest_sensitivity_ = 0;                  // likewise
  Impl::IterationLog<ExecutionSpace> log_;
};

namespace Impl {

template <class ExecutionSpace, class Scalar>
void uniform_start(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                   const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& g,
                   const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& x,
                   const MlemTerms<Scalar, typename ExecutionSpace::memory_space>& terms);

}  // namespace Impl

/// \brief Sets the uniform start image of Wang (2019, eq. 3.3): every voxel is
/// `sum_i g_i / sum_ij n_i a_ij`, with sums in double over the rows that intersect the image; 0 if
/// these rows hold no counts. A NaN in the data marks a ray that this slice has not measured.
///
/// \param g `num_rows` values, or `num_rows x s` for a stack; each slice gets its own value
/// \param x `num_cols` values, or `num_cols x s`. g and x are contiguous (row-major) Views of one
/// scalar type.
/// \param terms only the multiplicative term is used: empty, `num_rows` values, or `num_rows x s`
/// \throws DimensionMismatch
///
/// Cost: one product, and workspace of `num_rows + num_cols` values; does not fence.
template <class ExecutionSpace, class DataView, class ImageView>
void uniform_start(const ExecutionSpace& exec,
                   const std::type_identity_t<
                       AnyOperator<ExecutionSpace, typename ImageView::non_const_value_type>>& A,
                   const DataView& g, const ImageView& x,
                   const MlemTerms<typename ImageView::non_const_value_type,
                                   typename ExecutionSpace::memory_space>& terms = {}) {
  Impl::uniform_start<ExecutionSpace, typename ImageView::non_const_value_type>(
      exec, A, as_multivector(g), as_multivector(x), terms);
}

template <>
struct SolverOf<MlemParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Mlem<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(Mlem)

}  // namespace Tomokkos
