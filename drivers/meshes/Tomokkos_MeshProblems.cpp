// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes and their matrices, for commands that do not solve a problem.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Flatten.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_Smooth.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cctype>

namespace Tomokkos {

struct MeshMatrixSource::Mesh : LoadedMesh {
  bool is_chart;
  ChartForm form;
};

MeshMatrixSource::MeshMatrixSource(const ProblemSection& problem, const RunSection& run) {
  const bool is_chart = problem.kind == ProblemKind::parameterization;
  Mesh mesh{is_chart ? load_chart_mesh(problem, run.scalar == scalar_name<float>())
                     : load_smoothing_mesh(problem),
            is_chart, problem.form};
  if (!is_chart) mesh.locked = choose_locks(problem.locked, run.seed, mesh);
  mesh_ = std::make_shared<const Mesh>(std::move(mesh));
}

double MeshMatrixSource::num_rows() const {
  const double vertices = num_vertices(mesh_->mesh);
  return mesh_->is_chart ? 2 * (vertices - 2) : vertices - num_locked(mesh_->locked);
}

double MeshMatrixSource::num_entries() const {
  // A vertex has about six neighbours, and twelve more that these have.
  if (!mesh_->is_chart) return 19 * num_rows();
  return (mesh_->form == ChartForm::shared ? 7 : 14) * num_rows();
}

Description MeshMatrixSource::mesh_description() const {
  Description result = Tomokkos::mesh_description(*mesh_);
  if (!mesh_->is_chart) result.set("locked", num_locked(mesh_->locked));
  return result;
}

void MeshMatrixSource::add_form_bytes(Description& bytes) const {
  if (!mesh_->is_chart) return;
  const auto shared = conformal_system(mesh_->mesh, mesh_->pins).matrix;
  const auto shared_float = convert_values<float>(shared);
  const auto add = [&](ChartForm form, std::size_t in_float, std::size_t in_double) {
    bytes.set(
        to_string(form),
        describe_map({{scalar_name<float>(), in_float}, {scalar_name<double>(), in_double}}, true));
  };
  add(ChartForm::shared, shared_float.memory_bytes(), shared.memory_bytes());
  add(ChartForm::complex, complex_from_shared(shared_float).memory_bytes(),
      complex_from_shared(shared).memory_bytes());
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> MeshMatrixSource::make_matrix(
    const ExecutionSpace& exec, const OrderingOptions& ordering) const {
  require_usable_size(*mesh_, std::is_same_v<Scalar, float>);
  const TriangleMesh& mesh = mesh_->mesh;
  Impl::MemoryNeed need;
  // The assembly of a chart takes some 200 bytes per triangle.
  need.add(static_cast<std::uint64_t>(num_triangles(mesh)), 200);
  need.add_csr(static_cast<std::uint64_t>(num_rows()), static_cast<std::uint64_t>(num_entries()),
               sizeof(Scalar));
  need.require_available("the matrix of " + mesh_->name);
  if (!mesh_->is_chart) {
    const auto smoothing = assemble_smoothing<ExecutionSpace, Scalar>(exec, mesh, mesh_->rings,
                                                                      mesh_->locked, mesh_->name);
    return order_square<ExecutionSpace, Scalar>(exec, ordering, smoothing.equations().matrix()).A;
  }
  const ConformalSystem conformal = ordered_conformal_system(mesh, mesh_->pins, ordering);
  if (mesh_->form == ChartForm::equations)
    return assemble_chart<ExecutionSpace, Scalar>(exec, mesh, mesh_->pins, conformal).matrix();
  const auto shared = convert_values<Scalar>(conformal.matrix);
  return copy_to<typename ExecutionSpace::memory_space>(
      exec,
      mesh_->form == ChartForm::shared ? to_csr(shared) : to_csr(complex_from_shared(shared)));
}

void add_mesh_info(const std::string& file, Description& result) {
  MeshConfig config;
  config.file = file;
  LoadedMesh loaded = load_mesh(config);
  loaded.topology = mesh_topology(loaded.mesh);
  std::string format = config.file.extension().string().substr(1);
  for (char& c : format) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  result.set("format", format);
  const Description mesh = mesh_description(loaded);
  for (std::size_t i = 0; i < mesh.items().size(); ++i)
    if (mesh.names()[i] != "name") result.set(mesh.names()[i], mesh.items()[i]);
  const BoundingBox box = bounding_box(loaded.mesh);
  result.set("low", box.low);
  result.set("high", box.high);
  Description refusal;  // null if the mesh can be flattened
  try {
    check_parameterizable(loaded.mesh, loaded.topology, loaded.name);
  } catch (const InputError& error) {
    refusal = Description(error.what());
  }
  result.set("cannot_be_flattened", refusal);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                \
  template CsrMatrix<SCALAR, typename SPACE::memory_space> \
  MeshMatrixSource::make_matrix<SPACE, SCALAR>(const SPACE&, const OrderingOptions&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
