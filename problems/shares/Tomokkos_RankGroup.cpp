// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace Tomokkos {

void RankGroup::agree(const std::exception_ptr& error) const {
  if (ranks_ == nullptr) {
    if (error) std::rethrow_exception(error);
    return;
  }
  const int first = Impl::first_failed(*ranks_, error != nullptr);
  if (first == size()) return;
  agreed_ = true;
  if (first == rank()) std::rethrow_exception(error);
  throw FailedElsewhere();
}

bool RankGroup::any(bool value) const {
  return ranks_ == nullptr ? value : ranks_->max_of(value ? 1 : 0) > 0;
}

std::uint64_t RankGroup::fingerprint(std::uint64_t own) const {
  if (ranks_ == nullptr) return own;
  // Halves of 32 bits are exact in double.
  const std::array<double, 2> halves{static_cast<double>(own >> 32),
                                     static_cast<double>(own & 0xffffffffU)};
  std::vector<double> all(2 * static_cast<std::size_t>(size()));
  ranks_->gather(halves, all);
  ValueHash hash;
  for (const double half : all) hash.add(static_cast<std::uint64_t>(half));
  return hash.result;
}

std::vector<double> RankGroup::gather_from_all(double own) const {
  std::vector<double> all(static_cast<std::size_t>(size()), own);
  if (ranks_ != nullptr) ranks_->gather({&own, 1}, all);
  return all;
}

std::string RankGroup::from_first(std::string text) const {
  if (ranks_ == nullptr) return text;
  std::uint64_t size = text.size();
  ranks_->broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  ranks_->broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void RankGroup::sum(std::vector<double>& values) const {
  if (ranks_ != nullptr) ranks_->sum(values);
}

void RankGroup::sum(std::vector<float>& values) const {
  if (ranks_ == nullptr) return;
  std::vector<double> all(values.begin(), values.end());
  ranks_->sum(all);
  values.assign(all.begin(), all.end());
}

std::vector<double> RankGroup::speeds(double nonzeros, double seconds) const {
  std::vector<double> speeds = gather_from_all(seconds > 0 ? nonzeros / seconds : 0);
  double slowest = std::numeric_limits<double>::infinity();
  for (const double speed : speeds)
    if (speed > 0) slowest = std::min(slowest, speed);
  for (double& speed : speeds)
    if (!(speed > 0)) speed = std::isfinite(slowest) ? slowest : 1;
  return speeds;
}

RowStatistics RankGroup::statistics_of_all(const RowStatistics& own) const {
  std::vector<RowStatistics> parts(static_cast<std::size_t>(size()), own);
  const auto gather = [&](auto figure) {
    using Value = std::remove_cvref_t<decltype(own.*figure)>;
    const std::vector<double> all = gather_from_all(static_cast<double>(own.*figure));
    for (std::size_t r = 0; r < parts.size(); ++r) parts[r].*figure = static_cast<Value>(all[r]);
  };
  gather(&RowStatistics::rows);
  gather(&RowStatistics::nonzeros);
  gather(&RowStatistics::empty_rows);
  gather(&RowStatistics::shortest);
  gather(&RowStatistics::longest);
  gather(&RowStatistics::mean);
  gather(&RowStatistics::sigma);
  gather(&RowStatistics::is_estimate);
  return statistics_of_parts(parts);
}

double share_of(const std::vector<double>& weights, int rank) {
  return weights[static_cast<std::size_t>(rank)] /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace Tomokkos
