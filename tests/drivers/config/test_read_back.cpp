// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effective configuration is accepted when it is read again, and stays the same, with all
// values and without the defaults. Covers keys of every form and problems of every kind.
#include <gtest/gtest.h>

#include <Tomokkos_WriteYaml.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using Settings = std::vector<std::string>;

void expect_read_back(const std::string& text, const std::vector<Settings>& cases) {
  for (const Settings& settings : cases) {
    std::string name;
    for (const std::string& setting : settings) name += setting + " ";
    std::string once, twice, short_form;
    try {
      const RunConfig config = Testing::configured(text, settings);
      once = to_yaml(to_node(config));
      twice = to_yaml(to_node(Testing::configured(once, {})));
      short_form = to_yaml(to_short_node(config));
      EXPECT_EQ(to_yaml(to_node(Testing::configured(short_form, {}))), once) << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << (once.empty() ? "" : "when read again: ") << error.what();
      continue;
    }
    EXPECT_EQ(once, twice) << name;
    EXPECT_LT(short_form.size(), once.size()) << name;
  }
}

TEST(ReadBack, the_effective_configuration_of_a_scan_stays_the_same) {
  expect_read_back(
      "problem:\n  type: tomography\n  volume: {size: [8, 8]}\n  geometry: {views: 8, detectors: "
      "9}\n  phantom: disc\nsolver: {type: sirt}\n",
      {{"problem.geometry={angles: {file: a.npy, unit: deg}}"},
       {"problem.geometry={angles: [0, 10 deg, 0.1 turn]}"},
       {"problem.geometry={angles: a.npy}"},
       {"problem.geometry.rotation_center=3.5"},
       {"problem.geometry.detector_offset=0.5"},
       {"problem.mask=m.npy"},
       {"problem.slices=3"},
       {"problem.phantom=", "problem.sinogram=a.npy"},
       {"problem.phantom=", "problem.sinogram={file: a.npz, dataset: x}"},
       {"problem.phantom=", "problem.sinogram={file: a.h5, flat: none}", "problem.geometry={}"},
       {"problem.phantom=", "problem.sinogram={file: a.h5, dataset: /e/d}",
        "problem.geometry={rotation_center: auto}", "problem.slices=[2, 5]", "problem.slab=4"},
       {"problem.phantom=", "problem.sinogram={file: \"scan_*.tif\", flat: f.tif, dark: d.tif}",
        "problem.geometry={range: 360 deg}"},
       {"problem.phantom={kind: checkerboard, tile: 2, supersampling: 3}"},
       {"problem.phantom=a.npy"},
       {"problem.noise={type: poisson, counts: 1e4, model: transmission}"},
       {"problem.noise={type: gaussian, sigma: 0.1, scale: relative}"},
       {"solver.stop={discrepancy: {sigma: [1, 2]}}"},
       {"solver.stop={discrepancy: {sigma: 1, tau: 2}, ncp: whole}"},
       {"solver.stop={discrepancy: {noise_level: 3}}"},
       {"solver.stop={residual_decrease: {share: 0.05, checks: 3}}"},
       {"problem.noise={type: gaussian, sigma: 1}",
        "solver.stop={discrepancy: {noise_level: auto}}"},
       {"run.memory_limit={host: 8 GB, device: 1.5 GiB}"},
       {"run.memory_limit=8 GB"},
       {"run.ranks={weights: [1, 2.5], image: split, slabs: 3}"},
       {"run.ranks.weights=measured"},
       {"run.allow=[angles, data]", "run.on_suspicion=warn"},
       {"operator={format: scsr, stored_format: csr, transpose_format: sell}"},
       {"operator={format: scsr, stored_format: ray_tiles}"},
       {"operator={format: scsr, stored_format: sell}"},
       {"operator={format: automatic, largest_fill: 3}"},
       {"operator.ordering={columns: hilbert, rows: by_length}"},
       {"operator.ordering={entries: interleaved}"},
       {"operator.ordering={columns: tiles}", "solver.subsets=4"},
       {"solver.subsets=4"},
       {"operator={format: ray_tiles, values: half, tile: 32}"},
       {"operator={format: pair_blocked, transpose: fixed_point}"},
       {"operator={format: ell, largest_fill: 4}"},
       {"operator={format: csr, transpose: windowed}"},
       {"operator={transpose: atomic}"},
       {"solver={type: mlem, background: 2, multiplicative: n.npy, start: ones}"},
       {"solver={type: osem, subsets: 4}"},
       {"solver={type: block_art, order: random, seed: 3, within_view: strided, stride: 3, "
        "block_rows: 4}"},
       {"solver={type: os_sart, subsets: 4, order: golden}"},
       {"solver={type: lsmr, damping: 1, restart_every: 3, start: 0.5}"},
       {"output={image: [tiff16], window: [0, 1], every: 2, checkpoint: 4}"},
       {"output.image=[]"},
       {"problem.geometry={type: rays, file: r.npy}"},
       {"problem.geometry={type: rays, file: r.npy, views: 4}"}});
}

TEST(ReadBack, the_effective_configuration_of_a_system_stays_the_same) {
  expect_read_back(
      "problem: {type: linear_system, stencil: {points: 7, size: [3, 4, 5], unknowns: 2}, rhs: "
      "random}\n",
      {Settings{},
       {"solver={type: pcg, preconditioner: block_jacobi, block: 3}"},
       {"solver={type: gmres, restart: 7, stop: {absolute_residual: 1}}"},
       {"solver={type: lsmr}"},
       {"solver={type: pcg, stop: {relative_change: 1e-3, minimum_iterations: 4}}"},
       {"solver={type: pcg, stop: {minimum_iterations: 4}}"},
       {"problem={type: linear_system, matrix: a.mtx, rhs: b.npy}",
        "output={solution: [mtx, npy]}"},
       {"operator.ordering=rcm"},
       {"solver={type: pcg, scheme: single_reduction}"}});
}

TEST(ReadBack, the_effective_configuration_of_a_chart_stays_the_same) {
  expect_read_back(
      "problem: {type: parameterization, mesh: {generate: cap, triangles: 200, refine: 1, noise: "
      "0.1}}\n",
      {Settings{},
       {"problem.pins=[1, 5]"},
       {"problem.pins=[{vertex: 1, position: [0, 0]}, {vertex: 2, position: [1, 0]}]"},
       {"problem.form=equations", "operator.format=bcsr"},
       {"problem.mesh={file: a.obj, weld: true}"},
       {"output.picture_size=0"}});
}

TEST(ReadBack, the_effective_configuration_of_a_smoothing_stays_the_same) {
  expect_read_back(
      "problem: {type: smoothing, mesh: a.ply, locked: 1/20}\n",
      {Settings{}, {"problem.locked=border"}, {"problem.locked=l.npy"}, {"output.mesh=ply"}});
}

TEST(ReadBack, the_effective_configuration_of_a_cone_beam_stays_the_same) {
  expect_read_back(
      "problem: {type: tomography, volume: {polar: {rings: 6, radius: 3, slices: 5, height: 4}}, "
      "geometry: {type: cone_beam, views: 12, detectors: [9, 7], source_to_origin: 10, "
      "origin_to_detector: 5}, phantom: ball}\nsolver: {type: mlem}\n",
      {Settings{},
       {"problem.volume.size=[4, 9, 11]"},
       {"problem.volume.size=[9, 11]"},
       {"problem.geometry.detector_offset=[1, 0.5]", "problem.geometry.detectors=5"},
       {"problem.phantom=", "problem.rhs=b.raw", "problem.rhs_type=float32"},
       {"operator.format=csr"}});
}

TEST(ReadBack, the_effective_configuration_of_a_scanner_stays_the_same) {
  expect_read_back(
      "problem: {type: tomography, scanner: madpet2_small, rhs: b.raw}\nsolver: {type: mlem}\n",
      {Settings{},
       {"problem.volume={pixel: 2}"},
       {"problem.volume={size: [4, 5, 6], thickness: 3}"},
       {"problem.scanner={kind: madpet2_small, rays: 8, first_module: 10 deg, field_of_view: "
        "20}"}});
}

TEST(ReadBack, the_effective_configuration_of_a_matrix_stays_the_same) {
  expect_read_back("problem: {type: tomography, matrix: a.mtx, rhs: b.npy}\nsolver: {type: mlem}\n",
                   {Settings{},
                    {"problem.volume={size: [3, 4]}", "problem.geometry={views: 3, detectors: 4}",
                     "problem.ray_mask=r.npy", "problem.mask=m.npy"},
                    {"problem.volume={size: [2, 3, 4]}"},
                    {"operator={format: block_circulant, blocks: 3, circulant_order: rotations, "
                     "variant: maxpy_8}"},
                    {"problem={type: tomography, block_row: r.mtx, blocks: 4, rhs: b.npy}",
                     "operator={transpose: direct}"}});
}

}  // namespace
