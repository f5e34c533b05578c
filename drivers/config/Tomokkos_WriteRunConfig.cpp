// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effective configuration as YAML. Keys that would be refused, because they have no effect, are
// left out.
#include <Tomokkos_FormatKeys.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <utility>

namespace Tomokkos {

using namespace Impl;

namespace {

void add_angles(const ScanConfig& geometry, ConfigNode& node) {
  if (geometry.angles_from_data || !geometry.angles_file.empty()) {
    ConfigNode file =
        geometry.angles_from_data ? ConfigNode::text("auto") : file_node(geometry.angles_file);
    if (geometry.angles_unit) {
      ConfigNode angles = ConfigNode::map(true);
      angles.set("file", std::move(file));
      angles.set("unit", name_of(*geometry.angles_unit));
      file = std::move(angles);
    }
    node.set("angles", std::move(file));
  } else if (!geometry.angles.empty()) {
    ConfigNode list = ConfigNode::list();
    for (const ConfigAngle& angle : geometry.angles) list.push_back(ConfigNode::plain(angle.text));
    node.set("angles", std::move(list));
  } else {
    node.set("angles", ConfigNode());
    node.set("views", count_or_auto(geometry.views));
    node.set("start", ConfigNode::plain(geometry.start.text));
    node.set("range", ConfigNode::plain(geometry.range.text));
  }
}

void add_volume(const ProblemSection& problem, bool has_pixel, bool has_thickness,
                ConfigNode& node) {
  ConfigNode volume = ConfigNode::map();
  if (problem.volume.size) volume.set("size", ConfigNode::integers(problem.volume.lengths()));
  if (has_pixel) volume.set("pixel", ConfigNode::number(problem.volume.pixel));
  if (has_thickness) volume.set("thickness", ConfigNode::number(problem.volume.thickness));
  node.set("volume", std::move(volume));
}

void add_file(const MatrixFileConfig& file, const ProblemSection& problem, const char* key,
              ConfigNode& node) {
  add_volume(problem, false, false, node);
  ConfigNode geometry = ConfigNode::map();
  if (file.views) {
    geometry.set("views", count_or_auto(file.views));
    geometry.set("detectors", count_or_auto(file.detectors));
  }
  node.set("geometry", std::move(geometry));
  node.set(key, file_node(problem.matrix));
}

void add_geometry(const MatrixFileConfig& file, const ProblemSection& problem, ConfigNode& node) {
  add_file(file, problem, "matrix", node);
}

void add_geometry(const BlockRowConfig& row, const ProblemSection& problem, ConfigNode& node) {
  add_file(row, problem, "block_row", node);
  if (row.blocks > 0) node.set("blocks", ConfigNode::integer(row.blocks));
}

void add_geometry(const ScannerConfig& scanner, const ProblemSection& problem, ConfigNode& node) {
  add_volume(problem, true, true, node);
  node.set("scanner", to_node(scanner));
}

void add_geometry(const ScanConfig& geometry, const ProblemSection& problem, ConfigNode& parent) {
  add_volume(problem, true, false, parent);
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(geometry.beam));
  add_angles(geometry, node);
  node.set("detectors", count_or_auto(geometry.detectors));
  node.set("detector_width", ConfigNode::number(geometry.detector_width));
  if (geometry.find_rotation_center)
    node.set("rotation_center", ConfigNode::text("auto"));
  else if (geometry.rotation_center)
    node.set("rotation_center", ConfigNode::number(*geometry.rotation_center));
  else
    node.set("rotation_center", ConfigNode());
  if (!geometry.find_rotation_center && !geometry.rotation_center)
    node.set("detector_offset", ConfigNode::number(geometry.detector_offset.value_or(0.0)));
  if (geometry.beam == Beam::fan) {
    node.set("source_to_origin", ConfigNode::number(geometry.source_to_origin));
    node.set("origin_to_detector", ConfigNode::number(geometry.origin_to_detector));
  }
  parent.set("geometry", std::move(node));
  parent.set("projector", name_of(geometry.projector));
}

ConfigNode slices_node(const ProblemSection& problem) {
  const SlicesConfig& slices = *problem.slices;
  if (slices.all) return ConfigNode::text("all");
  if (problem.phantom && slices.first == 0) return ConfigNode::integer(slices.count);
  return ConfigNode::integers(std::array{slices.first, slices.count});
}

ConfigNode sinogram_node(const SinogramConfig& sinogram, bool stack) {
  ConfigNode node = ConfigNode::map();
  node.set("file", file_node(sinogram.file));
  if (!stack) node.set("slice", ConfigNode::integer(sinogram.slice));
  if (sinogram.is_line_integrals)
    node.set("flat", ConfigNode::text("none"));
  else
    node.set("flat", sinogram.flat.empty() ? ConfigNode::text("auto") : file_node(sinogram.flat));
  node.set("dark", sinogram.dark.empty() ? ConfigNode::text("auto") : file_node(sinogram.dark));
  node.set("negative", name_of(sinogram.negative));
  return node;
}

template <class Section, class... What>
ConfigNode node_of(const Section& section, const What&... what) {
  ConfigNode node = ConfigNode::map();
  write_keys(node, section, what...);
  return node;
}

ConfigNode linear_problem_node(const ProblemSection& problem) {
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(problem.kind));
  if (problem.stencil)
    node.set("stencil", to_node(*problem.stencil));
  else
    node.set("matrix", file_node(problem.matrix));
  switch (problem.linear_rhs) {
    case LinearRhs::file:
      node.set("rhs", file_node(problem.rhs));
      break;
    case LinearRhs::ones:
      node.set("rhs", ConfigNode::text("ones"));
      break;
    case LinearRhs::random:
      node.set("rhs", ConfigNode::text("random"));
      break;
  }
  return node;
}

ConfigNode mesh_problem_node(const ProblemSection& problem) {
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(problem.kind));
  node.set("mesh", to_node(*problem.mesh));
  if (problem.kind == ProblemKind::smoothing) {
    node.set("locked", to_node(problem.locked));
  } else {
    node.set("form", name_of(problem.form));
    node.set("pins", problem.pins ? to_node(*problem.pins) : ConfigNode::text("auto"));
  }
  return node;
}

ConfigNode problem_node(const ProblemSection& problem) {
  if (problem.mesh) return mesh_problem_node(problem);
  if (problem.kind == ProblemKind::linear_system) return linear_problem_node(problem);
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(problem.kind));
  std::visit([&](const auto& geometry) { add_geometry(geometry, problem, node); },
             problem.geometry);
  if (problem.phantom && !problem.phantom->file.empty()) {
    ConfigNode phantom = ConfigNode::map();
    phantom.set("file", file_node(problem.phantom->file));
    node.set("phantom", std::move(phantom));
  } else if (problem.phantom) {
    ConfigNode phantom = ConfigNode::map();
    phantom.set("kind", problem.phantom->solid ? name_of(*problem.phantom->solid)
                                               : name_of(problem.phantom->kind));
    phantom.set("supersampling", ConfigNode::integer(problem.phantom->sampling.supersampling));
    if (!problem.phantom->solid && problem.phantom->kind == PhantomKind::checkerboard)
      phantom.set("tile", ConfigNode::integer(problem.phantom->sampling.checkerboard_tile));
    node.set("phantom", std::move(phantom));
  }
  if (problem.sinogram)
    node.set("sinogram", sinogram_node(*problem.sinogram, problem.slices.has_value()));
  const auto file_or_null = [](const std::filesystem::path& file) {
    return file.empty() ? ConfigNode() : file_node(file);
  };
  if (problem.slices)
    node.set("slices", slices_node(problem));
  else if (problem.rhs.empty() && !problem.volume.slices)
    node.set("slices", ConfigNode());
  if (!problem.traits().is_circulant) {
    if (problem.volume.size) node.set("mask", file_or_null(problem.mask));
    if (!problem.has_unknown_rows()) node.set("ray_mask", file_or_null(problem.ray_mask));
  }
  if (!problem.rhs.empty()) node.set("rhs", file_node(problem.rhs));
  if (problem.rhs_is_raw()) node.set("rhs_type", name_of(problem.rhs_type));
  if (!problem.phantom) return node;
  node.set("data", name_of(problem.data));
  node.set("noise", node_of(problem.noise));
  return node;
}

ConfigNode operator_node(const OperatorSection& section, SolverKind solver) {
  if (section.block_circulant) return circulant_operator_node(section, solver);
  ConfigNode node = ConfigNode::map();
  node.set("format", ConfigNode::text(section.symmetric ? "scsr" : section.format_name()));
  if (section.symmetric) node.set("stored_format", ConfigNode::text(section.format_name()));
  if (section.transpose_format) node.set("transpose_format", name_of(*section.transpose_format));
  const bool is_csr = section.is(MatrixFormat::csr);
  if (is_csr) node.set("variant", name_of(section.variant));
  write_format_keys(section, node);
  const bool has_methods =
      section.is_automatic() || !transpose_methods(format_of(*section.stored)).empty();
  if (uses_transpose(solver) && has_methods) {
    node.set("transpose", name_of(section.transpose));
    if (is_csr && section.transpose_format != MatrixFormat::sell &&
        (section.transpose == TransposeMethod::stored ||
         section.transpose == TransposeMethod::automatic))
      node.set("transpose_variant", name_of(section.transpose_variant));
  }
  node.set("ordering", ordering_node(section.ordering));
  return node;
}

/// Of a form that is no format.
ConfigNode chart_operator_node(const OperatorSection& section) {
  ConfigNode node = ConfigNode::map();
  node.set("ordering", ordering_node(section.ordering));
  return node;
}

}  // namespace

ConfigNode to_node(const RunConfig& config) {
  ConfigNode node = ConfigNode::map();
  node.set("run", node_of(config.run));
  node.set("problem", problem_node(config.problem));
  node.set("operator", config.problem.kind == ProblemKind::parameterization &&
                               config.problem.form != ChartForm::equations
                           ? chart_operator_node(config.matrix_operator)
                           : operator_node(config.matrix_operator, config.solver.kind()));
  node.set("solver", node_of(config.solver, config.problem.kind));
  node.set("output", node_of(config.output, config.problem.kind));
  return node;
}

}  // namespace Tomokkos
