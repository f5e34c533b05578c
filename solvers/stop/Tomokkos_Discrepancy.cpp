// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Discrepancy.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

bool Discrepancy::stops_at(const IterationRecord& record, std::size_t slice) const {
  return (noise_level || !noise_levels.empty()) && record.residual &&
         *record.residual <= residual_limit(0, slice);
}

double Discrepancy::residual_limit(double, std::size_t slice) const {
  return factor * (noise_levels.empty() ? noise_level.value_or(0) : noise_levels.at(slice));
}

void Discrepancy::validate(const char*) const {
  require_tolerance("noise_level", noise_level.value_or(0));
  for (const double one : noise_levels) require_tolerance("noise_levels", one);
  require_tolerance("discrepancy_factor", factor);
}

std::pair<std::string, std::string> Discrepancy::refusal(const StopProblem& problem) const {
  if (noise_level || !sigma.empty() || problem.adds_noise) return {};
  return {"discrepancy.noise_level",
          "auto needs problem.noise; for measured data give the norm of the noise as a number"};
}

void Discrepancy::require_slices(std::size_t count) const {
  if (sigma.size() > 1 && sigma.size() != count)
    throw ConfigError("solver.stop.discrepancy.sigma: lists " + std::to_string(sigma.size()) +
                      " slices, but the data have " + std::to_string(count));
  if (!noise_levels.empty())
    require_equal("number of noise levels", static_cast<long long>(noise_levels.size()),
                  "the number of slices", static_cast<long long>(count));
}

void Discrepancy::complete(const StopData& data) {
  if (noise_level) return;
  noise_levels = data.noise_levels;
  if (sigma.empty()) return;
  if (!data.slab_begin) require_slices(data.counted_rays.size());
  noise_levels.clear();
  for (std::size_t j = 0; j < data.counted_rays.size(); ++j) {
    const std::size_t slice = static_cast<std::size_t>(data.slab_begin.value_or(0)) + j;
    noise_levels.push_back(sigma[std::min(slice, sigma.size() - 1)] *
                           std::sqrt(data.counted_rays[j]));
  }
  sigma.clear();  // a slab has fewer slices
}

void Discrepancy::scale(const std::vector<int>& exponents) {
  if (noise_levels.empty() && noise_level) noise_levels.assign(exponents.size(), *noise_level);
  for (std::size_t j = 0; j < noise_levels.size(); ++j)
    noise_levels[j] = std::ldexp(noise_levels[j], exponents.at(j));
}

}  // namespace Tomokkos
