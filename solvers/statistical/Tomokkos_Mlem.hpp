// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Parameters of `Mlem`.
struct MlemParams {
  /// Number of iterations.
  int iterations = 50;
  /// The host looks (rules, monitor) every so many iterations.
  int check_every = 10;
  /// Reasons to stop earlier; none by default.
  StopRules stop;
  /// Voxels whose sensitivity `(A^T n)_j` is not above this share of the largest one are set to 0
  /// and stay 0: with next to no data they only grow into bright spots.
  double sensitivity_threshold = 1e-6;
  /// Forms the log-likelihood in every iteration (a logarithm per row).
  bool log_likelihood = true;
  /// Ordered subsets of an iteration, ranges of rows as `RowSubsets` cuts them.
  int subsets = 1;
  /// Rows that stay together in a subset, those of a view.
  Ordinal subset_unit = 1;
  /// Where the subsets begin, one row for each; empty: they are cut evenly. One without rows is
  /// passed over.
  std::vector<Ordinal> subset_begins = {};
  /// Whether a NaN among the data is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
MlemParams validated(const MlemParams& params);

template <class Visitor>
void describe(Visitor&& key, MlemParams& params) {
  key.integer("iterations", params.iterations, 0, most_count, "Most iterations.");
  key.integer("subsets", params.subsets, 1, most_count,
              "Ordered subsets of the views; an iteration is an update by each.");
  key.number("sensitivity_threshold", params.sensitivity_threshold,
             KeyRange{.least = 0,
                      .most = 1,
                      .includes_most = false,
                      .because = "it is a share of the largest sensitivity"},
             "Voxels seen by at most this share of the largest sensitivity become 0.");
  describe_looks(key, params);
}

/// \brief Terms of the model `y = n (A f) + b`; what is empty is absent (1, 0). One value per row,
/// which all slices of a stack share, or `num_rows x num_slices` values, row-major. Not copied: the
/// arrays must outlive the solves.
template <class Scalar, class MemorySpace>
struct MlemTerms {
  /// n: attenuation, normalisation, dead time. Not negative.
  VectorView<const Scalar, MemorySpace> multiplicative;
  /// b: scatter, randoms. Not negative.
  VectorView<const Scalar, MemorySpace> additive;
};

/// \brief What MLEM tells of a slice; the likelihood and the counts of the model are in the
/// records.
struct MlemFigures {
  /// Sum of the data of the rows that take part.
  double counts = 0;
  /// Rows that miss the image and take no part, and rays that the slice has not measured.
  Ordinal excluded_rows = 0;
  /// Sum of the data of the excluded rows.
  double excluded_counts = 0;
  /// Voxels whose sensitivity is under the threshold; they are 0.
  Ordinal inactive_voxels = 0;

  bool operator==(const MlemFigures&) const = default;
};

/// \brief Describes \p figures and the end of the log-likelihood for a report; nothing where it was
/// not recorded.
Description description_of(const MlemFigures& figures, const SolveResult& result);

/// \brief Maximum likelihood for Poisson data by expectation maximisation (Shepp and Vardi 1982):
/// `f <- f / (A^T n) * A^T [n g / (n (A f) + b)]`.
///
/// A and the start hold no negative entries. 0/0 counts as 0, no negative zero appears. Rows that
/// miss the image, `n_i sum_j a_ij = 0` over the voxels that are reconstructed, take no part in
/// ratio, likelihood and counts; the result tells how many they are and what they hold. For b = 0
/// every iterate but the start preserves the counts, `sum_j s_j f_j = sum_i g_i`, and the
/// likelihood never falls. Nothing but x carries over from one iteration to the next: 10 iterations
/// and 10 more from the saved x give the bits of 20.
///
/// Where all data are zero, x = 0 is the solution and the reason is `zero_rhs`.
///
/// With ordered subsets (OSEM; Hudson and Larkin 1994) an iteration is an update by each subset in
/// turn, from the first rows to the last: the formula with the rows of the subset alone, in
/// sensitivity and sums. A voxel that a subset sees by too little (`sensitivity_threshold`, of the
/// largest sensitivity over the number of subsets) is left as it is by that subset. For b = 0 the
/// counts of the subset that came last are preserved. The likelihood may fall, and iterates may go
/// round in a circle about the solution. Where the rays through a voxel hold no counts in one
/// subset, it becomes 0 and stays so: with few counts take few subsets.
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

  /// \brief Checks \p params and allocates `(s + 1) (num_rows + num_cols)` values for s slices; a
  /// multiplicative term per slice makes the next solve grow that to `2 s (num_rows + num_cols)`.
  /// k subsets take `(s + k) num_cols` more, or `(s + s k) num_cols`.
  Mlem(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const MlemParams& params = {}, Ordinal num_slices = 1);

  /// \brief The terms of the solves to come.
  void set_terms(const MlemTerms<Scalar, memory_space>& terms) { terms_ = terms; }

  /// \brief Lets the next solve go on from \p progress and the x that belongs to it, as if it had
  /// not been interrupted: the same bits, and the whole history in the result.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Iterates from the start in \p X and leaves the images there. The slices share the
  /// sensitivity unless the multiplicative term is one per slice. Data of zeros end their slice
  /// alone.
  ///
  /// Before the iterations: one product and one transposed product (sensitivity, rows that see
  /// nothing), with subsets another transposed product.
  ///
  /// \param G the counts, `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error for negative or non-finite data, terms or start (naming the first), a start that
  /// is zero everywhere, a sensitivity that is, a subset without counts, an operator that cannot be
  /// restricted to subsets
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& G, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return num_slices_; }
  const MlemParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move: the two products of \p A; for each slice 3 values a
  /// row in the ratio and 3 a column in the update; the weights of rows and columns and the
  /// background, each once or once a slice. With subsets an update comes once a subset, and every
  /// `check_every` iterations a product, a ratio and 4 values a column to measure.
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  /// Of a slice.
  struct Setup : MlemFigures {
    double rhs_norm = 0;
    double start_sum = 0;
  };

  bool per_slice(const ConstVectorType& term) const;
  Ordinal num_weightings() const;
  Impl::RowFactor<Scalar, memory_space> factor(const ConstVectorType& values) const;
  void check_input(const ExecutionSpace& exec, const ConstVectorType& g, const VectorType& x) const;
  void reserve_weights(const ExecutionSpace& exec);
  std::vector<Setup> set_up(const ExecutionSpace& exec, const OperatorType& A,
                            const ConstVectorType& g, const VectorType& x);
  void load_multiplicative(const ExecutionSpace& exec);
  std::vector<Setup> scale_voxels(const ExecutionSpace& exec, const VectorType& x);
  void weigh_rows(const ExecutionSpace& exec, const ConstVectorType& g, std::vector<Setup>& setup);
  template <class Target>
  void compute_ratio(const ExecutionSpace& exec, const ConstVectorType& g, RowRange rows,
                     bool log_likelihood, const Target& sums, Offset stride);
  void compute_ratio(const ExecutionSpace& exec, const ConstVectorType& g, int iteration);
  void update(const ExecutionSpace& exec, const VectorType& x, int iteration);
  VectorType subset_scale(int subset) const;
  void set_up_subsets(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& g,
                      const std::vector<Setup>& setup);
  void require_counts(const ExecutionSpace& exec, const ConstVectorType& g,
                      const std::vector<Setup>& setup, int subset);
  void visit(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& g,
             const MultiVectorType& X, int subset);

  MlemParams params_;
  Ordinal num_rows_, num_cols_, num_slices_;
  RowSubsets subsets_;
  std::vector<char> visited_;                // 1 for the subsets with rows, on whatever rank
  Impl::VectorRanks<ExecutionSpace> ranks_;  // of the solve that runs
  bool weighs_slices_ = false;               // by a multiplicative term for each, on whatever rank
  MlemTerms<Scalar, memory_space> terms_;
  std::optional<SolveProgress> resumed_;
  Vector<Scalar, memory_space> projection_;    // n (A f), then the ratio
  Vector<Scalar, memory_space> weight_;        // n_i, 0 for a row that takes no part
  Vector<Scalar, memory_space> back_;          // A^T ratio
  Vector<Scalar, memory_space> scale_;         // 1 / sensitivity, 0 for an inactive voxel
  Vector<Scalar, memory_space> subset_scale_;  // the same of each subset, 0 where it keeps a voxel
  Vector<Scalar, memory_space> before_;        // with subsets: the iterate before
  Vector<double, memory_space> sums_;          // 4 per slice
  Vector<double, memory_space> thresholds_;
  Vector<int, memory_space> active_;  // 1 for the slices that go on
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
};

namespace Impl {

template <class ExecutionSpace, class Scalar>
void uniform_start(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                   const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& g,
                   const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& x,
                   const MlemTerms<Scalar, typename ExecutionSpace::memory_space>& terms);

}  // namespace Impl

/// \brief The start image of Wang (2019, eq. 3.3): every voxel `sum_i g_i / sum_ij n_i a_ij`, with
/// sums in double over the rows that see the image; 0 when these hold no counts. A NaN among the
/// data stands for a ray that this slice has not measured.
///
/// \param g `num_rows` values, or `num_rows x s` for a stack, whose slices have a value each
/// \param x `num_cols` values, or `num_cols x s`; contiguous (row-major) Views of one scalar, both
/// \param terms of these the multiplicative one: none, `num_rows` values, or `num_rows x s`
///
/// One product, and workspace of `num_rows + num_cols` values; does not fence. Throws
/// `DimensionMismatch`.
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

}  // namespace Tomokkos
