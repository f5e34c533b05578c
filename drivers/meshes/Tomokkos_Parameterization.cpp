// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MeshOutput.hpp>
#include <Tomokkos_Parameterization.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::load() {
  run_.begin("mesh");
  surface_ = load_chart_surface(problem_, std::is_same_v<Scalar, float>);
  order_ = chart_order(surface_, ordering_);
  run_.clock().end();
  Progress& progress = run_.progress();
  progress.message("mesh: " + surface_.loaded.name + ", " + describe_mesh(surface_.loaded.summary));
  if (const std::string text = describe_welding(surface_.loaded); !text.empty())
    progress.message(text);
  if (surface_.turned > 0)
    progress.message("warning: " + std::to_string(surface_.turned) +
                     " triangles were turned over to give neighbours the same orientation");
  if (surface_.topology.border_loops.size() > 1)
    progress.message(
        "warning: the surface has " + std::to_string(surface_.topology.border_loops.size()) +
        (problem_.pins ? " borders; the chart may overlap itself around the inner ones"
                       : " borders; the pins lie on the longest, and the chart may overlap "
                         "itself around the others"));
}

template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::System
Parameterization<ExecutionSpace, Scalar>::make_system() {
  run_.begin("matrix");
  conformal_ = shared_.together([&] {
    shared_.require_supported();
    return conformal_system(surface_.loaded.mesh, surface_.pins, order_);
  });
  return problem_.form == ChartForm::equations ? make_equations() : make_form();
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
  if (problem_.form == ChartForm::shared)
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
    return Prepared{form_operator(shared_from_complex(blocks)), {}, Description::map()};
  });
}

template <class ExecutionSpace, class Scalar>
typename Parameterization<ExecutionSpace, Scalar>::System
Parameterization<ExecutionSpace, Scalar>::make_form() {
  const HostMatrix matrix = convert_values<Scalar>(conformal_.matrix);
  Prepared prepared = shared_.is_used() ? prepare_form_on_ranks(matrix)
                                        : Prepared{form_operator(matrix), {}, Description::map()};
  own_ = shared_.own_part({});
  System system{std::move(prepared.A),
                own_rows(to_device_columns<ExecutionSpace, Scalar>(
                    run_.exec(), "Tomokkos::Parameterization::b", conformal_.right_hand_side, 1)),
                Description::map()};
  system.report.set("form", problem_.form);
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
  const auto equations = assemble_chart<ExecutionSpace, Scalar>(exec, surface_, conformal_);
  const auto rows = shared_.make_rows([&] { return shared_.share(equations.matrix(), 2); });
  auto prepared = shared_.prepare_square(rows, 1);
  own_ = shared_.own_part({});
  const auto b = allocate<VectorType>(exec, "Tomokkos::Parameterization::b",
                                      equations.right_hand_sides().extent(0));
  Kokkos::deep_copy(exec, b, as_vector(equations.right_hand_sides()));
  System system{prepared.A, own_rows(b), std::move(prepared.report)};
  exec.fence();
  system.report.set("form", ChartForm::equations);
  system.report.set("matrix", matrix_description(prepared.statistics, prepared.csr_bytes()));
  return system;
}

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::solve(const System& system) {
  run_.checkpoints().set_operator(run_.exec(), system.A);
  prepared_ = run_.prepare(system.A);
  if (prepared_ && prepared_->fault()) {
    const auto unknown = static_cast<std::size_t>(prepared_->fault()->row.value_or(0));
    throw InputError(surface_.loaded.name + ": vertex " +
                     std::to_string(conformal_.vertices[unknown / 2] + 1) +
                     ": its angles are too small for this precision (" +
                     std::string(to_string(prepared_->fault()->reason)) + ")");
  }
  const auto x = own_rows(to_device_columns<ExecutionSpace, Scalar>(
      run_.exec(), "Tomokkos::Parameterization::x",
      unknowns_of(conformal_, projected_chart(surface_.loaded.mesh, surface_.pins)), 1));
  const VectorView<const Scalar, memory_space> b = system.b;
  const Numbering unknowns = shared_.numbering(own_, system.A.num_cols());
  run_.solve_system(system.A, prepared_, as_multivector(b), as_multivector(x),
                    {.rows = unknowns, .unknowns = unknowns});
  const std::vector<Scalar> solution = shared_.gather(x, 1, own_);
  chart_ = chart_of(surface_.loaded.mesh, surface_.pins, conformal_,
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
  result.set("surface_area", area(surface_.loaded.mesh));
  result.set("energy", quality_.lscm_energy);
  result.set("energy_by_cotangents", quality_.lscm_energy_by_cotangents);
  result.set(
      "pins",
      description_of(pins_node(PinsConfig{surface_.pins.vertices, surface_.pins.positions, {}})));
  return result;
}

template <class ExecutionSpace, class Scalar>
void Parameterization<ExecutionSpace, Scalar>::write(const System& system) {
  run_.begin_write();
  quality_ = chart_quality(surface_.loaded.mesh, chart_);
  RunOutput& output = run_.output();
  write_textured_mesh(output, "chart", surface_.loaded.mesh, chart_);
  if (const auto size = static_cast<std::size_t>(output_.picture_size); size > 0) {
    write_picture(output, "chart", draw_chart(surface_.loaded.mesh, chart_, size));
    write_picture(output, "surface", render_shaded(surface_.loaded.mesh, size, {.chart = chart_}));
  }
  Description result = run_.report_head();
  Description mesh = mesh_description(surface_.loaded, surface_.topology);
  mesh.set("triangles_turned", surface_.turned);
  result.set("mesh", std::move(mesh));
  result.set("operator", system.report);
  run_.report_solve(result, prepared_);
  result.set("chart", chart_description());
  run_.report_tail(result);
  run_.write_report(result);
  const auto& scale = quality_.area_scale;
  run_.progress().message(Impl::formatted(
      "chart: %lld of %d triangles turned over, median angle off by %.3g degrees, areas "
      "%.3g to %.3g of the median (%.3g to %.3g without the outer 5 %%)",
      static_cast<long long>(quality_.flips), num_triangles(surface_.loaded.mesh),
      quality_.angle_distortion[2], scale[0], scale[4], scale[1], scale[3]));
}

template <class ExecutionSpace, class Scalar>
int Parameterization<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  shared_.together([&] {
    run_.open();
    require_pictures(output_);
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
