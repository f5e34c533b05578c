// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunObservation.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace Tomokkos {

template <class MemorySpace>
Numbering make_numbering(const std::optional<IndexMap<MemorySpace>>& map, Ordinal length) {
  if (!map) return {{}, static_cast<std::size_t>(length), false};
  const auto natural = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map->to_natural);
  return {{natural.data(), natural.data() + natural.extent(0)},
          static_cast<std::size_t>(map->natural_size()),
          false};
}

template <class ExecutionSpace, class Scalar>
RunObservation<ExecutionSpace, Scalar>::RunObservation(RunRecorder& recorder,
                                                       const ExecutionSpace& exec,
                                                       const RunRanks* ranks, const OperatorType& A,
                                                       Numbering rows, Numbering columns,
                                                       Offset longest_row)
    : recorder_(recorder),
      exec_(exec),
      ranks_(ranks),
      A_(A),
      rows_(std::move(rows)),
      columns_(std::move(columns)),
      longest_row_(static_cast<double>(longest_row)) {}

/// Columns on the device as slices on the host, in natural order and complete; 0 for indices
/// without a position.
template <class ExecutionSpace, class Scalar>
typename RunObservation<ExecutionSpace, Scalar>::Values
RunObservation<ExecutionSpace, Scalar>::gathered(const ConstColumns& values,
                                                 const Numbering& numbering) const {
  const std::size_t length = values.extent(0), slices = values.extent(1);
  Values own(values.size());
  Kokkos::deep_copy(exec_, VectorView<Scalar, Kokkos::HostSpace>(own.data(), own.size()),
                    as_vector(values));
  exec_.fence();
  Values natural(numbering.size * slices);
  for (std::size_t p = 0; p < length; ++p) {
    const std::size_t i =
        numbering.is_identity() ? p : static_cast<std::size_t>(numbering.natural[p]);
    for (std::size_t j = 0; j < slices; ++j) natural[j * numbering.size + i] = own[p * slices + j];
  }
  if (ranks_ == nullptr || !numbering.is_distributed) return natural;
  std::vector<double> sums(natural.begin(), natural.end());
  ranks_->sum(sums);
  natural.assign(sums.begin(), sums.end());
  return natural;
}

/// The inverse of `gathered`.
template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space>
RunObservation<ExecutionSpace, Scalar>::scattered(const Values& natural,
                                                  const Numbering& numbering) const {
  const auto slices = static_cast<std::size_t>(vectors_of(natural, numbering));
  const std::size_t length = numbering.is_identity() ? numbering.size : numbering.natural.size();
  Values own(length * slices);
  for (std::size_t p = 0; p < length; ++p) {
    const std::size_t i =
        numbering.is_identity() ? p : static_cast<std::size_t>(numbering.natural[p]);
    for (std::size_t j = 0; j < slices; ++j) own[p * slices + j] = natural[j * numbering.size + i];
  }
  Vector<Scalar, memory_space> result("Tomokkos::RunObservation::vectors", own.size());
  Kokkos::deep_copy(exec_, result,
                    VectorView<const Scalar, Kokkos::HostSpace>(own.data(), own.size()));
  exec_.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
typename RunObservation<ExecutionSpace, Scalar>::Values
RunObservation<ExecutionSpace, Scalar>::product(const Values& x, bool transposed) const {
  const Numbering& from = transposed ? rows_ : columns_;
  const auto vectors = static_cast<std::size_t>(vectors_of(x, from));
  const Vector<Scalar, memory_space> input = scattered(x, from);
  const auto length = static_cast<std::size_t>(transposed ? A_.num_cols() : A_.num_rows());
  const Vector<Scalar, memory_space> output("Tomokkos::RunObservation::product", length * vectors);
  const ConstColumns X(input.data(), input.extent(0) / vectors, vectors);
  const MultiVectorView<Scalar, memory_space> Y(output.data(), length, vectors);
  if (transposed)
    A_.apply_transpose(exec_, Scalar(1), X, Scalar(0), Y);
  else
    A_.apply(exec_, Scalar(1), X, Scalar(0), Y);
  return gathered(Y, transposed ? columns_ : rows_);
}

/// Upper estimates of `|A| |x|`, given `y = A x`. They are exact, up to rounding, for matrices
/// without negative entries. For others they follow from products with random signs: the root mean
/// square of such a product is the norm of the terms of an entry.
template <class ExecutionSpace, class Scalar>
std::vector<double> RunObservation<ExecutionSpace, Scalar>::magnitudes(const Values& x,
                                                                       const Values& y,
                                                                       bool transposed) {
  const Numbering& from = transposed ? rows_ : columns_;
  Values positive = x;
  for (Scalar& value : positive) value = std::abs(value);
  const Values bound = positive == x ? y : product(positive, transposed);
  std::vector<double> magnitude(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) magnitude[i] = std::abs(static_cast<double>(bound[i]));
  if (is_nonnegative_.value_or(false)) return magnitude;

  constexpr int probes = 4;
  std::vector<double> squares(y.size());
  bool is_bound = true;
  double largest = 0;
  for (const double value : magnitude) largest = std::max(largest, value);
  for (int k = 0; k < probes; ++k) {
    Values signs = positive;
    for (std::size_t i = 0; i < signs.size(); ++i)
      if (test_sign(i % from.size, static_cast<std::uint64_t>(k)) < 0) signs[i] = -signs[i];
    const Values probe = product(signs, transposed);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double value = std::abs(static_cast<double>(probe[i]));
      squares[i] += value * value / probes;
      // An entry that exceeds the product with positive vectors has terms of both signs.
      is_bound = is_bound && value <= 1.001 * static_cast<double>(bound[i]) + 1e-4 * largest;
    }
  }
  if (!is_nonnegative_) is_nonnegative_ = is_bound;
  if (*is_nonnegative_) return magnitude;
  for (std::size_t i = 0; i < y.size(); ++i)
    magnitude[i] = std::max(magnitude[i], 2 * std::sqrt(longest_row_ * squares[i]));
  return magnitude;
}

template <class ExecutionSpace, class Scalar>
void RunObservation<ExecutionSpace, Scalar>::record_products(Ordinal vectors, bool transposed) {
  uses_transpose_ = transposed;
  double largest_sum = 0;
  for (const bool of_transpose : {false, true}) {
    if (of_transpose && !transposed) return;
    const Numbering& from = of_transpose ? rows_ : columns_;
    Values x(from.size * static_cast<std::size_t>(vectors));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<Scalar>(test_value(i % from.size, i / from.size));
    const Values y = product(x, of_transpose);
    std::vector<double> bounds = magnitudes(x, y, of_transpose);
    for (const double value : bounds) largest_sum = std::max(largest_sum, value);
    const double terms =
        of_transpose ? static_cast<double>(rows_.size) : std::max(longest_row_, 1.0);
    const double factor = rounding_factor<Scalar>(terms);
    // Some products of a GPU add whole numbers of a unit, which is a fixed part of the largest sum.
    const double unit = of_transpose && sizeof(Scalar) == 4 ? 0x1p-29 : 0x1p-59;
    const double absolute =
        factor * unit / static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * largest_sum;
    for (double& bound : bounds) bound = factor * bound + absolute;
    recorder_.add_product(of_transpose ? "A' y" : "A x", y, bounds);
  }
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space>
RunObservation<ExecutionSpace, Scalar>::rounded(const ConstColumns& B) const {
  Values b = gathered(B, rows_);
  const std::vector<double>& bounds = recorder_.data_bounds();
  // Products with the transpose round as well. Errors of the data stand for theirs.
  const double terms =
      uses_transpose_ ? static_cast<double>(rows_.size) : std::max(longest_row_, 1.0);
  const double factor = rounding_factor<Scalar>(terms);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto value = static_cast<double>(b[i]);
    const double error = factor * std::max(std::abs(value), i < bounds.size() ? bounds[i] : 0.0);
    const double changed =
        value + test_sign(i, 7 + static_cast<std::uint64_t>(recorder_.rounded_run())) * error;
    // Data of counts stay counts.
    b[i] = static_cast<Scalar>(value >= 0 ? std::max(changed, 0.0) : changed);
  }
  return scattered(b, rows_);
}

template <class ExecutionSpace, class Scalar>
void RunObservation<ExecutionSpace, Scalar>::record_iterate(
    int iteration, const std::vector<IterationRecord>& records, const ConstColumns& X) const {
  recorder_.add_iterate(iteration, records, gathered(X, columns_));
}

template <class ExecutionSpace, class Scalar>
void RunObservation<ExecutionSpace, Scalar>::record_results(const std::vector<SolveResult>& results,
                                                            const ConstColumns& X) {
  recorder_.add_results(results);
  if (recorder_.is_rounded()) return;
  const Values x = gathered(X, columns_);
  const bool is_finite =
      std::all_of(x.begin(), x.end(), [](Scalar value) { return std::isfinite(value); });
  if (is_finite) recorder_.set_data_bounds(magnitudes(x, product(x, false), false));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class RunObservation<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(MEMORY) \
  template Numbering make_numbering(const std::optional<IndexMap<MEMORY>>&, Ordinal);
TOMOKKOS_FOR_EACH_MEMORY(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
