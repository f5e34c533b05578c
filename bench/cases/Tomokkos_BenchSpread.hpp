// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <functional>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Runs \p launch, which overwrites \p y with the same product each time, \p runs times and
/// compares y after each run with y after the first.
///
/// Allocates a copy of y. If results are not finite, the figures are NaN.
/// \pre runs >= 2
template <class ExecutionSpace, class Scalar>
SpreadFigures spread_of(const ExecutionSpace& exec, const std::function<void()>& launch,
                        const Vector<Scalar, typename ExecutionSpace::memory_space>& y, int runs);

}  // namespace Tomokkos::Bench
