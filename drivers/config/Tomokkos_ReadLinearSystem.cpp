// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

ProblemSection read_linear_system(const ConfigReader& root, ConfigUse use) {
  const ConfigReader reader = root.section("problem", {"type", "matrix", "stencil", "rhs"});
  ProblemSection result;
  result.kind = ProblemKind::linear_system;
  if (reader.has("stencil")) {
    reader.refuse_key("matrix", "and stencil are two matrices; give one");
    result.stencil = read_stencil(reader);
  } else {
    reader.require_key("matrix",
                       "the matrix: a .mtx, .mtx.gz, .tar.gz or .npz file (or problem.stencil)");
    result.matrix = reader.file("matrix");
    if (!is_matrix_file(result.matrix) ||
        matrix_file_format(result.matrix) == MatrixFileFormat::csr4)
      reader.fail("matrix",
                  result.matrix.string() + ": expected a .mtx, .mtx.gz, .tar.gz or .npz file");
  }
  if (use == ConfigUse::run)
    reader.require_key("rhs", "the right-hand side: a .mtx or .npy file, ones, or random");
  const std::string rhs = reader.string("rhs", "ones");
  if (rhs == "ones") {
    result.linear_rhs = LinearRhs::ones;
  } else if (rhs == "random") {
    result.linear_rhs = LinearRhs::random;
  } else {
    result.rhs = reader.file("rhs");
    if (!is_vector_file(result.rhs))
      reader.fail("rhs",
                  "expected a .mtx, .mtx.gz or .npy file, ones or random; found \"" + rhs + "\"");
  }
  return result;
}

}  // namespace Tomokkos
