// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Solver.hpp>
#include <cmath>

namespace Tomokkos {

void require_shapes(Ordinal A_rows, Ordinal A_cols, Ordinal num_rows, Ordinal num_cols,
                    std::size_t b_length, std::size_t x_length) {
  require_equal("rows of A", A_rows, "the rows that the solver was made for", num_rows);
  require_equal("columns of A", A_cols, "the columns that the solver was made for", num_cols);
  require_equal("length of b", static_cast<long long>(b_length), "the rows of A", A_rows);
  require_equal("length of x", static_cast<long long>(x_length), "the columns of A", A_cols);
}

void require_stack_shapes(Ordinal A_rows, Ordinal A_cols, Ordinal num_rows, Ordinal num_cols,
                          Ordinal num_slices, std::size_t B_rows, std::size_t B_columns,
                          std::size_t X_rows, std::size_t X_columns) {
  require_shapes(A_rows, A_cols, num_rows, num_cols, B_rows, X_rows);
  require_equal("columns of b", static_cast<long long>(B_columns),
                "the number of right-hand sides or slices that the solver was made for",
                num_slices);
  require_equal("columns of x", static_cast<long long>(X_columns),
                "the number of right-hand sides or slices that the solver was made for",
                num_slices);
}

Ordinal require_slices(Ordinal num_slices) {
  require(num_slices >= 1, "the number of right-hand sides or slices is " +
                               std::to_string(num_slices) + "; it must be at least 1");
  return num_slices;
}

Ordinal require_length(const char* what, Ordinal length) {
  require(length >= 0, std::string("the ") + what + " is " + std::to_string(length) +
                           "; it must not be negative");
  return length;
}

void require_loop_params(int iterations, int check_every, const StopRules& rules,
                         bool measures_whiteness) {
  require(iterations >= 0, "the number of iterations is " + std::to_string(iterations) +
                               "; it must not be negative");
  require(check_every >= 1,
          "check_every is " + std::to_string(check_every) + "; it must be at least 1");
  validate(rules);
  require(!rules.needs(Measurement::whiteness) || measures_whiteness,
          "stop rule " + rules.rule_needing(Measurement::whiteness) +
              " applies only to solvers for noisy data: sirt, sart, cgls, art");
}

void require_subsets(int subsets, Ordinal unit) {
  require(subsets >= 1,
          "the number of subsets is " + std::to_string(subsets) + "; it must be at least 1");
  require(unit >= 1,
          "the unit of subsets is " + std::to_string(unit) + " rows; it must be at least 1");
}

void require_relaxation(double relaxation) {
  require(relaxation > 0 && relaxation < 2,
          "the relaxation is " + std::to_string(relaxation) + "; it must be between 0 and 2");
}

void require_relaxation_decay(double decay) {
  require(std::isfinite(decay) && decay >= 0, "the decay of the relaxation is " +
                                                  std::to_string(decay) +
                                                  "; it must be finite and not negative");
}

void require_box(double minimum, double maximum) {
  require(minimum <= maximum, "the minimum " + std::to_string(minimum) +
                                  " is larger than the maximum " + std::to_string(maximum));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                               \
  template void require_entries<ExecutionSpace, Scalar>(                                           \
      const ExecutionSpace&, const char*,                                                          \
      const VectorView<const Scalar, typename ExecutionSpace::memory_space>&, double, std::size_t, \
      NanData);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
