// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Sart.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {

SartParams validated(const SartParams& params) {
  require_loop_params(params.sweeps, params.check_every, params.stop,
                      SolverOf<SartParams>::measures_whiteness);
  require_relaxation(params.relaxation);
  require_box(params.minimum, params.maximum);
  require(params.smallest_product >= 0, "smallest_product is negative");
  require(params.view_rows >= 1,
          "view_rows is " + std::to_string(params.view_rows) +
              "; it must be the number of rows (rays) of a view, at least 1");
  if (params.subsets) require_subsets(*params.subsets, params.view_rows);
  return params;
}

SirtParams sirt_params(const SartParams& params, Ordinal num_rows) {
  const SartParams checked = validated(params);
  SirtParams result;
  result.iterations = checked.sweeps;
  result.check_every = checked.check_every;
  result.stop = checked.stop;
  result.relaxation = checked.relaxation;
  result.minimum = checked.minimum;
  result.maximum = checked.maximum;
  result.smallest_product = checked.smallest_product;
  const Ordinal unit = checked.view_rows;
  const Ordinal views = num_rows / unit + (num_rows % unit != 0 ? 1 : 0);
  result.subsets = checked.subsets.value_or(std::max<Ordinal>(1, views));
  result.subset_unit = unit;
  result.subset_begins = checked.subset_begins;
  result.nan_data = checked.nan_data;
  return result;
}

}  // namespace Tomokkos
