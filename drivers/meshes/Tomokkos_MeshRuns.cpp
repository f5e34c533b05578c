// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of charts and smoothings.
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Flatten.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_Smooth.hpp>
#include <Tomokkos_SystemRun.hpp>
#include <Tomokkos_VertexLocks.hpp>

namespace Tomokkos {
namespace {

const std::vector<const char*> coordinate_names{"x", "y", "z"};

/// Throws if a run replaces an OBJ or PLY file that is none.
void require_replaceable_meshes(const ProblemSection& problem, const OutputSection& output) {
  check_replaced_files(problem, output, [](const std::filesystem::path& file) {
    if (file.extension() == ".obj") require_replaceable(file, obj_output);
    if (file.extension() == ".ply") require_replaceable(file, ply_output);
  });
}

void require_pictures(const OutputSection& output) {
  if (output.picture_size > 0 && !can_write_png())
    throw ConfigError(
        "output.picture_size: pictures need libpng, which this program was built without; set it "
        "to 0");
}

/// Writes `<name>.obj` with texture coordinates, one per vertex, or none.
void write_obj_file(RunOutput& output, const std::string& name, const TriangleMesh& mesh,
                    std::span<const Point2> texture_coordinates = {}) {
  output.write_file(name + ".obj",
                    [&](const auto& path) { write_obj(path, mesh, texture_coordinates); });
}

void write_picture(RunOutput& output, const std::string& name, const RgbImage& picture) {
  output.write_file(name + ".png", [&](const auto& path) { write_png(path, picture); });
}

/// How many vertices were joined and triangles removed; empty if none.
std::string describe_welding(const LoadedMesh& loaded) {
  if (!loaded.welding || loaded.welding->joined_vertices == 0) return "";
  const auto counted = [](Ordinal count, const char* one, const char* many) {
    return std::to_string(count) + (count == 1 ? one : many);
  };
  std::string text = counted(loaded.welding->joined_vertices, " vertex was", " vertices were") +
                     " joined to earlier ones at the same place";
  if (loaded.welding->removed_triangles > 0)
    text += ", " +
            counted(loaded.welding->removed_triangles, " triangle without area was",
                    " triangles without area were") +
            " removed";
  return text;
}

void print_mesh(Progress& progress, const LoadedMesh& loaded, const std::string& end) {
  progress.message("mesh: " + loaded.name + ", " + describe_mesh(loaded.summary) + end);
  if (const std::string text = describe_welding(loaded); !text.empty()) progress.message(text);
}

Description chart_description(const LoadedMesh& loaded, const ChartQuality& quality) {
  const PinsConfig pins{loaded.pins.vertices, loaded.pins.positions, {}};
  return describe_map({{"flips", quality.flips},
                       {"quantiles", chart_quantiles},
                       {"singular_value_ratio", quality.singular_value_ratio},
                       {"angle_distortion_degrees", quality.angle_distortion},
                       {"area_scale", quality.area_scale},
                       {"area", quality.area},
                       {"surface_area", area(loaded.mesh)},
                       {"energy", quality.lscm_energy},
                       {"energy_by_cotangents", quality.lscm_energy_by_cotangents},
                       {"pins", description_of(pins_node(pins))}});
}

template <class ExecutionSpace, class Scalar>
int run_parameterization(const SystemSections& sections, const RunOptions& options) {
  SystemRun<ExecutionSpace, Scalar> run(sections, options);
  const ProblemSection& problem = sections.problem;
  Progress& progress = run.progress();
  LoadedMesh loaded;
  run.open_and([&] {
    require_pictures(sections.output);
    run.begin("mesh");
    loaded = load_chart_mesh(problem, std::is_same_v<Scalar, float>);
    run.clock().end();
    print_mesh(progress, loaded, "");
    if (loaded.turned > 0)
      progress.message("warning: " + std::to_string(loaded.turned) +
                       " triangles were turned over to give neighbours the same orientation");
    if (const std::size_t borders = loaded.topology.border_loops.size(); borders > 1)
      progress.message("warning: the surface has " + std::to_string(borders) +
                       (problem.pins
                            ? " borders; the chart may overlap itself around the inner ones"
                            : " borders; the pins lie on the longest, and the chart may overlap "
                              "itself around the others"));
  });
  run.settings.name = loaded.name;
  auto observer = run.system_observer();
  observer.operator_made = [&](const auto& prepared) {
    run.clock().end();
    run.checkpoints().set_operator(run.exec(), prepared.A);
  };
  auto [chart, solved] = run.watched([&] {
    return flatten<ExecutionSpace, Scalar>(run.exec(), loaded.mesh, loaded.pins, problem.form,
                                           run.settings, observer, run.ranks);
  });
  run.begin_write();
  const ChartQuality quality = chart_quality(loaded.mesh, chart);
  write_obj_file(run.output(), "chart", loaded.mesh, chart);
  if (const auto size = static_cast<std::size_t>(sections.output.picture_size); size > 0) {
    write_picture(run.output(), "chart", draw_chart(loaded.mesh, chart, size));
    write_picture(run.output(), "surface", render_shaded(loaded.mesh, size, {.chart = chart}));
  }
  Description report = run.report_head();
  report.set("mesh", mesh_description(loaded).set("triangles_turned", loaded.turned));
  if (problem.form == ChartForm::equations)
    solved.report.set("matrix", matrix_description(solved.statistics, solved.csr_bytes));
  report.set("operator", solved.report);
  run.report_solve(report, solved.is_scaled);
  report.set("chart", chart_description(loaded, quality));
  run.report_tail(report);
  run.write_report(report);
  const auto& scale = quality.area_scale;
  progress.message(Impl::formatted(
      "chart: %lld of %d triangles turned over, median angle off by %.3g degrees, areas "
      "%.3g to %.3g of the median (%.3g to %.3g without the outer 5 %%)",
      static_cast<long long>(quality.flips), num_triangles(loaded.mesh),
      quality.angle_distortion[2], scale[0], scale[4], scale[1], scale[3]));
  return run.finish();
}

Description locks_description(const LocksConfig& locks, const LoadedMesh& loaded) {
  const Ordinal count = num_locked(loaded.locked);
  return describe_map({{"vertices", count},
                       {"share", static_cast<double>(count) / num_vertices(loaded.mesh)},
                       {"chosen_by", locks.rule == LockRule::share    ? "run.seed"
                                     : locks.rule == LockRule::border ? "border"
                                                                      : locks.file.string()}});
}

Description roughness_description(const Point3& roughness) {
  const auto [x, y, z] = roughness;
  return describe_map({{"x", x}, {"y", y}, {"z", z}, {"sum", x + y + z}}, true);
}

Description coordinates_description(const std::vector<SolveResult>& results) {
  Description result = Description::map();
  const Description described = results_description(results);
  for (std::size_t d = 0; d < results.size(); ++d)
    result.set(coordinate_names[d], described.items()[d]);
  return result;
}

template <class ExecutionSpace, class Scalar>
int run_smoothing(const SystemSections& sections, const RunOptions& options) {
  SystemRun<ExecutionSpace, Scalar> run(sections, options);
  const LocksConfig& locks = sections.problem.locked;
  Progress& progress = run.progress();
  LoadedMesh loaded;
  run.open_and([&] {
    require_pictures(sections.output);
    run.begin("mesh");
    loaded = load_smoothing_mesh(sections.problem);
    require_usable_size(loaded, std::is_same_v<Scalar, float>);
    run.clock().end();
    print_mesh(progress, loaded, ", " + describe_seconds(run.clock().seconds("mesh")));
    run.begin("locks");
    loaded.locked = choose_locks(locks, sections.run.seed, loaded);
    const Ordinal count = num_locked(loaded.locked), all = num_vertices(loaded.mesh);
    progress.message(Impl::formatted("locked: %d of %d vertices, a share of %.4g", count, all,
                                     static_cast<double>(count) / all));
  });
  run.settings.name = loaded.name;
  auto observer = run.system_observer();
  observer.operator_made = [&](const auto& prepared) {
    run.clock().end();
    progress.message(
        "matrix: " + std::to_string(prepared.statistics.rows) + " rows, " +
        std::to_string(prepared.statistics.nonzeros) + " nonzeros, " +
        describe_seconds(run.clock().seconds("equations") + run.clock().seconds("operator")));
  };
  TriangleMesh smoothed = loaded.mesh;
  const auto solved = run.watched([&] {
    return smooth<ExecutionSpace, Scalar>(run.exec(), smoothed, loaded.rings, loaded.locked,
                                          run.settings, observer, run.ranks);
  });
  run.begin_write();
  if (sections.output.mesh == MeshFileKind::obj)
    write_obj_file(run.output(), "smoothed", smoothed);
  else
    run.output().write_file("smoothed.ply", [&](const auto& path) { write_ply(path, smoothed); });
  if (const auto size = static_cast<std::size_t>(sections.output.picture_size); size > 0) {
    write_picture(run.output(), "before", render_shaded(loaded.mesh, size));
    write_picture(run.output(), "after", render_shaded(smoothed, size));
  }
  Description report = run.report_head();
  report.set("mesh", mesh_description(loaded));
  report.set("locked", locks_description(locks, loaded));
  report.set("matrix", matrix_description(solved.statistics, solved.csr_bytes));
  report.set("operator", solved.report);
  run.report_solve(report, solved.is_scaled);
  report.set("roughness",
             describe_map({{"before", roughness_description(roughness(loaded.mesh, loaded.rings))},
                           {"after", roughness_description(roughness(smoothed, loaded.rings))}}));
  run.report_files(report);
  report.set("coordinates", coordinates_description(solved.results));
  run.write_report(report);
  return run.finish(coordinate_names);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const SystemSections& sections, const RunOptions& options) {
  require_replaceable_meshes(sections.problem, sections.output);
  if (sections.problem.kind == ProblemKind::parameterization)
    return run_parameterization<ExecutionSpace, Scalar>(sections, options);
  return run_smoothing<ExecutionSpace, Scalar>(sections, options);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_mesh_problem<SPACE, SCALAR>(const SystemSections&, const RunOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
