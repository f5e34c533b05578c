// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_Sirt.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SirtKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SubsetLoop.hpp>
#include <utility>

namespace Tomokkos {

SirtParams validated(const SirtParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop,
                      SolverOf<SirtParams>::measures_whiteness);
  require_relaxation(params.relaxation);
  require_box(params.minimum, params.maximum);
  require(params.smallest_sum >= 0, "smallest_sum is negative");
  require(params.smallest_product.value_or(0) >= 0, "smallest_product is negative");
  require_subsets(params.subsets, params.subset_unit);
  return params;
}

template <class ExecutionSpace, class Scalar>
Sirt<ExecutionSpace, Scalar>::Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const SirtParams& params, Ordinal num_slices)
    : params_(validated(params)),
      num_slices_(require_slices(num_slices)),
      subsets_(num_rows, params.subsets, params.subset_unit, params.subset_begins),
      projection_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::projection",
                                                         Offset{num_rows} * num_slices)),
      row_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::row_weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::back",
                                                   Offset{num_cols} * num_slices)),
      col_weight_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::col_weight",
                                                         Offset{num_cols} * params.subsets)),
      before_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::Sirt::before", params.subsets > 1 ? Offset{num_cols} * num_slices : 0)),
      sums_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::Sirt::sums",
          params.nan_data == NanData::missing ? Offset{4} * num_slices : num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Sirt::active", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, params.iterations, num_slices),
      white_noise_(exec, params.stop.ncp, num_rows, num_slices) {}

template <class ExecutionSpace, class Scalar>
std::size_t Sirt<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (projection_.extent(0) + back_.extent(0) + row_weight_.extent(0) + col_weight_.extent(0) +
          before_.extent(0)) *
             sizeof(Scalar) +
         white_noise_.bytes() +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) +
         active_.extent(0) * sizeof(int) + patterns_.bytes() + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
std::size_t Sirt<ExecutionSpace, Scalar>::iteration_bytes(const OperatorType& A) const {
  const std::size_t residual = 3 * projection_.extent(0) + row_weight_.extent(0);
  const auto count = static_cast<std::size_t>(subsets_.count());
  std::size_t bytes =
      product_bytes(A, num_slices_) +
      (residual + count * 3 * back_.extent(0) + col_weight_.extent(0)) * sizeof(Scalar);
  if (count > 1)
    bytes += (A.apply_bytes(num_slices_) + (residual + 4 * back_.extent(0)) * sizeof(Scalar)) /
             static_cast<std::size_t>(params_.check_every);
  return bytes;
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::set_order(std::vector<Ordinal> order) {
  require(order.empty() || is_order_of(order, subsets_.count()),
          "the order of " + std::to_string(subsets_.count()) +
              " subsets must hold each of them once; this one has " + std::to_string(order.size()) +
              " entries");
  order_ = std::move(order);
}

template <class ExecutionSpace, class Scalar>
double Sirt<ExecutionSpace, Scalar>::largest(const ExecutionSpace& exec, const VectorType& sums,
                                             const Communicator<ExecutionSpace>* ranks) const {
  double result = 0;
  Kokkos::parallel_reduce("Tomokkos::sirt::largest_sum", Impl::element_range(exec, sums.extent(0)),
                          Impl::LargestMagnitude<Scalar, memory_space>{sums},
                          Kokkos::Max<double>(result));
  Impl::fence(exec, "Sirt: the largest sum must have arrived");
  return Impl::largest_of(ranks, result > 0 ? result : 0);
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::require_finite_sum(const char* what, double most) const {
  require(std::isfinite(most), std::string("a ") + what +
                                   " sum of A overflows; choose another unit "
                                   "of length");
}

/// Returns the largest entry in the column with the largest sum. The columns have been summed;
/// overwrites `back_` and `projection_`.
template <class ExecutionSpace, class Scalar>
double Sirt<ExecutionSpace, Scalar>::largest_entry(const ExecutionSpace& exec,
                                                   const OperatorType& A) {
  const VectorType columns(back_.data(), num_cols());
  const VectorType rows(projection_.data(), row_weight_.extent(0));
  Kokkos::parallel_for("Tomokkos::sirt::add_magnitudes",
                       Impl::element_range(exec, columns.extent(0)),
                       Impl::AddMagnitudes<Scalar, memory_space>{
                           col_weight_, columns, subsets_.count(), patterns_.count()});
  // Sums that differ by rounding count as equal, so that all formats find the same column.
  const double least = largest(exec, columns, ranks_.columns) * (1 - 1e-3);
  Offset first = std::numeric_limits<Offset>::max();
  Kokkos::parallel_reduce(
      "Tomokkos::sirt::first_column", Impl::element_range(exec, columns.extent(0)),
      Impl::FirstFrom<Scalar, memory_space>{columns, least}, Kokkos::Min<Offset>(first));
  Impl::fence(exec, "Sirt: the column must have arrived");
  if (ranks_.columns != nullptr) {
    // Only the first rank that has such a column uses it.
    const Ranks& ranks = ranks_.columns->ranks();
    const bool has_column = first < static_cast<Offset>(columns.extent(0));
    if (-ranks.max_of(has_column ? -ranks.rank() : -ranks.size()) != ranks.rank()) first = -1;
  } else if (ranks_.rows != nullptr) {
    std::vector<double> column{static_cast<double>(first)};
    Impl::broadcast_first(ranks_.rows, column);
    first = static_cast<Offset>(column.front());
  }
  Kokkos::parallel_for("Tomokkos::sirt::unit_vector", Impl::element_range(exec, columns.extent(0)),
                       Impl::SetUnit<Scalar, memory_space>{columns, first});
  A.apply(exec, Scalar(1), as_multivector(ConstVectorType(columns)), Scalar(0),
          as_multivector(rows));
  return largest(exec, rows, ranks_.rows);
}

/// Throws if all sums are too small to be inverted, unless they are all zero.
template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::check_sums(const ExecutionSpace& exec, const char* what,
                                              const VectorType& sums, double smallest,
                                              const Communicator<ExecutionSpace>* ranks) const {
  const double most = largest(exec, sums, ranks);
  require_finite_sum(what, most);
  require(!(most > 0) || most > smallest_inverted,
          std::string("the largest ") + what + " sum of A is " + describe_number(most) +
              ", too small to be inverted; choose another unit of length");
  require(!(most > 0) || most > smallest,
          std::string("no ") + what + " sum of A exceeds smallest_sum times the largest entry, " +
              describe_number(smallest) + " (the largest is " + describe_number(most) +
              "): every row or column would be left out. Lower smallest_sum");
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::invert(const ExecutionSpace& exec, const VectorType& sums,
                                          double smallest) const {
  Kokkos::parallel_for(
      "Tomokkos::sirt::invert_sums", Impl::element_range(exec, sums.extent(0)),
      Impl::SirtInvert<Scalar, memory_space>{sums, std::max(smallest, smallest_inverted)});
}

/// Inverts the sums subset by subset; leaves out sums that are too small compared with the largest
/// sum across them.
template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::invert_by_products(const ExecutionSpace& exec,
                                                      double smallest) const {
  const auto num_rows = static_cast<Ordinal>(row_weight_.extent(0));
  double most = 0;
  for (int i = 0; i < subsets_.count(); ++i) {
    const VectorType rows = Impl::rows_of(row_weight_, subsets_[i].resolved(num_rows), 1);
    const VectorType columns = subset_weight(i);
    const double row = largest(exec, rows, ranks_.rows);
    const double column = largest(exec, columns, ranks_.columns);
    require_finite_sum("row", row);
    require_finite_sum("column", column);
    most = std::max(most, row * column);
    // A division by 0 gives infinity, which no sum exceeds.
    invert(exec, rows, smallest / column);
    invert(exec, columns, smallest / row);
  }
  require(!(most > 0) || most > smallest,
          "no row sum times a column sum of a subset of A exceeds smallest_product times the "
          "square of the largest entry, " +
              describe_number(smallest) + " (the largest is " + describe_number(most) +
              "): every row or column would be left out. Lower smallest_product");
}

/// Number of columns on this rank.
template <class ExecutionSpace, class Scalar>
std::size_t Sirt<ExecutionSpace, Scalar>::num_cols() const {
  return back_.extent(0) / static_cast<std::size_t>(num_slices_);
}

/// Weights C of a subset, for every pattern of missing rays; those of a single subset are those of
/// all rows.
template <class ExecutionSpace, class Scalar>
typename Sirt<ExecutionSpace, Scalar>::VectorType Sirt<ExecutionSpace, Scalar>::subset_weight(
    int subset) const {
  const std::size_t weights = col_weight_.extent(0) / static_cast<std::size_t>(subsets_.count());
  return VectorType(col_weight_.data() + weights * static_cast<std::size_t>(subset), weights);
}

template <class ExecutionSpace, class Scalar>
Impl::RowFactor<Scalar, typename Sirt<ExecutionSpace, Scalar>::memory_space>
Sirt<ExecutionSpace, Scalar>::subset_factor(int subset) const {
  return {subset_weight(subset), patterns_.count(), patterns_.set_of_slice()};
}

/// Sums the columns over the rows of each subset that a pattern of slices has measured. Each
/// pattern has a product of its own, so that its bits do not depend on the other slices.
template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::sum_columns(const ExecutionSpace& exec, const OperatorType& A,
                                               const ConstMultiVectorType& B) {
  const auto num_rows = static_cast<Ordinal>(row_weight_.extent(0));
  const VectorType marks(projection_.data(), row_weight_.extent(0));
  const VectorType sums(back_.data(), num_cols());
  const Ordinal patterns = patterns_.count();
  for (Ordinal p = 0; p < patterns; ++p) {
    if (patterns_.has_gaps())
      patterns_.template mark<Scalar>(exec, p, B, ConstVectorType(), marks);
    else
      fill<ExecutionSpace, Scalar>(exec, marks, Scalar(1));
    for (int i = 0; i < subsets_.count(); ++i) {
      if (visited_[static_cast<std::size_t>(i)] == 0) {
        fill<ExecutionSpace, Scalar>(exec, subset_weight(i), Scalar(0));
        continue;
      }
      const ConstVectorType ones = Impl::rows_of(marks, subsets_[i].resolved(num_rows), 1);
      A.apply_transpose(exec, Scalar(1), as_multivector(ones), Scalar(0),
                        as_multivector(patterns == 1 ? subset_weight(i) : sums), subsets_[i]);
      if (patterns > 1)
        Kokkos::parallel_for(
            "Tomokkos::sirt::place_sums", Impl::element_range(exec, sums.extent(0)),
            Impl::PlaceSet<Scalar, memory_space>{sums, subset_weight(i), p, patterns});
    }
  }
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::compute_weights(const ExecutionSpace& exec,
                                                   const OperatorType& A,
                                                   const ConstMultiVectorType& B) {
  patterns_.template find<Scalar>(exec, B, params_.nan_data == NanData::missing, reduction_, sums_,
                                  ranks_.rows);
  const std::size_t weights = num_cols() * static_cast<std::size_t>(subsets_.count()) *
                              static_cast<std::size_t>(patterns_.count());
  if (col_weight_.extent(0) != weights) {
    col_weight_ = {};
    col_weight_ =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::col_weight", weights);
  }
  const VectorType col_ones(back_.data(), num_cols());
  fill<ExecutionSpace, Scalar>(exec, col_ones, Scalar(1));
  A.apply(exec, Scalar(1), as_multivector(ConstVectorType(col_ones)), Scalar(0),
          as_multivector(row_weight_));
  sum_columns(exec, A, B);
  const double bound = params_.smallest_product.value_or(params_.smallest_sum);
  const double entry = bound > 0 ? largest_entry(exec, A) : 0;
  if (params_.smallest_product) return invert_by_products(exec, bound * entry * entry);
  const double smallest = bound * entry;
  check_sums(exec, "row", row_weight_, smallest, ranks_.rows);
  // A single subset may see no pixel, but not all of them.
  check_sums(exec, "column", col_weight_, smallest, ranks_.columns);
  invert(exec, row_weight_, smallest);
  invert(exec, col_weight_, smallest);
}

/// Computes the residual of the rows `rows`, which have been projected.
template <class ExecutionSpace, class Scalar>
template <class Sum>
void Sirt<ExecutionSpace, Scalar>::compute_residual(const ExecutionSpace& exec,
                                                    const ConstVectorType& b, RowRange rows,
                                                    const Sum& squared, Offset stride) {
  using Impl::rows_of;
  reduce_columns_to_device<1>(exec, "Tomokkos::sirt::residual", rows.end - rows.begin, num_slices_,
                              Impl::SirtResidual<Scalar, memory_space>{
                                  rows_of(b, rows, num_slices_), rows_of(row_weight_, rows, 1),
                                  rows_of(projection_, rows, num_slices_)},
                              reduction_, squared, stride);
}

template <class ExecutionSpace, class Scalar>
Impl::SirtUpdate<Scalar, typename Sirt<ExecutionSpace, Scalar>::memory_space>
Sirt<ExecutionSpace, Scalar>::update(int subset, const VectorType& x) const {
  return {back_,
          subset_factor(subset),
          active_,
          x,
          static_cast<Scalar>(params_.relaxation),
          static_cast<Scalar>(params_.minimum),
          static_cast<Scalar>(params_.maximum)};
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::visit(const ExecutionSpace& exec, const OperatorType& A,
                                         const ConstVectorType& b, const MultiVectorType& X,
                                         int subset) {
  const RowRange rows = subsets_[subset];
  if (visited_[static_cast<std::size_t>(subset)] == 0) return;
  const auto projection = Impl::as_array(Impl::rows_of(projection_, rows, num_slices_),
                                         rows.end - rows.begin, X.extent(1));
  A.apply(exec, Scalar(1), X, Scalar(0), projection, rows);
  compute_residual(exec, b, rows, sums_, 1);
  A.apply_transpose(exec, Scalar(1), projection, Scalar(0),
                    Impl::as_array(back_, X.extent(0), X.extent(1)), rows);
  Kokkos::parallel_for(
      "Tomokkos::sirt::update_subset", Impl::element_range(exec, back_.extent(0)),
      Impl::SirtUpdateSubset<Scalar, memory_space>{update(subset, as_vector(X)), num_slices_});
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Sirt<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::Sirt::solve");
  const Impl::ResetAtEnd forgotten{resumed_};
  const Offset rows = static_cast<Offset>(row_weight_.extent(0));
  const Offset columns = static_cast<Offset>(num_cols());
  ranks_ = Impl::vector_ranks(A);
  const ConstVectorType b = as_vector(B);
  const VectorType x = as_vector(X);
  on_all_ranks(Impl::hosts_of(ranks_.any()), [&] {
    require_stack_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(rows),
                         static_cast<Ordinal>(columns), num_slices_, B.extent(0), B.extent(1),
                         X.extent(0), X.extent(1));
    Impl::require_ranges(A, subsets_);
    require_apart("the data", b, "the image", x);
    require_entries<ExecutionSpace, Scalar>(exec, "the data", b,
                                            -std::numeric_limits<double>::infinity(), B.extent(1),
                                            params_.nan_data);
  });
  visited_ = Impl::visited_subsets(ranks_.rows, subsets_, static_cast<Ordinal>(rows));
  A.reserve(exec, num_slices_);
  A.reserve_transpose(exec);
  compute_weights(exec, A, B);
  Impl::measured_squares<ExecutionSpace, Scalar>(exec, reduction_, B, sums_);
  std::vector<double> rhs_norms = to_host_vector<ExecutionSpace>(exec, sums_);
  rhs_norms.resize(B.extent(1));
  Impl::add_up(ranks_.rows, rhs_norms);
  for (auto& norm : rhs_norms) norm = std::sqrt(norm);
  Impl::require_squares<ExecutionSpace, Scalar>(exec, B, rhs_norms, Impl::hosts_of(ranks_.rows));
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, Impl::Objective::none,
                                               params_.iterations, params_.check_every,
                                               params_.stop, monitor, rhs_norms, resumed_);
  if (const auto* const ranks = ranks_.any())
    loop.set_ranks(
        Impl::RecordRanks{&ranks->ranks()}
            .set_distributed(Impl::RecordField::residual_squared, ranks_.rows != nullptr)
            .set_distributed(Impl::RecordField::change_squared, ranks_.columns != nullptr)
            .set_distributed(Impl::RecordField::norm_squared, ranks_.columns != nullptr));
  if (params_.stop.ncp)
    loop.set_probe([&](const ExecutionSpace& instance, std::vector<SolveResult>& results,
                       const std::vector<char>& going) {
      white_noise_.measure(instance, A, B, X, results, going);
    });
  const auto projection = Impl::as_array(projection_, B.extent(0), B.extent(1));
  const auto back = Impl::as_array(back_, X.extent(0), X.extent(1));
  const auto measure = [&](int k) {
    A.apply(exec, Scalar(1), X, Scalar(0), projection);
    compute_residual(exec, b, {0, static_cast<Ordinal>(rows)},
                     log_.slot(k, Impl::RecordField::residual_squared), log_.stride);
  };
  if (subsets_.count() > 1) {
    Impl::iterate_subsets<ExecutionSpace, Scalar>(
        exec, loop, log_, subsets_, X, before_, reduction_, measure,
        [&](int i) { visit(exec, A, b, X, order_.empty() ? i : order_[i]); });
    return loop.results();
  }

  // Memory traffic per iteration and slice: residual: projection and b read, projection written, 3
  // m values; update: back and x read, x written, 3 n values. Once for all slices: A, A^T, R (m
  // values), C (n).
  for (int k = loop.first();; ++k) {
    measure(k);
    if (loop.check_iterate(exec, k, X)) return loop.results();
    A.apply_transpose(exec, Scalar(1), projection, Scalar(0), back);
    reduce_columns_to_device<2>(exec, "Tomokkos::sirt::update", columns, num_slices_, update(0, x),
                                reduction_, log_.slot(k + 1, Impl::RecordField::change_squared),
                                log_.stride);
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Sirt<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
