// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Flatten.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_LscmEquations.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>

namespace Tomokkos {

ConformalSystem ordered_conformal_system(const TriangleMesh& mesh, const ChartPins& pins,
                                         const OrderingOptions& ordering) {
  ConformalSystem natural = conformal_system(mesh, pins);
  if (ordering.rows == Ordering::natural) return natural;
  const auto& L = natural.matrix.shared;
  std::vector<Ordinal> order;
  for (const Ordinal row : reverse_cuthill_mckee({L.row_offsets.data(), L.row_offsets.extent(0)},
                                                 {L.columns.data(), L.columns.extent(0)}))
    order.push_back(natural.vertices[static_cast<std::size_t>(row)]);
  return conformal_system(mesh, pins, order);
}

template <class ExecutionSpace, class Scalar>
AssembledEquations<ExecutionSpace, Scalar> assemble_chart(const ExecutionSpace& exec,
                                                          const TriangleMesh& mesh,
                                                          const ChartPins& pins,
                                                          const ConformalSystem& conformal) {
  using memory_space = typename ExecutionSpace::memory_space;
  // The variables are the unknowns in their order, followed by the pins.
  std::vector<Ordinal> variable(mesh.vertices.size());
  const auto free = static_cast<Ordinal>(conformal.vertices.size());
  for (Ordinal i = 0; i < free; ++i)
    variable[static_cast<std::size_t>(conformal.vertices[static_cast<std::size_t>(i)])] = i;
  std::vector<char> locked(2 * mesh.vertices.size(), 0);
  std::vector<Scalar> values(2 * mesh.vertices.size(), 0);
  for (std::size_t pin = 0; pin < 2; ++pin) {
    const std::size_t at = static_cast<std::size_t>(free) + pin;
    variable[static_cast<std::size_t>(pins.vertices[pin])] = static_cast<Ordinal>(at);
    for (std::size_t d = 0; d < 2; ++d) {
      locked[2 * at + d] = 1;
      values[2 * at + d] = static_cast<Scalar>(pins.positions[pin][d]);
    }
  }
  std::vector<double> coordinates(3 * mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d)
      coordinates[3 * static_cast<std::size_t>(variable[v]) + d] = mesh.vertices[v][d];
  std::vector<Ordinal> corners;
  corners.reserve(3 * mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles)
    for (const Ordinal v : triangle) corners.push_back(variable[static_cast<std::size_t>(v)]);

  const auto is_locked = copy_to_device(exec, locked);
  const auto start = copy_to_device(exec, values);
  EquationVariables<Scalar, memory_space> variables;
  variables.num_variables = static_cast<Ordinal>(locked.size());
  variables.locked = is_locked;
  variables.values = as_multivector(VectorView<const Scalar, memory_space>(start));
  return AssembledEquations<ExecutionSpace, Scalar>(
      exec, 2 * num_triangles(mesh), variables,
      LscmEquations<Scalar, memory_space>{copy_to_device(exec, coordinates),
                                          copy_to_device(exec, corners)});
}

namespace {

/// Operator of a matrix in \p form.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_form(
    const ExecutionSpace& exec, const SharedCsrMatrix<Scalar, Kokkos::HostSpace>& matrix,
    ChartForm form) {
  using memory_space = typename ExecutionSpace::memory_space;
  using Operator = AnyOperator<ExecutionSpace, Scalar>;
  return {form == ChartForm::shared
              ? Operator(MatrixOperator(exec, copy_to<memory_space>(exec, matrix)))
              : Operator(
                    MatrixOperator(exec, copy_to<memory_space>(exec, complex_from_shared(matrix)))),
          {},
          Description::map()};
}

/// System of a chart in \p form, with the right-hand side of all unknowns. On several ranks the
/// columns of a rank have this form; the halo has the entries of both components.
template <class ExecutionSpace, class Scalar>
PlacedSystem<ExecutionSpace, Scalar> place_form(const ExecutionSpace& exec,
                                                const ConformalSystem& conformal, ChartForm form,
                                                SharedSystem<ExecutionSpace, Scalar>& shared) {
  const auto matrix = convert_values<Scalar>(conformal.matrix);
  PlacedSystem<ExecutionSpace, Scalar> system{[&] {
    if (!shared.is_used()) return prepare_form(exec, matrix, form);
    const auto rows = shared.make_rows([&] {
      const HostCsrMatrix<Scalar> all = to_csr(matrix);
      shared.cut(all.row_offsets, 2);
      return csr_row_range<ExecutionSpace, Scalar>(exec, all, shared.own());
    });
    return shared.prepare_square(rows, 1, [&](const auto& own) {
      const auto blocks = complex_from_csr(copy_to<Kokkos::HostSpace>(exec, own));
      return prepare_form(exec, shared_from_complex(blocks), form);
    });
  }()};
  Description report = describe_map({{"form", form},
                                     {"rows", matrix.num_rows()},
                                     {"blocks", matrix.shared.num_nonzeros()},
                                     {"couplings", matrix.couplings.extent(0)},
                                     {"memory_bytes", system.prepared.A.memory_bytes()}});
  system.prepared.report = report.set_all(system.prepared.report);
  system.b = Slices<ExecutionSpace, Scalar>::to_device(exec, "Tomokkos::flatten::b",
                                                       conformal.right_hand_side, 1);
  return system;
}

/// System of the assembled normal matrix of the equations of all triangles.
template <class ExecutionSpace, class Scalar>
PlacedSystem<ExecutionSpace, Scalar> place_equations(
    const ExecutionSpace& exec, const AssembledEquations<ExecutionSpace, Scalar>& equations,
    SharedSystem<ExecutionSpace, Scalar>& shared) {
  const auto rows = shared.make_rows([&] { return shared.share(equations.matrix(), 2); });
  PlacedSystem<ExecutionSpace, Scalar> system{shared.prepare_square(rows, 1)};
  system.prepared.report.set("form", ChartForm::equations);
  system.b = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::flatten::b", equations.right_hand_sides().extent(0));
  Kokkos::deep_copy(exec, system.b, as_vector(equations.right_hand_sides()));
  exec.fence();
  return system;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
FlattenedMesh<Scalar> flatten(const ExecutionSpace& exec, const TriangleMesh& mesh,
                              const ChartPins& pins, ChartForm form, const SystemSettings& settings,
                              const SystemObserver<ExecutionSpace, Scalar>& observer,
                              const SystemRanks<ExecutionSpace>& ranks) {
  auto shared = shares_of<ExecutionSpace, Scalar>(exec, settings, ranks);
  observer.phase_begins("matrix");
  const ConformalSystem conformal = shared.together([&] {
    shared.require_supported();
    return ordered_conformal_system(mesh, pins, settings.task.wish.ordering);
  });
  auto system =
      form == ChartForm::equations
          ? place_equations<ExecutionSpace, Scalar>(
                exec, assemble_chart<ExecutionSpace, Scalar>(exec, mesh, pins, conformal), shared)
          : place_form<ExecutionSpace, Scalar>(exec, conformal, form, shared);
  system.x = Slices<ExecutionSpace, Scalar>::to_device(
      exec, "Tomokkos::flatten::x", unknowns_of(conformal, projected_chart(mesh, pins)), 1);
  const auto own = shared.own_part({});
  for (auto* all : {&system.b, &system.x})
    *all = Slices<ExecutionSpace, Scalar>::in_order(exec, "Tomokkos::flatten::own", *all, 1, own);
  system.prepared.order = {own, own};
  observer.operator_made(system.prepared);
  auto solved = solve_placed<ExecutionSpace, Scalar>(
      exec, std::move(system), settings, shared, observer, [&](const SystemFault& fault) {
        const auto unknown = static_cast<std::size_t>(fault.row.value_or(0));
        throw InputError(settings.name + ": vertex " +
                         std::to_string(conformal.vertices[unknown / 2] + 1) +
                         ": its angles are too small for this precision (" +
                         std::string(to_string(fault.reason)) + ")");
      });
  const std::vector<double> unknowns(solved.x.begin(), solved.x.end());
  return {chart_of(mesh, pins, conformal, unknowns), std::move(solved)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template FlattenedMesh<SCALAR> flatten<SPACE, SCALAR>(                                     \
      const SPACE&, const TriangleMesh&, const ChartPins&, ChartForm, const SystemSettings&, \
      const SystemObserver<SPACE, SCALAR>&, const SystemRanks<SPACE>&);                      \
  template AssembledEquations<SPACE, SCALAR> assemble_chart<SPACE, SCALAR>(                  \
      const SPACE&, const TriangleMesh&, const ChartPins&, const ConformalSystem&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
