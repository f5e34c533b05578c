// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace Tomokkos {

namespace {

/// Number from 0 to 1 that depends on both arguments alone (SplitMix64).
double uniform(std::uint64_t index, std::uint64_t stream) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ULL + stream * 0xd1b54a32d192ed03ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

/// Random number from -1 to 1 for entry \p natural, the same on every machine.
double test_sign(std::uint64_t natural, int stream) {
  return 2 * uniform(natural, 1000003 + static_cast<std::uint64_t>(stream)) - 1;
}

/// Calls `action(own, natural)` with the indices of each entry of \p slices vectors: by position
/// in the order of the solver, and by slice in natural order.
template <class Action>
void for_each_entry(const Numbering& numbering, std::size_t length, std::size_t slices,
                    const Action& action) {
  for (std::size_t p = 0; p < length; ++p) {
    const std::size_t i =
        numbering.is_identity() ? p : static_cast<std::size_t>(numbering.natural[p]);
    for (std::size_t j = 0; j < slices; ++j) action(p * slices + j, j * numbering.size + i);
  }
}

}  // namespace

void RunRecorder::begin_rounded_run(int number) {
  rounded_run_ = number;
  solve_ = 0;
  last_iteration_ = -1;
  rounding_ = 0;
}

template <class Scalar>
void RunRecorder::add_product(const std::string& name, const std::vector<Scalar>& values,
                              const std::vector<double>& bounds) {
  if (is_rounded()) return;
  ProductRecord product{name, digest_of(values, record.samples), {}};
  for (const std::size_t position : sample_positions(values.size(), record.samples))
    product.bounds.push_back(bounds[position]);
  record.products.push_back(std::move(product));
}

template <class Scalar>
void RunRecorder::add_iterate(int iteration, const std::vector<IterationRecord>& records,
                              const std::vector<Scalar>& x) {
  // Some solvers solve one right-hand side after the other; iterations then begin again.
  if (iteration <= last_iteration_) ++solve_;
  last_iteration_ = iteration;
  IterateRecord iterate{{solve_, iteration}, {}, 0, digest_of(x, record.samples)};
  if (!is_rounded()) {
    for (const IterationRecord& each : records)
      iterate.residuals.push_back(each.relative_residual.value_or(std::nan("")));
    record.iterates.push_back(std::move(iterate));
    return;
  }
  const auto exact = std::find(record.iterates.begin(), record.iterates.end(), iterate);
  if (exact == record.iterates.end()) return;
  const double distance = root_mean_square(differences(exact->x.samples, iterate.x.samples));
  // The rounding of an iterate is at least that of the iterates before it, up to a factor.
  if (std::isfinite(distance)) rounding_ = std::max(distance, iteration == 0 ? 0 : rounding_ / 2);
  exact->rounding = std::max(exact->rounding, rounding_);
}

void RunRecorder::add_results(const std::vector<SolveResult>& results) {
  std::vector<RecordedEnd> ends;
  for (const SolveResult& result : results) ends.push_back({result.reason, result.iterations});
  if (!is_rounded()) {
    record.ends = std::move(ends);
    return;
  }
  if (ends != record.ends) record.stop_depends_on_rounding = true;
  // Iterates that no run with rounded data reached.
  double last = 0;
  for (IterateRecord& iterate : record.iterates) {
    if (iterate.iteration == 0) last = 0;
    if (iterate.rounding == 0) iterate.rounding = last;
    last = iterate.rounding;
  }
}

template <class MemorySpace>
Numbering make_numbering(const std::optional<IndexMap<MemorySpace>>& map, std::size_t length,
                         bool is_distributed) {
  if (!map) return {{}, length, is_distributed};
  const auto natural = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map->to_natural);
  return {{natural.data(), natural.data() + natural.extent(0)},
          static_cast<std::size_t>(map->natural_size()),
          is_distributed};
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
      longest_row_(static_cast<double>(longest_row)) {
  if (rows_.size == 0) rows_ = {{}, static_cast<std::size_t>(A.num_rows()), false};
  if (columns_.size == 0) columns_ = {{}, static_cast<std::size_t>(A.num_cols()), false};
  RunRecord& record = recorder.record;
  record.backend = backend_name<ExecutionSpace>();
  record.device = device_name(exec);
  record.scalar = scalar_name<Scalar>();
  record.threads = host_threads();
  record.ranks = ranks != nullptr ? ranks->size() : 1;
}

/// Columns on the device as slices on the host, in natural order and complete; 0 for indices
/// without a position.
template <class ExecutionSpace, class Scalar>
typename RunObservation<ExecutionSpace, Scalar>::Values
RunObservation<ExecutionSpace, Scalar>::gathered(const ConstColumns& values,
                                                 const Numbering& numbering) const {
  const Values own = copy_to_host(exec_, as_vector(values));
  Values natural(numbering.size * values.extent(1));
  for_each_entry(numbering, values.extent(0), values.extent(1),
                 [&](std::size_t here, std::size_t there) { natural[there] = own[here]; });
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
  const std::size_t slices = natural.size() / numbering.size;
  const std::size_t length = numbering.is_identity() ? numbering.size : numbering.natural.size();
  Values own(length * slices);
  for_each_entry(numbering, length, slices,
                 [&](std::size_t here, std::size_t there) { own[here] = natural[there]; });
  return copy_to_device(exec_, own);
}

template <class ExecutionSpace, class Scalar>
typename RunObservation<ExecutionSpace, Scalar>::Values
RunObservation<ExecutionSpace, Scalar>::product(const Values& x, bool transposed) const {
  const Numbering& from = transposed ? rows_ : columns_;
  const std::size_t vectors = x.size() / from.size;
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
      if (test_sign(i % from.size, k) < 0) signs[i] = -signs[i];
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

/// Number of products in a sum of `A x` or `A' y`.
template <class ExecutionSpace, class Scalar>
double RunObservation<ExecutionSpace, Scalar>::terms(bool transposed) const {
  return transposed ? static_cast<double>(rows_.size) : std::max(longest_row_, 1.0);
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
    const double factor = rounding_factor<Scalar>(terms(of_transpose));
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
  const std::vector<double>& bounds = recorder_.data_bounds;
  // Products with the transpose round as well. Errors of the data stand for theirs.
  const double factor = rounding_factor<Scalar>(terms(uses_transpose_));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto value = static_cast<double>(b[i]);
    const double error = factor * std::max(std::abs(value), i < bounds.size() ? bounds[i] : 0.0);
    const double changed = value + test_sign(i, 7 + recorder_.rounded_run()) * error;
    // Data of counts stay counts.
    b[i] = static_cast<Scalar>(value >= 0 ? std::max(changed, 0.0) : changed);
  }
  return scattered(b, rows_);
}

template <class ExecutionSpace, class Scalar>
void RunObservation<ExecutionSpace, Scalar>::record_results(const std::vector<SolveResult>& results,
                                                            const ConstColumns& X) {
  recorder_.add_results(results);
  if (recorder_.is_rounded()) return;
  const Values x = gathered(X, columns_);
  const bool is_finite =
      std::all_of(x.begin(), x.end(), [](Scalar value) { return std::isfinite(value); });
  if (is_finite) recorder_.data_bounds = magnitudes(x, product(x, false), false);
}

double test_value(std::uint64_t natural, std::uint64_t column) {
  return 0.5 + uniform(natural, 1 + column);
}

void add_rounding_errors(double relative_error, int run, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= 1 + relative_error * test_sign(i, 1000 + run);
}

template <class Scalar>
double rounding_factor(double terms) {
  constexpr double unit_roundoff =
      0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  return 2 * unit_roundoff * (2 + std::min(terms, 4 * std::sqrt(terms)));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class RunObservation<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(MEMORY) \
  template Numbering make_numbering(const std::optional<IndexMap<MEMORY>>&, std::size_t, bool);
TOMOKKOS_FOR_EACH_MEMORY(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(Scalar)                                                     \
  template void RunRecorder::add_product(const std::string&, const std::vector<Scalar>&, \
                                         const std::vector<double>&);                    \
  template void RunRecorder::add_iterate(int, const std::vector<IterationRecord>&,       \
                                         const std::vector<Scalar>&);                    \
  template double rounding_factor<Scalar>(double);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
