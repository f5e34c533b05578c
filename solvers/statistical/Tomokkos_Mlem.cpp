// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_MlemKernels.hpp>
#include <impl/Tomokkos_MlemStart_impl.hpp>
#include <impl/Tomokkos_MlemSubsets_impl.hpp>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SubsetLoop.hpp>
#include <limits>
#include <utility>

namespace Tomokkos {

Description description_of(const MlemFigures& figures, const SolveResult& result) {
  const IterationRecord& last = result.history.back();
  if (!last.log_likelihood) return {};
  return Description::map()
      .set("log_likelihood", last.log_likelihood)
      .set("counts", figures.counts)
      .set_if("model_counts", last.model_counts)
      .set("excluded_rows", figures.excluded_rows)
      .set("excluded_counts", figures.excluded_counts)
      .set("inactive_voxels", figures.inactive_voxels);
}

MlemParams validated(const MlemParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  require(params.sensitivity_threshold >= 0 && params.sensitivity_threshold < 1,
          "the sensitivity threshold is " + std::to_string(params.sensitivity_threshold) +
              "; it is a fraction of the largest sensitivity, at least 0 and less than 1");
  require_subsets(params.subsets, params.subset_unit);
  return params;
}

template <class ExecutionSpace, class Scalar>
Mlem<ExecutionSpace, Scalar>::Mlem(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const MlemParams& params, Ordinal num_slices)
    : params_(validated(params)),
      num_rows_(num_rows),
      num_cols_(num_cols),
      num_slices_(require_slices(num_slices)),
      subsets_(num_rows, params.subsets, params.subset_unit, params.subset_begins),
      projection_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::projection",
                                                         Offset{num_rows} * num_slices)),
      weight_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::back",
                                                   Offset{num_cols} * num_slices)),
      scale_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::scale", num_cols)),
      subset_scale_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::Mlem::subset_scale",
          params.subsets > 1 ? Offset{num_cols} * params.subsets : 0)),
      before_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::Mlem::before", params.subsets > 1 ? Offset{num_cols} * num_slices : 0)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Mlem::sums",
                                                   Offset{4} * num_slices)),
      thresholds_(
          allocate<Vector<double, memory_space>>(exec, "Tomokkos::Mlem::thresholds", num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Mlem::active", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, params.iterations, num_slices) {}

template <class ExecutionSpace, class Scalar>
std::size_t Mlem<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (projection_.extent(0) + back_.extent(0) + weight_.extent(0) + scale_.extent(0) +
          subset_scale_.extent(0) + before_.extent(0)) *
             sizeof(Scalar) +
         (sums_.extent(0) + thresholds_.extent(0) + reduction_.partial().extent(0)) *
             sizeof(double) +
         active_.extent(0) * sizeof(int) + patterns_.bytes() + log_.bytes();
}

/// For a single slice, a term counts as shared.
template <class ExecutionSpace, class Scalar>
bool Mlem<ExecutionSpace, Scalar>::per_slice(const ConstVectorType& term) const {
  return num_slices_ > 1 && term.extent(0) > static_cast<std::size_t>(num_rows_);
}

/// Number of sets of weights and sensitivities: one for each pattern of missing rays, or one per
/// slice.
template <class ExecutionSpace, class Scalar>
Ordinal Mlem<ExecutionSpace, Scalar>::num_weightings() const {
  return weighs_slices_ ? num_slices_ : patterns_.count();
}

/// Number of sets that are computed together. Sets of patterns are computed one by one, so that
/// their bits do not depend on the other slices.
template <class ExecutionSpace, class Scalar>
Ordinal Mlem<ExecutionSpace, Scalar>::joint_weightings() const {
  return weighs_slices_ ? num_slices_ : 1;
}

template <class ExecutionSpace, class Scalar>
Impl::RowFactor<Scalar, typename Mlem<ExecutionSpace, Scalar>::memory_space>
Mlem<ExecutionSpace, Scalar>::factor(const ConstVectorType& values) const {
  if (weighs_slices_) return {values, num_slices_};
  return {values, num_weightings(), patterns_.set_of_slice()};
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::check_input(const ExecutionSpace& exec, const ConstVectorType& g,
                                               const VectorType& x) const {
  const auto slices = static_cast<std::size_t>(num_slices_);
  require_apart("the data", g, "the image", x);
  require_apart("the multiplicative term", terms_.multiplicative, "the image", x);
  require_apart("the additive term", terms_.additive, "the image", x);
  require_entries<ExecutionSpace, Scalar>(exec, "the data", g, 0, slices, params_.nan_data);
  // Resumed slices that had become infinite stay as they are.
  if (!resumed_) require_entries<ExecutionSpace, Scalar>(exec, "the start image", x, 0, slices);
  const auto check_term = [&](const char* name, const ConstVectorType& term) {
    if (term.extent(0) == 0) return;
    if (term.extent(0) != g.extent(0))
      require_equal(std::string("length of ") + name, static_cast<long long>(term.extent(0)),
                    "the length of the data", num_rows_);
    require_entries<ExecutionSpace, Scalar>(exec, name, term, 0, per_slice(term) ? slices : 1);
  };
  check_term("the multiplicative term", terms_.multiplicative);
  check_term("the additive term", terms_.additive);
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::reserve_weights(const ExecutionSpace& exec) {
  const auto weightings = static_cast<std::size_t>(num_weightings());
  const auto resize = [&](Vector<Scalar, memory_space>& values, const char* label,
                          std::size_t size) {
    if (values.extent(0) == size) return;
    values = {};
    values = allocate<Vector<Scalar, memory_space>>(exec, label, size);
  };
  resize(weight_, "Tomokkos::Mlem::weight", static_cast<std::size_t>(num_rows_) * weightings);
  const std::size_t voxels = static_cast<std::size_t>(num_cols_) * weightings;
  resize(scale_, "Tomokkos::Mlem::scale", voxels);
  if (subsets_.count() > 1)
    resize(subset_scale_, "Tomokkos::Mlem::subset_scale",
           voxels * static_cast<std::size_t>(subsets_.count()));
}

/// Loads the multiplicative terms of the sets from \p set on into `projection_`, 0 for rays that
/// the slices have not measured.
template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::load_multiplicative(const ExecutionSpace& exec,
                                                       const ConstMultiVectorType& G, Ordinal set) {
  const VectorType factors(projection_.data(), static_cast<std::size_t>(num_rows_) *
                                                   static_cast<std::size_t>(joint_weightings()));
  if (!weighs_slices_ && patterns_.has_gaps())
    return patterns_.template mark<Scalar>(exec, set, G, terms_.multiplicative, factors);
  if (terms_.multiplicative.extent(0) > 0)
    Kokkos::deep_copy(exec, factors, terms_.multiplicative);
  else
    Kokkos::deep_copy(exec, factors, Scalar(1));
  if (weighs_slices_ && params_.nan_data == NanData::missing)
    Kokkos::parallel_for("Tomokkos::mlem::clear_missing",
                         Impl::element_range(exec, factors.extent(0)),
                         Impl::MlemClearMissing<Scalar, memory_space>{as_vector(G), factors});
}

/// Scales the voxels of the sets from \p set on by their sensitivities, which are in `back_`, and
/// marks the active voxels there. Returns the numbers of inactive voxels.
template <class ExecutionSpace, class Scalar>
std::vector<double> Mlem<ExecutionSpace, Scalar>::scale_voxels(const ExecutionSpace& exec,
                                                               Ordinal set) {
  const Ordinal width = joint_weightings();
  std::vector<double> thresholds(static_cast<std::size_t>(width));
  for (Ordinal j = 0; j < width; ++j) {
    double largest = 0;
    Kokkos::parallel_reduce(
        "Tomokkos::mlem::largest_sensitivity", Impl::element_range(exec, num_cols_),
        Impl::LargestEntry<Scalar, memory_space>{back_, j, width}, Kokkos::Max<double>(largest));
    Impl::fence(exec, "Mlem: the largest sensitivity must have arrived");
    largest = Impl::largest_of(ranks_.columns, largest);
    require(largest > 0, "the sensitivity A^T n is zero everywhere: no row sees the image");
    // The reciprocal of a smaller number is infinite.
    constexpr double smallest = std::numeric_limits<Scalar>::min();
    require(largest > smallest && std::isfinite(largest),
            "the sensitivity A^T n is too large or too small (its largest entry is " +
                describe_number(largest) + "); choose another unit of length");
    thresholds[static_cast<std::size_t>(j)] =
        std::max(params_.sensitivity_threshold * largest, smallest);
    largest_sensitivity_ = std::max(largest_sensitivity_, largest);
  }
  Kokkos::deep_copy(
      exec, VectorView<double, memory_space>(thresholds_.data() + set, thresholds.size()),
      VectorView<const double, Kokkos::HostSpace>(thresholds.data(), thresholds.size()));
  Impl::fence(exec, "Mlem: the thresholds must have left");
  const VectorView<double, memory_space> inactive(sums_.data(), thresholds.size());
  reduce_columns_to_device<1>(exec, "Tomokkos::mlem::scale_voxels", num_cols_, width,
                              Impl::MlemScaleVoxels<Scalar, memory_space>{
                                  back_, scale_, thresholds_, num_weightings(), set},
                              reduction_, inactive);
  auto inactive_voxels = to_host_vector<ExecutionSpace>(exec, inactive);
  Impl::add_up(ranks_.columns, inactive_voxels);
  return inactive_voxels;
}

/// Computes the weights of rows and voxels.
template <class ExecutionSpace, class Scalar>
std::vector<typename Mlem<ExecutionSpace, Scalar>::Setup>
Mlem<ExecutionSpace, Scalar>::compute_weights(const ExecutionSpace& exec, const OperatorType& A,
                                              const ConstMultiVectorType& G) {
  const Ordinal width = joint_weightings(), sets = num_weightings();
  const auto rows = Impl::as_array(projection_, static_cast<std::size_t>(num_rows_),
                                   static_cast<std::size_t>(width));
  const auto voxels =
      Impl::as_array(back_, static_cast<std::size_t>(num_cols_), static_cast<std::size_t>(width));
  std::vector<double> inactive;
  largest_sensitivity_ = 0;
  for (Ordinal set = 0; set < sets; set += width) {
    load_multiplicative(exec, G, set);
    A.apply_transpose(exec, Scalar(1), rows, Scalar(0), voxels);
    for (const double count : scale_voxels(exec, set)) inactive.push_back(count);
    A.apply(exec, Scalar(1), voxels, Scalar(0), rows);
    // Sets that are computed together are all sets, in the same places.
    Kokkos::parallel_for("Tomokkos::mlem::weigh_rows", Impl::element_range(exec, rows.size()),
                         Impl::MlemWeighRows<Scalar, memory_space>{
                             projection_, terms_.multiplicative, weight_, weighs_slices_ ? 1 : sets,
                             weighs_slices_ ? 0 : set});
  }
  std::vector<Setup> setup(static_cast<std::size_t>(num_slices_));
  for (std::size_t j = 0; j < setup.size(); ++j)
    setup[j].inactive_voxels = static_cast<Ordinal>(
        inactive[weighs_slices_ ? j : static_cast<std::size_t>(patterns_.pattern_of(j))]);
  return setup;
}

/// Clears the start where a slice has no active voxels, and sums it.
template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::mask_start(const ExecutionSpace& exec, const VectorType& x,
                                              std::vector<Setup>& setup) {
  const VectorView<double, memory_space> start(sums_.data(), num_slices_);
  reduce_columns_to_device<1>(exec, "Tomokkos::mlem::mask_start", num_cols_, num_slices_,
                              Impl::MlemMaskStart<Scalar, memory_space>{factor(scale_), x},
                              reduction_, start);
  auto sums = to_host_vector<ExecutionSpace>(exec, start);
  Impl::add_up(ranks_.columns, sums);
  for (std::size_t j = 0; j < setup.size(); ++j) setup[j].start_sum = sums[j];
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::count(const ExecutionSpace& exec, const ConstVectorType& g,
                                         std::vector<Setup>& setup) {
  reduce_columns_to_device<4>(exec, "Tomokkos::mlem::count", num_rows_, num_slices_,
                              Impl::MlemCount<Scalar, memory_space>{factor(weight_), g}, reduction_,
                              sums_);
  auto sums = to_host_vector<ExecutionSpace>(exec, sums_);
  Impl::add_up(ranks_.rows, sums);
  for (std::size_t j = 0; j < setup.size(); ++j) {
    setup[j].excluded_rows = static_cast<Ordinal>(sums[4 * j]);
    setup[j].excluded_counts = sums[4 * j + 1];
    setup[j].counts = sums[4 * j + 2];
    setup[j].rhs_norm = std::sqrt(sums[4 * j + 3]);
  }
}

template <class ExecutionSpace, class Scalar>
std::vector<typename Mlem<ExecutionSpace, Scalar>::Setup> Mlem<ExecutionSpace, Scalar>::set_up(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& G,
    const VectorType& x) {
  if (!weighs_slices_)
    patterns_.template find<Scalar>(exec, G, params_.nan_data == NanData::missing, reduction_,
                                    sums_, ranks_.rows);
  reserve_weights(exec);
  std::vector<Setup> setup = compute_weights(exec, A, G);
  mask_start(exec, x, setup);
  count(exec, as_vector(G), setup);
  if (subsets_.count() > 1) set_up_subsets(exec, A, G, setup);
  for (std::size_t j = 0; j < setup.size(); ++j)
    // A start of zeros is the solution for zero data, and refused otherwise.
    require(setup[j].start_sum > 0 || setup[j].counts == 0 || resumed_,
            "the start image" +
                (num_slices_ > 1 ? " of slice " + std::to_string(j) : std::string()) +
                " is zero in all pixels that rows intersect, and MLEM cannot change zeros");
  return setup;
}

/// Computes the ratio of the rows `rows`, which have been projected.
template <class ExecutionSpace, class Scalar>
template <class Target>
void Mlem<ExecutionSpace, Scalar>::compute_ratio(const ExecutionSpace& exec,
                                                 const ConstVectorType& g, RowRange rows,
                                                 bool log_likelihood, const Target& sums,
                                                 Offset stride) {
  using Impl::rows_of;
  const bool own_additive = per_slice(terms_.additive);
  reduce_columns_to_device<3>(exec, "Tomokkos::mlem::ratio", rows.end - rows.begin, num_slices_,
                              Impl::MlemRatio<Scalar, memory_space>{
                                  rows_of(g, rows, num_slices_),
                                  factor(rows_of(weight_, rows, num_weightings())),
                                  {rows_of(terms_.additive, rows, own_additive ? num_slices_ : 1),
                                   own_additive ? num_slices_ : 1},
                                  rows_of(projection_, rows, num_slices_),
                                  log_likelihood},
                              reduction_, sums, stride);
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::compute_ratio(const ExecutionSpace& exec,
                                                 const ConstVectorType& g, int iteration) {
  compute_ratio(exec, g, {0, num_rows_}, params_.log_likelihood,
                log_.slot(iteration, Impl::RecordField::model_counts), log_.stride);
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::update(const ExecutionSpace& exec, const VectorType& x,
                                          int iteration) {
  reduce_columns_to_device<2>(
      exec, "Tomokkos::mlem::update", num_cols_, num_slices_,
      Impl::MlemUpdate<Scalar, memory_space>{back_, factor(scale_), active_, x}, reduction_,
      log_.slot(iteration, Impl::RecordField::change_squared), log_.stride);
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Mlem<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& G,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::Mlem::solve");
  const Impl::ResetAtEnd forgotten{resumed_};
  ranks_ = Impl::vector_ranks(A);
  on_all_ranks(Impl::hosts_of(ranks_.any()), [&] {
    require_stack_shapes(A.num_rows(), A.num_cols(), num_rows_, num_cols_, num_slices_, G.extent(0),
                         G.extent(1), X.extent(0), X.extent(1));
    Impl::require_ranges(A, subsets_);
  });
  const ConstVectorType g = as_vector(G);
  const VectorType x = as_vector(X);
  visited_ = Impl::visited_subsets(ranks_.rows, subsets_, num_rows_);
  // The terms of a rank without rows have no length, so ask the other ranks.
  weighs_slices_ = Impl::largest_of(ranks_.rows, per_slice(terms_.multiplicative) ? 1 : 0) > 0;
  on_all_ranks(Impl::hosts_of(ranks_.any()), [&] { check_input(exec, g, x); });
  A.reserve(exec, num_slices_);
  A.reserve_transpose(exec);
  const std::vector<Setup> setup = set_up(exec, A, G, x);
  std::vector<double> rhs_norms;
  std::vector<std::size_t> empty;  // slices whose data are zero
  for (std::size_t j = 0; j < setup.size(); ++j) {
    rhs_norms.push_back(setup[j].rhs_norm);
    if (setup[j].counts == 0 && !resumed_) empty.push_back(j);
  }
  // Data with counts must have a norm; data without counts have none.
  std::vector<double> norms = rhs_norms;
  for (std::size_t j = 0; j < norms.size(); ++j)
    if (setup[j].counts == 0) norms[j] = 1;
  Impl::require_squares<ExecutionSpace, Scalar>(exec, G, norms, Impl::hosts_of(ranks_.rows));
  const auto objective =
      params_.log_likelihood ? Impl::Objective::log_likelihood : Impl::Objective::none;
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, objective, params_.iterations,
                                               params_.check_every, params_.stop, monitor,
                                               rhs_norms, resumed_);
  if (const auto* const ranks = ranks_.any())
    loop.set_ranks(
        Impl::RecordRanks{&ranks->ranks()}
            .set_distributed(Impl::RecordField::model_counts, ranks_.rows != nullptr)
            .set_distributed(Impl::RecordField::residual_squared, ranks_.rows != nullptr)
            .set_distributed(Impl::RecordField::objective, ranks_.rows != nullptr)
            .set_distributed(Impl::RecordField::change_squared, ranks_.columns != nullptr)
            .set_distributed(Impl::RecordField::norm_squared, ranks_.columns != nullptr));
  for (std::size_t j = 0; j < setup.size(); ++j)
    loop.result(j).set_figures(static_cast<const MlemFigures&>(setup[j]));
  for (const std::size_t j : empty)
    Kokkos::parallel_for("Tomokkos::mlem::clear", Impl::element_range(exec, X.extent(0)),
                         Impl::ClearColumn<Scalar, memory_space>{X, static_cast<Offset>(j)});
  const auto projection = Impl::as_array(projection_, G.extent(0), G.extent(1));
  const auto back = Impl::as_array(back_, X.extent(0), X.extent(1));
  const auto measure = [&](int k) {
    A.apply(exec, Scalar(1), X, Scalar(0), projection);
    if (k == 0 && !resumed_) require_projection(exec, A, G, X);
    compute_ratio(exec, g, k);
  };
  if (subsets_.count() > 1) {
    if (!loop.measures(0) && empty.empty() && !resumed_) {
      A.apply(exec, Scalar(1), X, Scalar(0), projection);
      require_projection(exec, A, G, X);
    }
    if (!empty.empty()) measure(0);
    if (!loop.stop_slices(exec, 0, empty, StopReason::zero_rhs))
      Impl::iterate_subsets<ExecutionSpace, Scalar>(exec, loop, log_, subsets_, X, before_,
                                                    reduction_, measure,
                                                    [&](int i) { visit(exec, A, g, X, i); });
    return loop.results();
  }

  // Memory traffic per iteration and slice: ratio: projection and g read, projection written, 3 m
  // values; update: back and x read, x written, 3 n values. A and A^T once for all slices; weight,
  // scale and background (2 m + n values) once or once per slice.
  for (int k = loop.first();; ++k) {
    measure(k);
    if (k == 0 && loop.stop_slices(exec, k, empty, StopReason::zero_rhs)) return loop.results();
    if (loop.check_iterate(exec, k, X)) return loop.results();
    A.apply_transpose(exec, Scalar(1), projection, Scalar(0), back);
    update(exec, x, k + 1);
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                      \
  template class Mlem<ExecutionSpace, Scalar>;                            \
  template void Impl::uniform_start(                                      \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&,  \
      const MultiVectorView<const Scalar, ExecutionSpace::memory_space>&, \
      const MultiVectorView<Scalar, ExecutionSpace::memory_space>&,       \
      const MlemTerms<Scalar, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
