// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MeshOutput.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SmoothingRun.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_VertexLocks.hpp>

namespace Tomokkos {

namespace {

const std::vector<const char*> coordinate_names{"x", "y", "z"};

Description roughness_description(const Point3& roughness) {
  Description result = Description::map(true);
  for (std::size_t d = 0; d < 3; ++d) result.set(coordinate_names[d], roughness[d]);
  result.set("sum", roughness[0] + roughness[1] + roughness[2]);
  return result;
}

Description coordinates_description(const std::vector<SolveResult>& results) {
  Description result = Description::map();
  for (std::size_t d = 0; d < results.size(); ++d) {
    Description entry = result_description(results[d], {});
    set_history(entry, results[d], {});
    result.set(coordinate_names[d], std::move(entry));
  }
  return result;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SmoothingRun<ExecutionSpace, Scalar>::SmoothingRun(const RunConfig& config,
                                                   const RunOptions& options)
    : problem_(config.problem),
      output_(config.output),
      ordering_(config.matrix_operator.ordering),
      seed_(config.run.seed),
      run_(config.run, config.solver, config.output, to_node(config), options),
      exec_(run_.exec()),
      shared_(exec_, system_task(config.matrix_operator, config.needs()), config.run.ranks,
              config.solver.rows_of_a_block(), options.ranks) {}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::make_mesh() {
  run_.begin("mesh");
  mesh_ = load_mesh(*problem_.mesh);
  require_usable_size(mesh_, std::is_same_v<Scalar, float>);
  topology_ = mesh_topology(mesh_.mesh);
  rings_ = vertex_rings(mesh_.mesh);
  before_ = mesh_.mesh;
  run_.clock().end();
  run_.progress().message("mesh: " + mesh_.name + ", " + describe_mesh(mesh_.summary) + ", " +
                          describe_seconds(run_.clock().seconds("mesh")));
  if (const std::string text = describe_welding(mesh_); !text.empty())
    run_.progress().message(text);
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::choose_locks() {
  run_.begin("locks");
  locked_ = Tomokkos::choose_locks(problem_.locked, seed_, mesh_, rings_);
  const Ordinal n = num_vertices(mesh_.mesh);
  run_.progress().message(Impl::formatted("locked: %d of %d vertices, a share of %.4g",
                                          num_locked(locked_), n,
                                          static_cast<double>(num_locked(locked_)) / n));
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::assemble() {
  run_.begin("equations");
  smoothing_ = assemble_smoothing<ExecutionSpace, Scalar>(exec_, mesh_, rings_, locked_);
}

template <class ExecutionSpace, class Scalar>
typename SmoothingRun<ExecutionSpace, Scalar>::Prepared
SmoothingRun<ExecutionSpace, Scalar>::prepare() {
  run_.begin("operator");
  const Matrix rows = shared_.make_rows([&] {
    const auto [A, order] =
        order_smoothing<ExecutionSpace, Scalar>(exec_, ordering_, smoothing_->equations().matrix());
    run_.checkpoints().set_matrix(exec_, A);
    const Matrix share = shared_.share(A);
    own_ = shared_.own_part(order.columns);
    return share;
  });
  Prepared prepared = shared_.prepare_square(rows, 3);
  run_.clock().end();
  run_.progress().message(
      "matrix: " + std::to_string(prepared.statistics.rows) + " rows, " +
      std::to_string(prepared.statistics.nonzeros) + " nonzeros, " +
      describe_seconds(run_.clock().seconds("equations") + run_.clock().seconds("operator")));
  return prepared;
}

/// Copies the values of this rank from \p natural, values of all free vertices, to the order of the
/// solver.
template <class ExecutionSpace, class Scalar>
typename SmoothingRun<ExecutionSpace, Scalar>::Coordinates
SmoothingRun<ExecutionSpace, Scalar>::in_order(const char* label,
                                               const ConstCoordinates& natural) const {
  const auto length = own_ ? static_cast<std::size_t>(own_->size()) : natural.extent(0);
  const auto result = allocate<Coordinates>(exec_, label, length, std::size_t{3});
  if (own_)
    gather<ExecutionSpace, Scalar>(exec_, *own_, natural, result);
  else
    Kokkos::deep_copy(exec_, as_vector(result), as_vector(natural));
  return result;
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::solve(const Prepared& prepared) {
  x_ = in_order("Tomokkos::SmoothingRun::x", smoothing_->equations().rows().start());
  // Nothing is to be solved if all vertices are locked.
  if (prepared.statistics.rows == 0) return run_.skip(3);
  system_ = run_.prepare(prepared.A);
  const Coordinates b =
      in_order("Tomokkos::SmoothingRun::b", smoothing_->equations().right_hand_sides());
  const Numbering unknowns = shared_.numbering(own_, prepared.A.num_cols());
  run_.solve_system(prepared.A, system_, b, x_, {unknowns, unknowns, prepared.statistics.longest});
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::move_vertices() {
  run_.begin_write();
  const auto& rows = smoothing_->equations().rows();
  const std::vector<Scalar> gathered = shared_.gather(as_vector(x_), 3, own_);
  const auto natural = to_device_columns<ExecutionSpace, Scalar>(
      exec_, "Tomokkos::SmoothingRun::natural",
      std::vector<double>(gathered.begin(), gathered.end()), 3);
  const auto all = allocate<Coordinates>(exec_, "Tomokkos::SmoothingRun::all", rows.num_variables(),
                                         std::size_t{3});
  rows.scatter(exec_, columns_of<Scalar, memory_space>(natural, 3), all);
  smoothing_->move_vertices(exec_, all, mesh_.mesh);
}

template <class ExecutionSpace, class Scalar>
Description SmoothingRun<ExecutionSpace, Scalar>::locks_description() const {
  const LocksConfig& locks = problem_.locked;
  const Ordinal count = num_locked(locked_);
  Description result = Description::map();
  result.set("vertices", count);
  result.set("share", static_cast<double>(count) / num_vertices(mesh_.mesh));
  result.set("chosen_by", locks.rule == LockRule::share    ? "run.seed"
                          : locks.rule == LockRule::border ? "border"
                                                           : locks.file.string());
  return result;
}

template <class ExecutionSpace, class Scalar>
Description SmoothingRun<ExecutionSpace, Scalar>::report(const Prepared& prepared) const {
  Description result = run_.report_head();
  result.set("mesh", mesh_description(mesh_, topology_));
  result.set("locked", locks_description());
  result.set("matrix", matrix_description(prepared.statistics, prepared.csr_bytes()));
  result.set("operator", prepared.report);
  run_.report_solve(result, system_);
  Description roughness = Description::map();
  roughness.set("before", roughness_description(Tomokkos::roughness(before_, rings_)));
  roughness.set("after", roughness_description(Tomokkos::roughness(mesh_.mesh, rings_)));
  result.set("roughness", std::move(roughness));
  run_.report_files(result);
  result.set("coordinates", coordinates_description(run_.outcome().results));
  return result;
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::write_results(const Prepared& prepared) {
  write_mesh(run_.output(), "smoothed", output_.mesh, mesh_.mesh);
  if (const int size = output_.picture_size; size > 0) {
    write_picture(run_.output(), "before", render_shaded(before_, static_cast<std::size_t>(size)));
    write_picture(run_.output(), "after",
                  render_shaded(mesh_.mesh, static_cast<std::size_t>(size)));
  }
  run_.write_report(report(prepared));
}

template <class ExecutionSpace, class Scalar>
int SmoothingRun<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  shared_.together([&] {
    shared_.require_supported();
    run_.open();
    require_pictures(output_);
    make_mesh();
    choose_locks();
    assemble();
  });
  const Prepared prepared = prepare();
  solve(prepared);
  move_vertices();
  write_results(prepared);
  return run_.finish(coordinate_names);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class SmoothingRun<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
