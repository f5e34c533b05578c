// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of a problem on a mesh, for commands that do not solve it.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_MeshSystem.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <variant>

namespace Tomokkos {

struct MeshMatrixSource::Mesh {
  /// Mesh of a smoothing with its fixed vertices.
  struct LockedSurface {
    LoadedMesh loaded;
    MeshTopology topology;
    VertexRings rings;
    std::vector<char> locked;
  };

  ChartForm form;
  std::variant<ChartSurface, LockedSurface> surface;

  static LockedSurface load_locked_surface(const ProblemSection& problem, std::uint64_t seed) {
    LockedSurface result;
    result.loaded = load_mesh(*problem.mesh);
    result.topology = mesh_topology(result.loaded.mesh);
    result.rings = vertex_rings(result.loaded.mesh);
    result.locked = choose_locks(problem.locked, seed, result.loaded, result.rings);
    return result;
  }

  const ChartSurface* chart() const { return std::get_if<ChartSurface>(&surface); }
  const LoadedMesh& loaded() const {
    return std::visit([](const auto& s) -> const LoadedMesh& { return s.loaded; }, surface);
  }
};

MeshMatrixSource::MeshMatrixSource(const ProblemSection& problem, const RunSection& run) {
  if (problem.kind == ProblemKind::parameterization)
    mesh_ = std::make_shared<const Mesh>(
        Mesh{problem.form, load_chart_surface(problem, run.scalar == scalar_name<float>())});
  else
    mesh_ = std::make_shared<const Mesh>(
        Mesh{problem.form, Mesh::load_locked_surface(problem, run.seed)});
}

double MeshMatrixSource::num_rows() const {
  const double vertices = num_vertices(mesh_->loaded().mesh);
  if (mesh_->chart()) return 2 * (vertices - 2);
  return vertices - num_locked(std::get<Mesh::LockedSurface>(mesh_->surface).locked);
}

double MeshMatrixSource::num_entries() const {
  // A vertex has about six neighbours, and twelve more that these have.
  if (!mesh_->chart()) return 19 * num_rows();
  return (mesh_->form == ChartForm::shared ? 7 : 14) * num_rows();
}

Description MeshMatrixSource::mesh_description() const {
  return std::visit(
      [&](const auto& surface) {
        Description result = Tomokkos::mesh_description(surface.loaded, surface.topology);
        if constexpr (requires { surface.locked; })
          result.set("locked", num_locked(surface.locked));
        return result;
      },
      mesh_->surface);
}

void MeshMatrixSource::add_form_bytes(Description& bytes) const {
  const ChartSurface* const chart = mesh_->chart();
  if (chart == nullptr) return;
  const auto shared = conformal_system(chart->loaded.mesh, chart->pins).matrix;
  const auto shared_float = convert_values<float>(shared);
  const auto add = [&](ChartForm form, std::size_t in_float, std::size_t in_double) {
    Description entry = Description::map(true);
    entry.set(scalar_name<float>(), in_float).set(scalar_name<double>(), in_double);
    bytes.set(std::string(to_string(form)), std::move(entry));
  };
  add(ChartForm::shared, shared_float.memory_bytes(), shared.memory_bytes());
  add(ChartForm::complex, complex_from_shared(shared_float).memory_bytes(),
      complex_from_shared(shared).memory_bytes());
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> MeshMatrixSource::make_matrix(
    const ExecutionSpace& exec, const OrderingOptions& ordering) const {
  require_usable_size(mesh_->loaded(), std::is_same_v<Scalar, float>);
  Impl::MemoryNeed need;
  // The assembly of a chart takes some 200 bytes per triangle.
  need.add(static_cast<std::uint64_t>(num_triangles(mesh_->loaded().mesh)), 200);
  need.add_csr(static_cast<std::uint64_t>(num_rows()), static_cast<std::uint64_t>(num_entries()),
               sizeof(Scalar));
  need.require_available("the matrix of " + mesh_->loaded().name);
  const ChartSurface* const chart = mesh_->chart();
  if (chart == nullptr) {
    const auto& surface = std::get<Mesh::LockedSurface>(mesh_->surface);
    const auto smoothing = assemble_smoothing<ExecutionSpace, Scalar>(
        exec, surface.loaded, surface.rings, surface.locked);
    return order_smoothing<ExecutionSpace, Scalar>(exec, ordering, smoothing.equations().matrix())
        .A;
  }
  const ConformalSystem conformal =
      conformal_system(chart->loaded.mesh, chart->pins, chart_order(*chart, ordering));
  const ChartForm form = mesh_->form;
  if (form == ChartForm::equations)
    return assemble_chart<ExecutionSpace, Scalar>(exec, *chart, conformal).matrix();
  const auto shared = convert_values<Scalar>(conformal.matrix);
  return copy_to<typename ExecutionSpace::memory_space>(
      exec, form == ChartForm::shared ? to_csr(shared) : to_csr(complex_from_shared(shared)));
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                \
  template CsrMatrix<SCALAR, typename SPACE::memory_space> \
  MeshMatrixSource::make_matrix<SPACE, SCALAR>(const SPACE&, const OrderingOptions&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
