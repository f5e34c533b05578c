// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

void read_symmetry(const ConfigReader& reader, const ProblemSection& problem,
                   const SolverSection& solver, OperatorSection& result) {
  // `format: scsr` is another way to say it, with `stored_format` for the format.
  const bool by_format = result.symmetric;
  const bool symmetry = reader.boolean("symmetry", by_format);
  if (by_format && !symmetry)
    reader.fail("symmetry",
                "format: scsr stores one ray of each orbit, which symmetry: false "
                "excludes; name another format");
  result.symmetric = symmetry;
  const char* const key = by_format ? "stored_format" : "format";
  if (!result.symmetric || !by_format)
    reader.refuse_key("stored_format", "has no effect on the format " + result.format_name() +
                                           "; it belongs to scsr");
  if (!result.symmetric) {
    reader.refuse_key("transpose_format", "has no effect on the format " + result.format_name() +
                                              "; it belongs to scsr");
    return;
  }
  if (const ConfigNode* node = reader.find(by_format ? "format" : "symmetry"))
    result.format_position = node->position;
  if (!problem.as<ScanConfig>())
    reader.fail(by_format ? "format" : "symmetry",
                "scsr is of a parallel or fan beam whose matrix is made from problem.geometry");
  result.stored = default_options(*from_string<MatrixFormat>(
      reader.one_of(key, "csr", {"csr", "sell", "packed_csr", "ray_tiles", "pair_blocked"})));
  const bool is_csr = result.is(MatrixFormat::csr);
  if (has_sweeps(solver.kind()) && !is_csr)
    reader.fail(
        key, std::string(to_string(solver.kind())) + " visits single rows, which only csr offers");
  if (solver.takes_row_ranges() && !is_csr)
    reader.fail(key, row_ranges_of(solver) + " are ranges of rows, which csr offers");
}

void read_transpose_format(const ConfigReader& reader, const SolverSection& solver,
                           OperatorSection& result) {
  if (!reader.has("transpose_format")) return;
  if (!uses_transpose(solver.kind()))
    reader.refuse_key("transpose_format", "has no effect on the solver " +
                                              std::string(to_string(solver.kind())) +
                                              ", which needs no transposed product");
  const std::string name =
      reader.one_of("transpose_format", "automatic", {"automatic", "csr", "sell"});
  if (name == "automatic") return;
  result.transpose_format = *from_string<MatrixFormat>(name);
  if (result.transpose_format == MatrixFormat::sell &&
      (solver.takes_row_ranges() || solver.kind() == SolverKind::block_art))
    reader.fail("transpose_format", name + " is for products with all rays, which " +
                                        std::string(to_string(solver.kind())) +
                                        " does not form here; allowed: csr");
  if (!result.is(MatrixFormat::csr) || result.transpose != TransposeMethod::stored)
    reader.fail(
        "transpose_format",
        "is of the stored transpose of rays in csr (stored_format: csr, transpose: stored)");
  if (result.transpose_format == MatrixFormat::csr) return;
  reader.refuse_key("transpose_variant", "is of a stored transpose in csr, not in " + name);
}

}  // namespace Tomokkos
