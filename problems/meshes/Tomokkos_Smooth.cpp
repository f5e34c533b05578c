// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_Smooth.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
MeshSmoothing<ExecutionSpace, Scalar> assemble_smoothing(const ExecutionSpace& exec,
                                                         const TriangleMesh& mesh,
                                                         const VertexRings& rings,
                                                         std::span<const char> locked,
                                                         const std::string& name) {
  try {
    return MeshSmoothing<ExecutionSpace, Scalar>(exec, mesh, rings, locked);
  } catch (const Refused& error) {
    throw InputError(name + ": " + error.what());
  }
}

template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> smooth(const ExecutionSpace& exec, TriangleMesh& mesh,
                            const VertexRings& rings, std::span<const char> locked,
                            const SystemSettings& settings,
                            const SystemObserver<ExecutionSpace, Scalar>& observer,
                            const SystemRanks<ExecutionSpace>& ranks) {
  using memory_space = typename ExecutionSpace::memory_space;
  using Coordinates = MultiVector<Scalar, memory_space>;
  auto shared = shares_of<ExecutionSpace, Scalar>(exec, settings, ranks);
  observer.phase_begins("equations");
  const auto smoothing = shared.together([&] {
    shared.require_supported();
    return assemble_smoothing<ExecutionSpace, Scalar>(exec, mesh, rings, locked, settings.name);
  });
  const auto& equations = smoothing.equations();
  observer.phase_begins("operator");
  std::optional<MapOn<ExecutionSpace>> own;
  const auto rows = shared.make_rows([&] {
    const auto [A, order] =
        order_square<ExecutionSpace, Scalar>(exec, settings.task.wish.ordering, equations.matrix());
    if (!shared.is_used()) observer.matrix_made(A);
    const auto share = shared.share(A);
    own = shared.own_part(order.columns);
    return share;
  });
  PlacedSystem<ExecutionSpace, Scalar> system{shared.prepare_square(rows, 3), 3};
  system.prepared.order = {own, own};
  observer.operator_made(system.prepared);
  // Coordinates of this rank in the order of the solver.
  const auto in_order = [&](const char* label, const auto& natural) {
    const auto length = own ? static_cast<std::size_t>(own->size()) : natural.extent(0);
    const auto result = allocate<Vector<Scalar, memory_space>>(exec, label, 3 * length);
    if (own)
      gather<ExecutionSpace, Scalar>(exec, *own, natural,
                                     columns_of<Scalar, memory_space>(result, 3));
    else
      Kokkos::deep_copy(exec, result, as_vector(natural));
    return result;
  };
  system.x = in_order("Tomokkos::smooth::x", equations.rows().start());
  system.b = in_order("Tomokkos::smooth::b", equations.right_hand_sides());
  system.longest_row = system.prepared.statistics.longest;
  SolvedSystem<Scalar> solved;
  if (system.prepared.statistics.rows > 0) {
    solved =
        solve_placed<ExecutionSpace, Scalar>(exec, std::move(system), settings, shared, observer);
  } else {
    // Nothing is to be solved if all vertices are locked.
    auto& prepared = system.prepared;
    solved = {{}, 3, {}, prepared.statistics, prepared.csr_bytes(), std::move(prepared.report)};
    solved.results.resize(3);
    for (SolveResult& result : solved.results) result.reason = StopReason::zero_rhs;
    if (observer.outcome) observer.outcome->results = solved.results;
  }
  const auto natural = Slices<ExecutionSpace, Scalar>::to_device(
      exec, "Tomokkos::smooth::natural", std::vector<double>(solved.x.begin(), solved.x.end()), 3);
  const auto all = allocate<Coordinates>(exec, "Tomokkos::smooth::all",
                                         equations.rows().num_variables(), std::size_t{3});
  equations.rows().scatter(exec, columns_of<Scalar, memory_space>(natural, 3), all);
  smoothing.move_vertices(exec, all, mesh);
  return solved;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template SolvedSystem<SCALAR> smooth<SPACE, SCALAR>(                                         \
      const SPACE&, TriangleMesh&, const VertexRings&, std::span<const char>,                  \
      const SystemSettings&, const SystemObserver<SPACE, SCALAR>&, const SystemRanks<SPACE>&); \
  template MeshSmoothing<SPACE, SCALAR> assemble_smoothing<SPACE, SCALAR>(                     \
      const SPACE&, const TriangleMesh&, const VertexRings&, std::span<const char>,            \
      const std::string&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
