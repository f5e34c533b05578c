// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

namespace {

double root_mean_square_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
}

/// Number from 0 to 1 that depends on both arguments alone (SplitMix64).
double uniform(std::uint64_t index, std::uint64_t stream) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ULL + stream * 0xd1b54a32d192ed03ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

}  // namespace

void RunRecorder::begin_rounded_run(int number) {
  rounded_run_ = number;
  solve_ = 0;
  last_iteration_ = -1;
  rounding_ = 0;
}

void RunRecorder::set_machine(std::string backend, std::string device, std::string scalar,
                              int threads, int ranks) {
  record_.backend = std::move(backend);
  record_.device = std::move(device);
  record_.scalar = std::move(scalar);
  record_.threads = threads;
  record_.ranks = ranks;
}

template <class Scalar>
void RunRecorder::add_product(const std::string& name, const std::vector<Scalar>& values,
                              const std::vector<double>& bounds) {
  if (is_rounded()) return;
  ProductRecord product{name, digest_of(values, record_.samples), {}};
  for (const std::size_t position : sample_positions(values.size(), record_.samples))
    product.bounds.push_back(bounds[position]);
  record_.products.push_back(std::move(product));
}

template <class Scalar>
void RunRecorder::add_iterate(int iteration, const std::vector<IterationRecord>& records,
                              const std::vector<Scalar>& x) {
  // Some solvers solve one right-hand side after the other; iterations then begin again.
  if (iteration <= last_iteration_) ++solve_;
  last_iteration_ = iteration;
  if (is_rounded()) {
    const auto same =
        std::find_if(record_.iterates.begin(), record_.iterates.end(), [&](const auto& iterate) {
          return iterate.solve == solve_ && iterate.iteration == iteration;
        });
    if (same == record_.iterates.end()) return;
    const double distance =
        root_mean_square_distance(same->x.samples, digest_of(x, record_.samples).samples);
    // The rounding of an iterate is at least that of the iterates before it, up to a factor.
    if (std::isfinite(distance)) rounding_ = std::max(distance, iteration == 0 ? 0 : rounding_ / 2);
    same->rounding = std::max(same->rounding, rounding_);
    return;
  }
  IterateRecord iterate{solve_, iteration, {}, digest_of(x, record_.samples), 0};
  for (const IterationRecord& each : records)
    iterate.residuals.push_back(each.relative_residual.value_or(std::nan("")));
  record_.iterates.push_back(std::move(iterate));
}

void RunRecorder::add_results(const std::vector<SolveResult>& results) {
  std::vector<RecordedEnd> ends;
  for (const SolveResult& result : results) ends.push_back({result.reason, result.iterations});
  if (!is_rounded()) {
    record_.ends = std::move(ends);
    return;
  }
  if (ends != record_.ends) record_.stop_depends_on_rounding = true;
  // Iterates that no run with rounded data reached.
  double last = 0;
  for (IterateRecord& iterate : record_.iterates) {
    if (iterate.iteration == 0) last = 0;
    if (iterate.rounding == 0) iterate.rounding = last;
    last = iterate.rounding;
  }
}

double test_value(std::uint64_t natural, std::uint64_t column) {
  return 0.5 + uniform(natural, 1 + column);
}

double test_sign(std::uint64_t natural, std::uint64_t stream) {
  return 2 * uniform(natural, 1000003 + stream) - 1;
}

void add_rounding_errors(double relative_error, int run, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= 1 + relative_error * test_sign(i, 1000 + static_cast<std::uint64_t>(run));
}

template <class Scalar>
double rounding_factor(double terms) {
  constexpr double unit_roundoff =
      0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  return 2 * unit_roundoff * (2 + std::min(terms, 4 * std::sqrt(terms)));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                     \
  template void RunRecorder::add_product(const std::string&, const std::vector<Scalar>&, \
                                         const std::vector<double>&);                    \
  template void RunRecorder::add_iterate(int, const std::vector<IterationRecord>&,       \
                                         const std::vector<Scalar>&);                    \
  template double rounding_factor<Scalar>(double);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
