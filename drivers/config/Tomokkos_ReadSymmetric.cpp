// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

void read_symmetric_operator(const ConfigReader& reader, const ProblemSection& problem,
                             const SolverSection& solver, OperatorSection& result) {
  result.symmetric = true;
  result.format_position = reader.find("format")->position;
  if (problem.kind != ProblemKind::tomography || !problem.has_scan_geometry())
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

void read_transpose_format(const ConfigReader& reader, const SolverSection& solver,
                           OperatorSection& result) {
  if (!reader.has("transpose_format")) return;
  if (!uses_transpose(solver.kind))
    reader.refuse_key("transpose_format", "has no effect on the solver " +
                                              std::string(to_string(solver.kind)) +
                                              ", which needs no transposed product");
  const std::string name =
      reader.one_of("transpose_format", "automatic", {"automatic", "csr", "sell"});
  if (name == "automatic") return;
  result.transpose_format = *from_string<MatrixFormat>(name);
  if (result.transpose_format == MatrixFormat::sell &&
      (solver.takes_row_ranges() || solver.kind == SolverKind::block_art))
    reader.fail("transpose_format", name + " is for products with all rays, which " +
                                        std::string(to_string(solver.kind)) +
                                        " does not form here; allowed: csr");
  if (result.format != MatrixFormat::csr || result.transpose != TransposeMethod::stored)
    reader.fail(
        "transpose_format",
        "is of the stored transpose of rays in csr (stored_format: csr, transpose: stored)");
  if (result.transpose_format == MatrixFormat::csr) return;
  reader.refuse_key("transpose_variant", "is of a stored transpose in csr, not in " + name);
}

}  // namespace Tomokkos
