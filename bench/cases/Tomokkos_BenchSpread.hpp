// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <functional>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Runs \p launch, which overwrites \p y with the same product each time, \p runs times and
/// compares what is in y after each run with the first.
///
/// Allocates a copy of y. Of results that are not finite the figures are no numbers.
/// \pre runs >= 2
template <class ExecutionSpace, class Scalar>
SpreadFigures spread_of(const ExecutionSpace& exec, const std::function<void()>& launch,
                        const Vector<Scalar, typename ExecutionSpace::memory_space>& y, int runs);

}  // namespace Tomokkos::Bench
