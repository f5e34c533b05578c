// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Periodogram.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <Tomokkos_StopRules.hpp>
#include <impl/Tomokkos_MissingData.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <optional>
#include <vector>

namespace Tomokkos::Impl {

/// Measures how white the residuals of the checked iterates are. Does nothing and holds no memory
/// if the rule is not set.
template <class ExecutionSpace, class Scalar>
class WhiteNoiseProbe {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Array = MultiVectorView<const Scalar, MemorySpace>;

  WhiteNoiseProbe(const ExecutionSpace& exec, const std::optional<WhiteNoise>& rule, Ordinal rows,
                  Ordinal slices)
      : rule_(rule),
        rows_(rows),
        slices_(slices),
        projection_(allocate<Vector<Scalar, MemorySpace>>(
            exec, "Tomokkos::WhiteNoiseProbe::projection", rule ? Offset{rows} * slices : 0)) {
    if (!rule) return;
    const auto stored = static_cast<Ordinal>(rule->natural.size());
    require(stored == 0 || stored == rows,
            "stop rule ncp: " + std::to_string(stored) +
                " natural numbers are given; the number of rows is " + std::to_string(rows));
    size_ = rule->natural_size > 0 ? rule->natural_size : rows;
    length_ = rule->view_length > 0 ? rule->view_length : size_;
    require(length_ >= 2 && length_ <= size_,
            "stop rule ncp: with " + std::to_string(size_) + " rays a view cannot have " +
                std::to_string(length_) + " of them; it needs at least 2 and at most all");
  }

  std::size_t bytes() const { return projection_.extent(0) * sizeof(Scalar); }

  /// Measures the slices that continue and stores the result in their last records. Cost: a
  /// product, and a copy of both sides to the host.
  void measure(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
               const Array& B, const Array& X, std::vector<SolveResult>& results,
               const std::vector<char>& going) const {
    if (!rule_) return;
    const auto* const ranks = A.capabilities().row_ranks;
    require(ranks == nullptr || rule_->natural_size > 0 || ranks->size() == 1,
            "stop rule ncp: rows that are distributed over ranks need their natural numbers");
    A.apply(exec, Scalar(1), X, Scalar(0), as_array(projection_, B.extent(0), B.extent(1)));
    const std::vector<Scalar> data = on_host(exec, as_vector(B));
    const std::vector<Scalar> projection = on_host(exec, projection_);
    std::vector<double> residual(static_cast<std::size_t>(size_));
    for (std::size_t j = 0; j < results.size(); ++j) {
      if (going[j] == 0) continue;
      std::fill(residual.begin(), residual.end(), 0.0);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows_); ++i) {
        const std::size_t at = i * static_cast<std::size_t>(slices_) + j;
        residual[rule_->natural.empty() ? i : static_cast<std::size_t>(rule_->natural[i])] =
            measured_residual(data[at], projection[at]);
      }
      // Rows of other ranks are 0 here.
      add_up(ranks, residual);
      CumulativePeriodogram spectrum(static_cast<std::size_t>(length_));
      for (std::size_t first = 0; first + static_cast<std::size_t>(length_) <= residual.size();
           first += static_cast<std::size_t>(length_))
        spectrum.add({residual.data() + first, static_cast<std::size_t>(length_)});
      results[j].history.back().ncp = spectrum.distance_from_white();
    }
  }

 private:
  static std::vector<Scalar> on_host(const ExecutionSpace& exec,
                                     const VectorView<const Scalar, MemorySpace>& values) {
    std::vector<Scalar> host(values.extent(0));
    Kokkos::deep_copy(exec, VectorView<Scalar, Kokkos::HostSpace>(host.data(), host.size()),
                      values);
    Impl::fence(exec, "WhiteNoiseProbe: the values must have arrived");
    return host;
  }

  std::optional<WhiteNoise> rule_;
  Ordinal rows_, slices_;
  Ordinal size_ = 0, length_ = 0;
  Vector<Scalar, MemorySpace> projection_;
};

}  // namespace Tomokkos::Impl
