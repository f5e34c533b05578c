// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces drivers/meshes in a program built without meshes.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_SystemRun.hpp>

namespace Tomokkos {

namespace {

constexpr const char* reason =
    "this program was built without meshes; build Tomokkos with TOMOKKOS_ENABLE_MESHES=ON";

[[noreturn]] void refuse(ProblemKind kind) {
  throw ConfigError("problem.type: " + std::string(to_string(kind)) + ": " + reason);
}

}  // namespace

// The constructor throws, so that the other members are never called.
MeshMatrixSource::MeshMatrixSource(const ProblemSection& problem, const RunSection&) {
  refuse(problem.kind);
}
double MeshMatrixSource::num_rows() const { return 0; }
double MeshMatrixSource::num_entries() const { return 0; }
Description MeshMatrixSource::mesh_description() const { return {}; }
void MeshMatrixSource::add_form_bytes(Description&) const {}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> MeshMatrixSource::make_matrix(
    const ExecutionSpace&, const OrderingOptions&) const {
  return {};
}

void add_mesh_info(const std::string& file, Description&) {
  throw InputError(file + ": " + reason);
}

template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const SystemSections& sections, const RunOptions&) {
  refuse(sections.problem.kind);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                               \
  template int run_mesh_problem<SPACE, SCALAR>(const SystemSections&, const RunOptions&); \
  template CsrMatrix<SCALAR, typename SPACE::memory_space>                                \
  MeshMatrixSource::make_matrix<SPACE, SCALAR>(const SPACE&, const OrderingOptions&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
