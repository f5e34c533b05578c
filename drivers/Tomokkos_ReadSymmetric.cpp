// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

void read_symmetric_operator(const ConfigReader& reader, const ProblemSection& problem,
                             const SolverSection& solver, OperatorSection& result) {
  result.symmetric = true;
  result.format_position = reader.find("format")->position;
  if (!problem.has_scan_geometry())
    reader.fail("format",
                "scsr is of a parallel or fan beam whose matrix is made from problem.geometry");
  result.format = *from_string<MatrixFormat>(reader.one_of(
      "stored_format", "csr", {"csr", "sell", "packed_csr", "ray_tiles", "pair_blocked"}));
  if (has_sweeps(solver.kind) && result.format != MatrixFormat::csr)
    reader.fail("stored_format",
                std::string(to_string(solver.kind)) + " visits single rows, which only csr offers");
  if (solver.takes_row_ranges() && result.format != MatrixFormat::csr)
    reader.fail("stored_format", row_ranges_of(solver) + " are ranges of rows, which csr offers");
}

}  // namespace Tomokkos
