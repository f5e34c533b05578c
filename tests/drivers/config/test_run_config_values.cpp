// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values read from configurations: defaults, angles, values of systems. Every default must be
// printed such that it reads back the same.
#include <gtest/gtest.h>

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Shorthand.hpp>
#include <Tomokkos_WriteYaml.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

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
  EXPECT_EQ(scan_of(config).beam, Beam::parallel);
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

TEST(Configuration, removed_keys_and_values_name_their_successors) {
  for (const auto& [setting, successor] : {std::pair{"operator={symmetry: true}",
                                                     "operator.symmetry: the key is gone; "
                                                     "operator.format: scsr"},
                                           {"operator={format: csr, variant: library}",
                                            "operator.variant: library is available only "
                                            "in tomokkos bench"}})
    EXPECT_NE(error_of({setting}).find(successor), std::string::npos) << setting;
}

TEST(Configuration, lsmr_accepts_the_keys_of_least_squares) {
  const RunConfig config = configure({"solver={type: lsmr, damping: 0.5, restart_every: 7}"});
  EXPECT_EQ(config.solver.kind(), SolverKind::lsmr);
  EXPECT_EQ(std::get<LsmrParams>(config.solver.params).damping, 0.5);
  EXPECT_EQ(std::get<LsmrParams>(config.solver.params).restart_every, 7);
  EXPECT_EQ(to_node(config).find("solver")->find("damping")->scalar(), "0.5");
  EXPECT_THROW(configure({"solver={type: lsmr, relaxation: 0.5}"}), ConfigError);
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

TEST(Configuration, linear_systems_refuse_rounded_values) {
  const std::string text =
      "run: {scalar: float}\n"
      "problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: ones}\n";
  for (const char* values : {"half", "scaled"})
    EXPECT_NE(error_of({"operator={format: packed_csr, values: " + std::string(values) + "}"}, text)
                  .find("rounds the matrix, so pcg would solve a different system; allowed: plain"),
              std::string::npos);
  EXPECT_EQ(error_of({"operator={format: packed_csr}"}, text), "(accepted)");
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
    try {
      detectors(std::string(", rotation_center: ") + center);
      ADD_FAILURE() << center;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("problem.geometry.rotation_center"),
                std::string::npos);
    }
    EXPECT_EQ(detectors(std::string(", detectors: 9, rotation_center: ") + center), 9);
  }
}

TEST(Configuration, the_bench_section_is_ignored) {
  EXPECT_EQ(error_of({"bench.anything=[1, 2]"}), "(accepted)");
}

// The printed configuration reads back the same, whatever is set.
class PrintedConfiguration : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PrintedConfiguration, reads_back_the_same) {
  const std::string once = to_yaml(to_node(configure(GetParam())));
  const std::string twice = to_yaml(to_node(configure({}, once)));
  EXPECT_EQ(once, twice);
}

INSTANTIATE_TEST_SUITE_P(
    All, PrintedConfiguration,
    ::testing::Values(
        std::vector<std::string>{}, std::vector<std::string>{"solver.type=mlem"},
        std::vector<std::string>{"solver={type: art, iterations: 3, minimum: 0, relaxation: 0.1}"},
        std::vector<std::string>{"operator={format: sell, chunk: 16, sigma: 64}"},
        std::vector<std::string>{"operator={format: ell_r, sort_by_length: true, largest_fill: 3}"},
        std::vector<std::string>{"operator={format: bcsr, block: 3}"},
        std::vector<std::string>{"operator={format: hyb, quantile: 0.25}"},
        std::vector<std::string>{
            "solver={type: cgls, damping: 1e-3, restart_every: 5, start: x.npy}"},
        std::vector<std::string>{"solver={type: lsmr, damping: 1e-3, stop: {ncp: whole}}"},
        std::vector<std::string>{
            "solver={type: mlem, start: 0.3333333333333333, background: b.npy, "
            "multiplicative: 2, check_every: 5}"},
        std::vector<std::string>{"solver.stop={residual: 0.1, relative_change: 1e-7, "
                                 "minimum_iterations: 3, discrepancy: {noise_level: 3, tau: 1.1}}"},
        std::vector<std::string>{"solver.stop.discrepancy.noise_level=auto",
                                 "problem.noise={type: gaussian, sigma: 0.05, scale: relative}"},
        std::vector<std::string>{"problem.noise={type: poisson, counts: 1e5, model: transmission}"},
        std::vector<std::string>{"solver={type: mlem, sensitivity_threshold: 0.01}"},
        std::vector<std::string>{"solver={type: sirt, smallest_sum: 1e-12}"},
        std::vector<std::string>{"solver={type: sirt, subsets: 6}", "output.checkpoint=4"},
        std::vector<std::string>{"solver={type: mlem, subsets: 12}", "operator.ordering=tiles"},
        std::vector<std::string>{"solver.subsets=3", "operator.ordering={columns: hilbert}"},
        std::vector<std::string>{"problem.phantom={kind: checkerboard, tile: 3}"},
        std::vector<std::string>{"problem.phantom={kind: disc, supersampling: 3}"},
        std::vector<std::string>{"problem.matrix=a.csr4", "problem.volume={size: [3, 4]}",
                                 "problem.geometry="},
        std::vector<std::string>{"problem.data=analytic", "problem.phantom=derenzo"},
        std::vector<std::string>{
            "problem.geometry={type: fan_beam, views: 7, start: 10 deg, range: "
            "0.5 turn, detector_offset: 0.25, source_to_origin: 50, "
            "origin_to_detector: 25}"},
        std::vector<std::string>{"problem.geometry={angles: [0, 45 deg, 1.5], detectors: auto, "
                                 "rotation_center: 11.5}"},
        std::vector<std::string>{"problem.geometry={angles: a b.npy}"},
        std::vector<std::string>{"problem.phantom=", "problem.sinogram=scan.npy",
                                 "problem.geometry={views: auto, rotation_center: auto}"},
        std::vector<std::string>{"problem.phantom=", "problem.geometry={}",
                                 "problem.sinogram={file: scan.h5, slice: 1, negative: clamp}"},
        std::vector<std::string>{"problem.slices=3"},
        std::vector<std::string>{"problem.phantom=", "problem.sinogram=scan.npy",
                                 "problem.slices=[2, 5]"},
        std::vector<std::string>{"problem.phantom=", "problem.sinogram={file: scan.h5}",
                                 "problem.geometry={}", "problem.slices=all"},
        std::vector<std::string>{"problem.phantom=", "problem.matrix=a.npz", "problem.rhs=b.npy",
                                 "problem.volume=", "problem.geometry="},
        std::vector<std::string>{"problem.matrix=a.csr4",
                                 "problem.geometry={views: 3, detectors: 4}"},
        std::vector<std::string>{"operator={transpose: atomic, variant: merge_path}"},
        std::vector<std::string>{"operator={transpose: atomic, variant: merge_atomic}"},
        std::vector<std::string>{"operator={variant: merge_atomic, sections: 256}"},
        std::vector<std::string>{
            "operator={transpose_variant: merge_path, sections: 64, transposition: merge_trans}"},
        std::vector<std::string>{"operator={format: sell, transposition: scan_trans}"},
        std::vector<std::string>{"operator={transpose: private}"},
        std::vector<std::string>{"operator={transpose: windowed}"},
        std::vector<std::string>{"operator={transpose: windowed}", "solver.subsets=2"},
        std::vector<std::string>{"operator={transpose: windowed, ordering: natural}",
                                 "run.deterministic=true"},
        std::vector<std::string>{"operator={transpose: automatic, transpose_variant: scalar}"},
        std::vector<std::string>{"operator={format: sell, transpose: atomic}"},
        std::vector<std::string>{"operator={format: automatic, transpose: automatic}"},
        std::vector<std::string>{"operator={format: ray_tiles, values: half, tile: 64}"},
        std::vector<std::string>{"operator={format: ray_tiles, ordering: tiles, group_rows: 9}"},
        std::vector<std::string>{"operator={format: ray_tiles}", "solver.subsets=2"},
        std::vector<std::string>{"operator={format: packed_csr, values: scaled}"},
        std::vector<std::string>{"operator={format: packed_csr, transpose: private}"},
        std::vector<std::string>{"operator={format: pair_blocked}", "run.deterministic=true"},
        std::vector<std::string>{"operator={format: pair_blocked, transpose: atomic, "
                                 "largest_fill: 3, ordering: tiles}"},
        std::vector<std::string>{"operator={format: pair_blocked, transpose: fixed_point}"},
        std::vector<std::string>{"operator={format: scsr, stored_format: pair_blocked}"},
        std::vector<std::string>{"operator={format: pair_blocked}", "solver={type: art}"},
        std::vector<std::string>{"operator={format: pair_blocked}", "solver={type: sart}"},
        std::vector<std::string>{"operator={format: pair_blocked}", "solver.subsets=3"},
        std::vector<std::string>{"operator={format: scsr, stored_format: pair_blocked}",
                                 "solver={type: block_art}"},
        std::vector<std::string>{"operator={format: scsr, stored_format: pair_blocked}",
                                 "solver.subsets=3"},
        std::vector<std::string>{"operator={format: scsr, transpose_format: sell}"},
        std::vector<std::string>{
            "operator={format: scsr, transpose_format: csr, transpose_variant: merge_path}"},
        std::vector<std::string>{"solver={type: sart}"},
        std::vector<std::string>{"solver={type: block_art}", "operator.format=automatic"},
        std::vector<std::string>{"operator={format: packed_csr, ordering: tiles}",
                                 "run.scalar=double"},
        std::vector<std::string>{"run={scalar: double, threads: 3, seed: 9007199254740993}"},
        std::vector<std::string>{
            "output={directory: \"a: b #c\", image: [], report: r.yaml, every: "
            "7, window: [-0.5, 1e-3]}"}));

}  // namespace
