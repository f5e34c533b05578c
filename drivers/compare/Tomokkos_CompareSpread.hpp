// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Runs of a study of the spread.
struct SpreadStudy {
  int runs = 0;                      ///< runs of each combination
  std::vector<std::string> forward;  ///< names of `operator.variant`; empty: all
  std::vector<std::string> back;     ///< names of `operator.transpose`; empty: all
  std::vector<int> sections;         ///< values of `operator.sections`; empty: the default
  std::string csv;                   ///< file for the results of all runs; empty: none
};

/// \brief Runs \p config, in CSR, with every combination of a product and a transposed product,
/// several times each, and prints for each combination how far the sum of the result varies: over
/// the runs, and from the first combination in double. With `stored`, every product of the study is
/// also used for the transpose.
///
/// This is the study of accuracy of the MLEM thesis (table 9.2, figures 9.4 and 9.12).
///
/// \param configuration \p config with all values explicit
/// \return exit status: 1 if a combination failed or none could run
/// \throws ConfigError for a name that does not exist, or a solver without transposed products
int study_spread(const SpreadStudy& study, const RunConfig& config,
                 const ConfigNode& configuration);

}  // namespace Tomokkos
