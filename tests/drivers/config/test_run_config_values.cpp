// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values read from configurations: defaults, angles, values of systems; refusals that depend on the
// build.
#include <gtest/gtest.h>

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "FileTesting.hpp"
#include "RunConfigTesting.hpp"

namespace {

const ScanConfig& scan_of(const RunConfig& config) {
  return std::get<ScanConfig>(config.problem.geometry);
}

TEST(Configuration, settings_of_a_field_keep_its_file) {
  const auto configured = [](const std::string& flat, const std::string& setting) {
    ConfigNode root = parse(
        "problem: {type: tomography, volume: {size: [16, 20]}, geometry: {}, "
        "sinogram: {file: s.h5, flat: " +
        flat + ", dark: d.h5}}\nsolver: {type: sirt}\n");
    apply_settings(root, {setting});
    return *read_run_config(root, ConfigUse::run, "f").problem.sinogram;
  };
  SinogramConfig sinogram = configured("f.h5", "problem.sinogram.flat.dataset=/open");
  EXPECT_EQ(sinogram.flat.filename(), "f.h5");
  EXPECT_EQ(sinogram.flat_dataset, "/open");
  sinogram = configured("f.h5", "problem.sinogram.dark.dataset=/shut");
  EXPECT_EQ(sinogram.dark.filename(), "d.h5");
  EXPECT_EQ(sinogram.dark_dataset, "/shut");
  // These are no files.
  for (const char* word : {"auto", "none"})
    EXPECT_THROW(configured(word, "problem.sinogram.flat.dataset=/open"), ConfigError) << word;
}

TEST(Configuration, applies_defaults) {
  const RunConfig config = configure({});
  EXPECT_EQ(config.run.backend, backend_names().front());
  EXPECT_EQ(config.run.scalar, "float");
  EXPECT_EQ(config.run.seed, 1U);
  EXPECT_FALSE(config.run.deterministic);
  EXPECT_EQ(scan_of(config).numbers.beam, Beam::parallel);
  EXPECT_EQ(scan_of(config).range.angle.numerator(), 1);
  EXPECT_EQ(scan_of(config).range.angle.denominator(), 2);
  EXPECT_EQ(scan_of(config).projector, Projector::linear);
  EXPECT_EQ(config.solver.iterations(), 50);
  EXPECT_EQ(config.solver.start.image.value, 0.0);
  EXPECT_FALSE(config.solver.stop.relative_residual || config.solver.stop.relative_change ||
               config.solver.stop.discrepancy);
  EXPECT_EQ(config.output.directory, std::filesystem::current_path() / "out" / "f");
  EXPECT_EQ(configure({"solver.type=mlem"}).solver.start.kind, StartKind::uniform);
  const RunConfig fan =
      configure({"problem.geometry={type: fan_beam, views: 3, "
                 "source_to_origin: 50, origin_to_detector: 0}"});
  EXPECT_EQ(scan_of(fan).range.angle.denominator(), 1);
  EXPECT_FALSE(scan_of(fan).detectors.has_value());
}

TEST(Configuration, format_is_automatic_unless_other_keys_are_those_of_csr) {
  const auto format = [](const std::vector<std::string>& settings) {
    return configure(settings).matrix_operator.format_name();
  };
  EXPECT_EQ(format({}), "automatic");
  EXPECT_EQ(format({"operator.largest_fill=3"}), "automatic");
  for (const char* const setting :
       {"operator.variant=scalar", "operator.transpose=atomic", "operator.transposition=banded",
        "operator.transpose_variant=scalar", "operator.ordering=tiles",
        "operator={variant: merge_path, sections: 9}"})
    EXPECT_EQ(format({setting}), "csr") << setting;
  EXPECT_EQ(format({"operator={format: sell, transpose: atomic}"}), "sell");
  EXPECT_EQ(format({"solver={type: fbp}"}), "computed");
}

TEST(Configuration, scsr_stores_rays_in_csr_by_default) {
  const RunConfig plain = configure({"operator={format: scsr}"});
  EXPECT_TRUE(plain.matrix_operator.symmetric());
  EXPECT_EQ(to_yaml(to_node(plain)),
            to_yaml(to_node(configure({"operator={format: scsr, stored_format: csr}"}))));
}

TEST(Configuration, lsmr_accepts_the_keys_of_least_squares) {
  const RunConfig config = configure({"solver={type: lsmr, damping: 0.5, restart_every: 7}"});
  EXPECT_EQ(config.solver.kind(), SolverKind::lsmr);
  EXPECT_EQ(std::get<LsmrParams>(config.solver.params).damping, 0.5);
  EXPECT_EQ(std::get<LsmrParams>(config.solver.params).restart_every, 7);
  EXPECT_EQ(to_node(config).find("solver")->find("damping")->scalar(), "0.5");
}

TEST(Configuration, osem_is_mlem_with_subsets) {
  const RunConfig config = configure({"solver={type: osem, subsets: 4}"});
  EXPECT_EQ(config.solver.kind(), SolverKind::mlem);
  EXPECT_EQ(config.solver.subsets(), 4);
  EXPECT_EQ(config.solver.start.kind, StartKind::uniform);
  const ConfigNode printed = to_node(config);
  EXPECT_EQ(printed.find("solver")->find("type")->scalar(), "mlem");
}

// Keys without a value are printed as null. Keys that do not apply are not printed.
TEST(Configuration, every_key_that_applies_is_printed) {
  const auto printed = [](const std::vector<std::string>& settings, const char* path) {
    const ConfigNode root = to_node(configure(settings));
    const ConfigNode* node = &root;
    std::istringstream keys(path);
    for (std::string key; node != nullptr && std::getline(keys, key, '.');) node = node->find(key);
    return node == nullptr ? "(none)" : node->is_null() ? "null" : node->describe();
  };
  const std::vector<std::string> measured{"problem.phantom=", "problem.sinogram=a.npy",
                                          "problem.geometry={views: auto, detectors: auto}"};
  for (const char* path :
       {"problem.slices", "problem.mask", "problem.ray_mask", "problem.geometry.angles",
        "problem.geometry.rotation_center", "solver.stop.ncp"})
    for (const auto& settings : {std::vector<std::string>{}, measured})
      EXPECT_EQ(printed(settings, path), "null") << path;
  EXPECT_EQ(printed({"solver.type=mlem"}, "solver.stop.ncp"), "(none)");
  for (const char* path : {"problem.data", "problem.noise"}) {
    EXPECT_NE(printed({}, path), "(none)");
    EXPECT_EQ(printed(measured, path), "(none)");
  }
}

TEST(Configuration, reads_angles_with_units) {
  const auto range = [](const std::string& text) {
    return scan_of(configure({"problem.geometry.range=" + text})).range.angle;
  };
  for (const char* half : {"180 deg", "180deg", "\"180 deg\"", "3.141592653589793", "0.5 turn",
                           "3.141592653589793 rad"}) {
    EXPECT_TRUE(range(half).is_fraction()) << half;
    EXPECT_EQ(range(half).numerator() * 2, range(half).denominator()) << half;
  }
  EXPECT_DOUBLE_EQ(range("1.25").in_radians(), 1.25);
  EXPECT_DOUBLE_EQ(range("0.1 turn").in_radians(), 0.2 * 3.14159265358979323846);
  const RunConfig listed = configure(
      {"problem.geometry.views=", "problem.geometry.angles=[0, 90 deg, -0.25 turn, 1.5]"});
  ASSERT_EQ(scan_of(listed).angles.size(), 4U);
  EXPECT_DOUBLE_EQ(scan_of(listed).angles[1].angle.in_radians(), std::acos(0.0));
  EXPECT_DOUBLE_EQ(scan_of(listed).angles[2].angle.in_radians(), -std::acos(0.0));
}

TEST(Configuration, an_empty_stop_rule_of_a_system_is_switched_off) {
  const std::string text =
      "problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: ones}\n";
  const auto stop_of = [&](const std::vector<std::string>& settings) {
    const RunConfig config = configure(settings, text);
    const std::string once = to_yaml(to_node(config));
    EXPECT_EQ(once, to_yaml(to_node(configure({}, once))));
    return config.solver.stop;
  };
  EXPECT_EQ(stop_of({"solver={type: pcg}"}).divergence, 1e5);
  EXPECT_EQ(stop_of({"solver={type: pcg}"}).relative_residual, 1e-6);
  for (const char* empty : {"solver={type: pcg, stop: {divergence: null}}",
                            "solver={type: pcg, stop: {divergence: }}"}) {
    EXPECT_FALSE(stop_of({empty}).divergence) << empty;
    EXPECT_EQ(stop_of({empty}).relative_residual, 1e-6) << empty;
  }
  EXPECT_FALSE(stop_of({"solver.type=pcg", "solver.stop.divergence="}).divergence);
  EXPECT_FALSE(stop_of({"solver={type: pcg, stop: {residual: null}}"}).relative_residual);
  EXPECT_TRUE(stop_of({"solver={type: cgls}"}).relative_change);
  EXPECT_FALSE(stop_of({"solver={type: cgls, stop: {relative_change: null}}"}).relative_change);
}

TEST(Configuration, the_system_matrix_needs_neither_data_nor_solver) {
  const std::string text =
      "problem: {type: tomography, volume: {size: [4, 4]}, geometry: {views: 3}}\n";
  EXPECT_NO_THROW(configure({}, text, ConfigUse::matrix));
  EXPECT_THROW(configure({}, text, ConfigUse::run), ConfigError);
}

TEST(Configuration, default_detectors_cover_the_whole_image) {
  // The circle around 16 x 20 pixels of size 1 has a radius of 12.806 elements of width 1.
  const auto detectors = [](const std::string& more) {
    return read_input(configure({"problem.geometry={views: 12" + more + "}"})).detectors;
  };
  EXPECT_EQ(detectors(""), 26);
  EXPECT_EQ(detectors(", detector_offset: 2"), 30);
  // The detector reaches from half an element below element 0 to the far side of the circle.
  EXPECT_EQ(detectors(", rotation_center: 12.5"), 26);
  EXPECT_EQ(detectors(", rotation_center: 40"), 54);
  EXPECT_EQ(detectors(", rotation_center: 20, detector_width: 2"), 27);
  // The elements below the centre are too few, whatever the total number.
  for (const char* center : {"12", "0", "-5"}) {
    EXPECT_CONTAINS(Testing::message_of<ConfigError>(
                        [&] { detectors(std::string(", rotation_center: ") + center); }),
                    "problem.geometry.rotation_center")
        << center;
    EXPECT_EQ(detectors(std::string(", detectors: 9, rotation_center: ") + center), 9);
  }
}

TEST(Configuration, empty_documents_and_documents_without_a_map_are_refused) {
  EXPECT_CONTAINS(error_of({}, ""), "problem.type: is required");
  EXPECT_CONTAINS(error_of({}, "# nothing\n"), "problem.type: is required");
  EXPECT_CONTAINS(error_of({}, "solver: {type: mlem}\n"), "problem.type: is required");
  EXPECT_CONTAINS(error_of({}, "- a\n- b\n"), "expected a configuration");
  EXPECT_CONTAINS(error_of({}, "just words\n"), "expected a configuration");
}

TEST(Configuration, a_transposition_of_another_backend_is_refused) {
  const std::string message =
      error_of({"run.backend=" + std::string(backend_name<TOMOKKOS_HOST_SPACE>()),
                "operator.transposition=claims"});
  EXPECT_CONTAINS(message, "claims does not run on the backend");
}

TEST(Configuration, an_unavailable_backend_is_refused_with_the_available_ones) {
  for (const char* name : {"cuda", "openmp", "serial"}) {
    bool compiled = false;
    for (const auto backend : backend_names()) compiled = compiled || backend == name;
    const std::string message = error_of({std::string("run.backend=") + name});
    if (compiled) {
      EXPECT_EQ(message, "(accepted)");
    } else {
      EXPECT_CONTAINS(message,
                      "is not available in this build; available: " + join_names(backend_names()));
    }
  }
}

}  // namespace
