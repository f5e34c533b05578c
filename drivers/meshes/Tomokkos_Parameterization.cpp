// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LscmEquations.hpp>
#include <Tomokkos_MeshOutput.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_Parameterization.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>
#include <cstdio>

namespace Tomokkos {

namespace {

/// Copies \p count values to the device. Fences.
template <class ExecutionSpace, class T>
Vector<T, typename ExecutionSpace::memory_space> on_device(const ExecutionSpace& exec,
                                                           const std::string& label,
                                                           const T* values, std::size_t count) {
  const auto target =
      allocate<Vector<T, typename ExecutionSpace::memory_space>>(exec, label, count);
  Kokkos::deep_copy(exec, target, VectorView<const T, Kokkos::HostSpace>(values, count));
  exec.fence();
  return target;
}

/// Pins of the configuration, or the farthest pair of vertices on the longest border.
ChartPins choose_pins(const LoadedMesh& loaded, const MeshTopology& topology,
                      const std::optional<PinsConfig>& chosen) {
  const TriangleMesh& mesh = loaded.mesh;
  if (!chosen) return place_pins(mesh, pins(mesh, topology));
  const auto refuse = [&](const std::string& message) {
    throw ConfigError(prefix_of(chosen->position) + "problem.pins: " + loaded.name + message);
  };
  std::array<Ordinal, 2> vertices = chosen->vertices;
  for (Ordinal& vertex : vertices) {
    if (vertex >= loaded.num_named_vertices())
      refuse(" has the vertices 1 to " + std::to_string(loaded.num_named_vertices()) +
             ", but not " + std::to_string(vertex + 1LL));
    vertex = loaded.named_vertex(vertex);
  }
  ChartPins result = place_pins(mesh, vertices);
  if (result.positions[0] == result.positions[1]) refuse(" has both vertices at the same point");
  if (chosen->positions) result.positions = *chosen->positions;
  return result;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::load() {
  run_.begin("mesh");
  loaded_ = load_mesh(*run_.config().problem.mesh);
  require_usable_size(loaded_, std::is_same_v<Scalar, float>);
  turned_ = orient(loaded_.mesh, loaded_.name);
  topology_ = check_parameterizable(loaded_.mesh, loaded_.name);
  pins_ = choose_pins(loaded_, topology_, run_.config().problem.pins);
  order_vertices();
  run_.clock().end();
  Progress& progress = run_.progress();
  progress.message("mesh: " + loaded_.name + ", " + describe_mesh(loaded_.summary));
  if (const std::string text = describe_welding(loaded_); !text.empty()) progress.message(text);
  if (turned_ > 0)
    progress.message("warning: " + std::to_string(turned_) +
                     " triangles were turned over to give neighbours the same orientation");
  if (topology_.border_loops.size() > 1)
    progress.message("warning: the surface has " + std::to_string(topology_.border_loops.size()) +
                     (run_.config().problem.pins
                          ? " borders; the chart may overlap itself around the inner ones"
                          : " borders; the pins lie on the longest, and the chart may overlap "
                            "itself around the others"));
}

/// Orders the free vertices as configured. The mesh is not changed.
template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::order_vertices() {
  if (run_.config().matrix_operator.ordering.rows == Ordering::natural) return;
  const auto pattern = conformal_system(loaded_.mesh, pins_);
  const auto& L = pattern.matrix.shared;
  for (const Ordinal row : reverse_cuthill_mckee({L.row_offsets.data(), L.row_offsets.extent(0)},
                                                 {L.columns.data(), L.columns.extent(0)}))
    order_.push_back(pattern.vertices[static_cast<std::size_t>(row)]);
}

template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::System
Parameterization<ExecutionSpace, Scalar>::make_system() {
  run_.begin("matrix");
  conformal_ = shared_.together([&] {
    shared_.require_supported();
    return conformal_system(loaded_.mesh, pins_, order_);
  });
  return run_.config().problem.form == ChartForm::equations ? make_equations() : make_form();
}

/// Entries of this rank of a vector over all unknowns.
template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::VectorType
Parameterization<ExecutionSpace, Scalar>::own_rows(const VectorType& all) const {
  if (!own_) return all;
  return mapped_columns<ExecutionSpace, Scalar>(run_.exec(), "Tomokkos::Parameterization::own", all,
                                                1, *own_);
}

/// Operator of a matrix in the form of the configuration.
template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::OperatorType
Parameterization<ExecutionSpace, Scalar>::form_operator(const HostMatrix& matrix) const {
  const auto& exec = run_.exec();
  if (run_.config().problem.form == ChartForm::shared)
    return MatrixOperator(exec, copy_to<memory_space>(exec, matrix));
  return MatrixOperator(exec, copy_to<memory_space>(exec, complex_from_shared(matrix)));
}

/// Prepares the rows of this rank. The columns of this rank have the form of the configuration; the
/// halo has the entries of both components.
template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::Prepared
Parameterization<ExecutionSpace, Scalar>::prepare_form_on_ranks(const HostMatrix& matrix) {
  const auto& exec = run_.exec();
  const auto rows = shared_.make_rows([&] {
    const HostCsrMatrix<Scalar> all = to_csr(matrix);
    shared_.cut(all.row_offsets, 2);
    return csr_row_range<ExecutionSpace, Scalar>(exec, all, shared_.own());
  });
  return shared_.prepare_square(rows, 1, [&](const auto& own) {
    const auto blocks = complex_from_csr(copy_to<Kokkos::HostSpace>(exec, own));
    return Prepared{form_operator(shared_from_complex(blocks)), {}, 0, Description::map()};
  });
}

template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::System
Parameterization<ExecutionSpace, Scalar>::make_form() {
  const HostMatrix matrix = convert_values<Scalar>(conformal_.matrix);
  Prepared prepared = shared_.is_used()
                          ? prepare_form_on_ranks(matrix)
                          : Prepared{form_operator(matrix), {}, 0, Description::map()};
  own_ = shared_.own_part({});
  System system{std::move(prepared.A),
                own_rows(to_device_columns<ExecutionSpace, Scalar>(
                    run_.exec(), "Tomokkos::Parameterization::b", conformal_.right_hand_side, 1)),
                Description::map()};
  system.report.set("form", run_.config().problem.form);
  system.report.set("rows", matrix.num_rows());
  system.report.set("blocks", matrix.shared.num_nonzeros());
  system.report.set("couplings", matrix.couplings.extent(0));
  system.report.set("memory_bytes", system.A.memory_bytes());
  system.report.set_all(prepared.report);
  return system;
}

template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::System
Parameterization<ExecutionSpace, Scalar>::make_equations() {
  const auto& exec = run_.exec();
  const TriangleMesh& mesh = loaded_.mesh;
  // The variables are the unknowns in their order, followed by the pins.
  std::vector<Ordinal> variable(mesh.vertices.size());
  const auto free = static_cast<Ordinal>(conformal_.vertices.size());
  for (Ordinal i = 0; i < free; ++i)
    variable[static_cast<std::size_t>(conformal_.vertices[static_cast<std::size_t>(i)])] = i;
  std::vector<char> locked(2 * mesh.vertices.size(), 0);
  std::vector<Scalar> values(2 * mesh.vertices.size(), 0);
  for (std::size_t pin = 0; pin < 2; ++pin) {
    const std::size_t at = static_cast<std::size_t>(free) + pin;
    variable[static_cast<std::size_t>(pins_.vertices[pin])] = static_cast<Ordinal>(at);
    for (std::size_t d = 0; d < 2; ++d) {
      locked[2 * at + d] = 1;
      values[2 * at + d] = static_cast<Scalar>(pins_.positions[pin][d]);
    }
  }
  std::vector<Point3> vertices(mesh.vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v)
    vertices[static_cast<std::size_t>(variable[v])] = mesh.vertices[v];
  std::vector<Triangle> triangles = mesh.triangles;
  for (Triangle& corners : triangles)
    for (Ordinal& v : corners) v = variable[static_cast<std::size_t>(v)];

  const auto coordinates = on_device(exec, "Tomokkos::LscmEquations::vertices",
                                     vertices.data()->data(), 3 * vertices.size());
  const auto corners = on_device(exec, "Tomokkos::LscmEquations::triangles",
                                 triangles.data()->data(), 3 * triangles.size());
  const auto is_locked =
      on_device(exec, "Tomokkos::LscmEquations::locked", locked.data(), locked.size());
  const auto start =
      on_device(exec, "Tomokkos::LscmEquations::values", values.data(), values.size());
  EquationVariables<Scalar, memory_space> variables;
  variables.num_variables = static_cast<Ordinal>(locked.size());
  variables.locked = is_locked;
  variables.values = as_multivector(VectorView<const Scalar, memory_space>(start));
  const AssembledEquations<ExecutionSpace, Scalar> equations(
      exec, 2 * num_triangles(mesh), variables,
      LscmEquations<Scalar, memory_space>{coordinates, corners});
  const auto rows = shared_.make_rows([&] { return shared_.share(equations.matrix(), 2); });
  auto prepared = shared_.prepare_square(rows, 1);
  own_ = shared_.own_part({});
  const auto b = allocate<VectorType>(exec, "Tomokkos::Parameterization::b",
                                      equations.right_hand_sides().extent(0));
  Kokkos::deep_copy(exec, b, as_vector(equations.right_hand_sides()));
  System system{prepared.A, own_rows(b), std::move(prepared.report)};
  exec.fence();
  system.report.set("form", ChartForm::equations);
  system.report.set("matrix", matrix_description(prepared.statistics, prepared.csr_bytes));
  return system;
}

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::solve(const System& system) {
  run_.checkpoints().set_operator(run_.exec(), system.A);
  prepared_ = run_.prepare(system.A);
  if (prepared_ && prepared_->fault()) {
    const auto unknown = static_cast<std::size_t>(prepared_->fault()->row.value_or(0));
    throw InputError(loaded_.name + ": vertex " +
                     std::to_string(conformal_.vertices[unknown / 2] + 1) +
                     ": its angles are too small for this precision (" +
                     std::string(to_string(prepared_->fault()->reason)) + ")");
  }
  const auto x = own_rows(to_device_columns<ExecutionSpace, Scalar>(
      run_.exec(), "Tomokkos::Parameterization::x",
      unknowns_of(conformal_, projected_chart(loaded_.mesh, pins_)), 1));
  const VectorView<const Scalar, memory_space> b = system.b;
  const Numbering unknowns = shared_.numbering(own_, system.A.num_cols());
  run_.solve_system(system.A, prepared_, as_multivector(b), as_multivector(x),
                    {.rows = unknowns, .unknowns = unknowns});
  const std::vector<Scalar> solution = shared_.gather(x, 1, own_);
  chart_ = chart_of(loaded_.mesh, pins_, conformal_,
                    std::vector<double>(solution.begin(), solution.end()));
}

template <class ExecutionSpace, class Scalar>
Description Parameterization<ExecutionSpace, Scalar>::chart_description() const {
  Description result = Description::map();
  result.set("flips", quality_.flips);
  result.set("quantiles", chart_quantiles);
  result.set("singular_value_ratio", quality_.singular_value_ratio);
  result.set("angle_distortion_degrees", quality_.angle_distortion);
  result.set("area_scale", quality_.area_scale);
  result.set("area", quality_.area);
  result.set("surface_area", area(loaded_.mesh));
  result.set("energy", quality_.lscm_energy);
  result.set("energy_by_cotangents", quality_.lscm_energy_by_cotangents);
  result.set("pins", description_of(to_node(PinsConfig{pins_.vertices, pins_.positions, {}})));
  return result;
}

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::write(const System& system) {
  run_.begin_write();
  quality_ = chart_quality(loaded_.mesh, chart_);
  RunOutput& output = run_.output();
  write_textured_mesh(output, "chart", loaded_.mesh, chart_);
  if (const auto size = static_cast<std::size_t>(run_.config().output.picture_size); size > 0) {
    write_picture(output, "chart", draw_chart(loaded_.mesh, chart_, size));
    write_picture(output, "surface", render_shaded(loaded_.mesh, size, {.chart = chart_}));
  }
  run_.clock().end();
  Description result = run_.report_head();
  Description mesh = mesh_description(loaded_, topology_);
  mesh.set("triangles_turned", turned_);
  result.set("mesh", std::move(mesh));
  result.set("operator", system.report);
  run_.report_solve(result, prepared_);
  result.set("chart", chart_description());
  run_.report_tail(result);
  run_.write_report(result);
  char text[240];
  const auto& scale = quality_.area_scale;
  std::snprintf(text, sizeof text,
                "chart: %lld of %d triangles turned over, median angle off by %.3g degrees, areas "
                "%.3g to %.3g of the median (%.3g to %.3g without the outer 5 %%)",
                static_cast<long long>(quality_.flips), num_triangles(loaded_.mesh),
                quality_.angle_distortion[2], scale[0], scale[4], scale[1], scale[3]);
  run_.progress().message(text);
}

template <class ExecutionSpace, class Scalar>
int Parameterization<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  shared_.together([&] {
    run_.open();
    require_pictures(run_.config().output);
    load();
  });
  const System system = make_system();
  run_.clock().end();
  solve(system);
  write(system);
  return run_.finish();
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class Parameterization<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
