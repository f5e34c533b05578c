// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations that must be refused, with the text that the message must contain.
#include <gtest/gtest.h>

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cmath>
#include <cstdlib>

#include "RunConfigTesting.hpp"

namespace {

using Testing::Refusal;

class RefusedConfiguration : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedConfiguration, says_why) {
  const std::string message = error_of(GetParam().settings);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << "in: " << message;
}

INSTANTIATE_TEST_SUITE_P(
    Typos, RefusedConfiguration,
    ::testing::Values(
        Refusal{{"problm.type=x"}, "problm: unknown key; did you mean \"problem\"?"},
        Refusal{{"problem.geometry.view=3"},
                "problem.geometry.view: unknown key; did you mean \"views\"?"},
        Refusal{{"solver.iteration=3"}, "did you mean \"iterations\"?"},
        Refusal{{"solver.stop.relativ_change=3"}, "solver.stop.relativ_change: unknown key"},
        Refusal{{"problem.type=tomografy"}, "did you mean \"tomography\"? allowed: tomography"},
        Refusal{{"problem.type=optics"},
                "allowed: tomography, linear_system, parameterization, smoothing"},
        Refusal{{"problem.type=linear_system"}, "problem.volume: unknown key"},
        Refusal{{"problem.phantom=shep_logan"}, "did you mean \"shepp_logan\"?"},
        Refusal{{"problem.projector=joseph"}, "allowed: line, linear, strip"},
        Refusal{{"solver.type=osem"}, "solver.type: osem is mlem with ordered subsets"},
        Refusal{{"solver={type: osem, subsets: 1}"}, "give their number as solver.subsets"},
        Refusal{{"solver.type=gridrec"}, "filtered back projection"},
        Refusal{{"solver.type=xyz"}, "allowed: mlem, sirt, cgls, art, block_art, sart, os_sart"},
        Refusal{{"solver.type=pcg"},
                "pcg solves square systems (problem.type: linear_system); available here: mlem, "
                "sirt, cgls, art, block_art, sart, os_sart"},
        Refusal{{"solver.type=mlm"}, "did you mean \"mlem\"? allowed: mlem, sirt, cgls, art"},
        Refusal{
            {"operator.variant=merge"},
            "allowed: automatic, scalar, team_vector, staged, merge_path, crs_vector, spmv4gpu, "
            "merge_atomic"},
        Refusal{{"operator.format=elpack"},
                "allowed: csr, coo, ell, ell_r, hyb, sell, bcsr, ray_tiles, packed_csr, "
                "pair_blocked, "},
        Refusal{{"operator.block=2"}, "has no effect on the format csr; it belongs to bcsr"},
        Refusal{{"operator={format: bcsr, block: 5}"}, "allowed: 2, 3, 4, 8"},
        Refusal{{"operator={format: sell, chunk: -1}"}, "operator.chunk"},
        Refusal{{"operator={format: ell_r, threads_per_row: 3}"}, "allowed: 0, 1, 2, 4, 8"},
        Refusal{{"operator={format: hyb, quantile: 1.5}"}, "operator.quantile"},
        Refusal{{"operator={format: coo, largest_fill: 2}"},
                "it belongs to ell, ell_r, hyb, sell, bcsr"},
        Refusal{{"operator={format: sell, variant: scalar}"}, "applies only to csr"},
        Refusal{{"operator={format: automatic, variant: scalar}"},
                "which chooses the variant as well"},
        Refusal{{"operator={format: sell, transpose: private}"},
                "private applies only to csr and packed_csr; allowed for sell: stored, atomic, "
                "automatic"},
        Refusal{{"operator={format: packed_csr, transpose: windowed}"},
                "windowed applies only to csr; allowed for packed_csr: stored, atomic, private, "
                "automatic"},
        Refusal{
            {"operator={format: packed_csr, values: half}", "run.scalar=double"},
            "operator.values: half: 16-bit values require products in float; run.scalar is double"},
        Refusal{{"operator={format: packed_csr, values: fourth}"}, "allowed: plain, half, scaled"},
        Refusal{{"operator={format: packed_csr, tile: 64}"}, "it belongs to ray_tiles"},
        Refusal{{"operator={format: packed_csr, largest_fill: 2}"},
                "has no effect on the format packed_csr"},
        Refusal{{"operator={format: packed_csr, variant: scalar}"}, "applies only to csr"},
        Refusal{{"operator={format: packed_csr, ordering: {entries: interleaved}}"},
                "applies only to csr"},
        Refusal{{"solver={type: art}", "operator={format: packed_csr}"}, "single rows"},
        Refusal{
            {"operator={format: pair_blocked, transpose: stored}"},
            "stored applies only to other formats; allowed for pair_blocked: atomic, fixed_point, "
            "automatic"},
        Refusal{{"operator={format: pair_blocked, transpose: private}"},
                "allowed for pair_blocked"},
        Refusal{{"operator={format: pair_blocked, transpose: direct}"}, "allowed for pair_blocked"},
        Refusal{{"operator={format: pair_blocked, transpose: atomic}", "run.deterministic=true"},
                "use fixed_point, which adds whole numbers"},
        Refusal{{"operator={format: pair_blocked, values: half}"}, "it belongs to ray_tiles"},
        Refusal{{"operator={format: pair_blocked, variant: scalar}"}, "applies only to csr"},
        Refusal{{"operator={format: pair_blocked, transpose_variant: scalar}"},
                "applies only to csr"},
        Refusal{{"operator={format: pair_blocked, ordering: {entries: interleaved}}"},
                "applies only to csr"},
        Refusal{{"solver={type: art}", "operator={format: packed_csr}"},
                "visits single rows; allowed: csr, pair_blocked, scsr and computed"},
        Refusal{{"operator={transpose: fixed_point}"},
                "fixed_point applies only to pair_blocked; allowed for csr: stored, atomic, "},
        Refusal{{"operator={format: sell, transpose: fixed_point}"},
                "fixed_point applies only to pair_blocked; allowed for sell: stored, atomic, "
                "automatic"},
        Refusal{{"operator={format: automatic, transpose: fixed_point}"},
                "fixed_point applies only to pair_blocked; allowed for automatic: stored, atomic, "
                "automatic"},
        Refusal{{"operator.transpose=windowd"},
                "allowed: stored, atomic, private, windowed, fixed_point, direct, automatic"},
        Refusal{{"operator={transpose: private, transpose_variant: scalar}"}, "has none"},
        Refusal{{"operator={transpose: windowed, transpose_variant: scalar}"}, "has none"},
        Refusal{{"operator={format: automatic, transpose: windowed}"},
                "windowed applies only to csr; allowed for automatic: stored, atomic, automatic"},
        Refusal{{"operator={transpose: windowed, ordering: {entries: interleaved}}"},
                "windowed needs successive entries"},
        Refusal{{"solver={type: art}", "operator={transpose: windowed}"}, "no transposed product"},
        Refusal{{"operator={format: sell, values: half}"}, "it belongs to ray_tiles, packed_csr"},
        Refusal{{"operator={format: ray_tiles, values: quarter}"}, "allowed: plain, half, scaled"},
        Refusal{
            {"operator={format: ray_tiles, values: half}", "run.scalar=double"},
            "operator.values: half: 16-bit values require products in float; run.scalar is double"},
        Refusal{{"operator={format: ray_tiles, tile: 5000}"},
                "operator.tile: 5000 is out of range"},
        Refusal{{"operator={format: ray_tiles, group_rows: -1}"}, "operator.group_rows: -1"},
        Refusal{{"operator={format: ray_tiles, transpose: stored}"}, "one copy serves both"},
        Refusal{{"operator={format: ray_tiles, largest_fill: 2}"},
                "has no effect on the format ray_tiles"},
        Refusal{{"operator={format: ray_tiles, ordering: {entries: interleaved}}"},
                "applies only to csr"},
        Refusal{{"solver={type: art}", "operator={format: ray_tiles}"}, "single rows"},
        Refusal{{"solver={type: art}", "operator={format: sell}"}, "single rows"},
        Refusal{{"run.backend=opnmp"}, "did you mean"},
        Refusal{{"run.backend=hip"}, "run.backend: unknown name \"hip\""},
        Refusal{{"run.scalar=half"}, "allowed: float, double"},
        Refusal{{"output.image=[jpg]"},
                "unknown name \"jpg\"; allowed: png, npy, tiff, tiff16, hdf5"},
        Refusal{{"problem.noise.type=poison"}, "did you mean \"poisson\"?"}));

INSTANTIATE_TEST_SUITE_P(
    Types, RefusedConfiguration,
    ::testing::Values(Refusal{{"problem=[1]"}, "problem: expected a map"},
                      Refusal{{"problem.volume=[16, 16]"},
                              "problem.volume: expected a map (keys: size, pixel, center)"},
                      Refusal{{"problem.volume.size=16"}, "expected [rows, columns]"},
                      Refusal{{"problem.volume.size=[16]"}, "expected [rows, columns]"},
                      Refusal{{"problem.volume.size=[16, 16, 16]"}, "expected [rows, columns]"},
                      Refusal{{"problem.volume.size=[16, x]"},
                              "problem.volume.size[1]: expected a whole number"},
                      Refusal{{"problem.volume.size=[1.5, 2]"},
                              "problem.volume.size[0]: expected a whole number"},
                      Refusal{{"problem.geometry.views=\"12\""}, "expected a whole number"},
                      Refusal{{"problem.geometry.views=[12]"}, "found a list"},
                      Refusal{{"problem.geometry.start=ninety"}, "expected an angle"},
                      Refusal{{"problem.geometry.start=90 degrees of"}, "expected an angle"},
                      Refusal{{"problem.geometry.range={x: 1}"}, "expected a text, found a map"},
                      Refusal{{"run.deterministic=1"}, "expected true or false"},
                      Refusal{{"run.seed=abc"}, "expected a whole number"},
                      Refusal{{"solver.relaxation=much"}, "expected a number"},
                      Refusal{{"solver.start=halves"}, "allowed: zeros, ones, uniform"},
                      Refusal{{"solver.start=[1]"}, "expected a number or a .npy file"},
                      Refusal{{"output.image=png"}, "expected a list"},
                      Refusal{{"output.window=[1]"}, "expected [low, high]"},
                      Refusal{{"output.directory=[a]"}, "expected a text"}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, RefusedConfiguration,
    ::testing::Values(
        Refusal{{"problem.geometry.views=0"}, "problem.geometry.views: 0 is out of range"},
        Refusal{{"problem.geometry.views=-3"}, "-3 is out of range"},
        Refusal{{"problem.geometry.detectors=0"}, "0 is out of range"},
        Refusal{{"problem.geometry.detectors=3000000000"}, "3000000000 is out of range"},
        Refusal{{"problem.geometry.detector_width=0"}, "greater than 0"},
        Refusal{{"problem.geometry.detector_width=-1"}, "greater than 0"},
        Refusal{{"problem.geometry.detector_offset=.nan"}, "not a finite number"},
        Refusal{{"problem.geometry.start=.nan"}, "expected an angle"},
        Refusal{{"problem.geometry.start=nan deg"}, "expected an angle"},
        Refusal{{"problem.geometry.range=inf deg"}, "expected an angle"},
        Refusal{{"problem.geometry.range=0 deg"}, "at the same angle"},
        Refusal{{"problem.volume.size=[-16, 16]"}, "-16 is out of range"},
        Refusal{{"problem.volume.size=[16, 0]"}, "0 is out of range"},
        Refusal{{"problem.volume.pixel=0"}, "greater than 0"},
        Refusal{{"problem.volume.pixel=.inf"}, "not a finite number"},
        Refusal{{"problem.volume.size=[1000000000, 1000000000]"},
                "1000000000000000000 columns of the system matrix, more than a 32-bit index can "
                "number"},
        Refusal{{"problem.volume.size=[1e9, 1e9]"}, "(4000000000000000000 bytes)"},
        Refusal{{"problem.geometry.views=1e9"}, "24000000000 rows of the system matrix"},
        Refusal{{"solver.iterations=-1"}, "-1 is out of range"},
        Refusal{{"solver.relaxation=0"}, "0 is out of range"},
        Refusal{{"solver.relaxation=2"}, "between 0 and 2"},
        Refusal{{"solver.check_every=0"}, "0 is out of range"},
        Refusal{{"solver.smallest_sum=-1"}, "-1 is out of range"},
        Refusal{{"solver={type: mlem, sensitivity_threshold: 1}"}, "1 is out of range"},
        Refusal{{"solver={type: mlem, sensitivity_threshold: -1}"}, "-1 is out of range"},
        Refusal{{"solver.minimum=1", "solver.maximum=0"},
                "must not be greater than solver.maximum"},
        Refusal{{"solver.stop.residual=-1"}, "greater than 0"},
        Refusal{{"solver.stop.discrepancy={noise_level: .nan}"}, "not a finite number"},
        Refusal{{"run.threads=-1"}, "-1 is out of range"},
        Refusal{{"run.seed=-1"}, "-1 is out of range"},
        Refusal{{"output.every=-1"}, "-1 is out of range"},
        Refusal{{"output.window=[1, 1]"}, "must be less than"},
        Refusal{{"problem.noise={type: poisson, counts: 0}"}, "greater than 0"},
        Refusal{{"problem.noise={type: poisson, counts: .nan}"}, "not a finite number"},
        Refusal{{"problem.phantom={kind: disc, supersampling: 0}"}, "0 is out of range"}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, RefusedConfiguration,
    ::testing::Values(
        Refusal{{"problem.type="}, "problem.type: is required"},
        Refusal{{"problem.volume.size="}, "problem.volume.size: is required"},
        Refusal{{"problem.geometry.views="}, "problem.geometry.views: is required"},
        Refusal{{"problem.phantom="}, "no data"},
        Refusal{{"solver.type="}, "solver.type: is required"},
        Refusal{{"problem.sinogram=x.npy"}, "three sources of data; give one"},
        Refusal{{"problem.rhs=x.npy"}, "belongs to a matrix from a file"},
        Refusal{{"problem.geometry.angles=[0, 1]"}, "and geometry.angles both set the angles"},
        Refusal{{"problem.geometry.views=", "problem.geometry.angles=[]"},
                "expected a list of angles"},
        Refusal{{"problem.geometry.views=", "problem.geometry.angles=[0, .nan]"},
                "problem.geometry.angles[1]: expected an angle"},
        Refusal{{"problem.geometry.views=auto"}, "auto needs measured data"},
        Refusal{{"problem.geometry.rotation_center=auto"}, "auto needs measured data"},
        Refusal{{"problem.geometry.rotation_center=3", "problem.geometry.detector_offset=1"},
                "give one of the two"},
        Refusal{{"problem.geometry.source_to_origin=30"}, "has no effect on a parallel beam"},
        Refusal{{"problem.geometry.type=fan_beam"}, "source_to_origin: is required"},
        Refusal{{"problem.matrix=a.mtx", "problem.phantom=", "problem.rhs=b.npy",
                 "problem.geometry.start=0"},
                "has no effect on a matrix from a file"},
        Refusal{{"problem.matrix=a.mtx", "problem.geometry=", "problem.volume.pixel=2"},
                "problem.volume.pixel: has no effect on a matrix from a file"},
        Refusal{{"problem.phantom={kind: disc, tile: 3}"},
                "problem.phantom.tile: has no effect on the phantom disc"},
        Refusal{{"problem.matrix=a.txt"}, "allowed are .mtx, .mtx.gz, .tar.gz, .npz, .csr4"},
        Refusal{{"problem.phantom=", "problem.sinogram=a.jpg"},
                "expected a .npy, .npz or .tif file"},
        Refusal{{"problem.phantom=", "problem.sinogram=b.h5",
                 "problem.geometry={angles: {unit: deg}, range: 90 deg}"},
                "problem.geometry.range: and geometry.angles both set the angles"},
        Refusal{{"output.image=[png]", "problem.matrix=a.mtx",
                 "problem.phantom=", "problem.rhs=b.npy", "problem.geometry=", "problem.volume="},
                "png and tiff need the rows and columns of the image"},
        Refusal{{"output.image=[tiff, tiff16]"}, "files of the same name"},
        Refusal{{"problem.phantom=", "problem.sinogram={slice: 1}"}, "sinogram.file: is required"},
        Refusal{{"problem.data=analytic", "problem.phantom=checkerboard"}, "made of ellipses"},
        Refusal{{"problem.slices=[0, 2]"}, "problem.slices: a phantom has one slice"},
        Refusal{{"problem.slices=1.5"}, "problem.slices"},
        Refusal{{"problem.slices=2", "solver.type=art"},
                "problem.slices is available for mlem, sirt, cgls, sart, os_sart"},
        Refusal{{"problem.noise.counts=3"},
                "has no effect with problem.noise.type: none; it belongs to poisson"},
        Refusal{{"problem.noise.type=poisson"}, "problem.noise.counts: is required"},
        Refusal{{"problem.noise={type: gaussian, counts: 3}"}, "belongs to poisson"},
        Refusal{{"problem.phantom=", "problem.sinogram=a.npy",
                 "problem.noise={type: gaussian, sigma: 1}"},
                "not to measured data"},
        Refusal{{"solver.damping=1"}, "has no effect on the solver sirt; it belongs to cgls"},
        Refusal{{"solver.background=1"}, "belongs to mlem"},
        Refusal{{"solver.sensitivity_threshold=0.1"}, "belongs to mlem"},
        Refusal{{"solver={type: cgls, smallest_sum: 0}"}, "belongs to sirt"},
        Refusal{{"solver={type: cgls, subsets: 2}"}, "belongs to mlem, sirt"},
        Refusal{{"solver.subsets=0"}, "solver.subsets: 0 is out of range"},
        Refusal{{"solver.subsets=13"}, "13 subsets are more than the 12 views"},
        Refusal{{"solver.subsets=3", "operator={format: sell}"},
                "use ranges of rows, which csr, ray_tiles, pair_blocked, dia, scsr and computed "
                "support"},
        Refusal{{"solver.subsets=3", "operator={variant: merge_atomic}"},
                "merge_atomic multiplies by all rows at once"},
        Refusal{{"solver.subsets=3", "operator={format: packed_csr}"},
                "use ranges of rows, which csr, ray_tiles"},
        Refusal{{"output.checkpoint=3", "solver.check_every=2"},
                "output.checkpoint: must be a multiple of solver.check_every (2)"},
        Refusal{{"solver={type: sart, subsets: 3}"}, "it belongs to mlem, sirt, os_sart"},
        Refusal{{"solver={type: sart, smallest_sum: 3}"}, "it belongs to sirt"},
        Refusal{{"solver={type: sirt, order: random}"},
                "it belongs to art, block_art, sart, os_sart"},
        Refusal{{"solver={type: sart, order: shuffled}"},
                "allowed: sequential, random, golden, multilevel"},
        Refusal{{"solver={type: sart, order: golden, seed: 3}"},
                "seed: has no effect with solver.order: golden; it belongs to random"},
        Refusal{{"solver.type=os_sart"}, "solver.subsets: is required"},
        Refusal{{"solver={type: os_sart, subsets: 13}"}, "13 subsets are more than the 12 views"},
        Refusal{{"solver.type=sart", "operator={format: sell}"},
                "views of sart use ranges of rows"},
        Refusal{{"solver.type=sart", "operator.variant=merge_atomic"},
                "the views of sart use ranges of rows"},
        Refusal{{"solver.type=sart", "operator.ordering=tiles"}, "separates the rows of a view"},
        Refusal{{"solver.type=sart", "operator.ordering=subsets"}, "solver.subsets is 1"},
        Refusal{{"solver.type=sart", "problem.matrix=a.mtx",
                 "problem.phantom=", "problem.rhs=b.npy", "problem.geometry=", "problem.volume="},
                "give their number as problem.geometry.views and detectors"},
        Refusal{{"output.checkpoint=-1"}, "-1 is out of range"},
        Refusal{{"solver.sweeps=1"}, "belongs to art"},
        Refusal{{"solver={type: art, sweeps: 1, iterations: 2}"}, "give one"},
        Refusal{{"solver={type: mlem, relaxation: 1}"}, "belongs to sirt, art"},
        Refusal{{"solver={type: mlem, start: zeros}"}, "zeros would remain zero"},
        Refusal{{"solver={type: mlem, start: -1}"}, "zeros would remain zero"},
        Refusal{{"solver.start=uniform"}, "available only for mlem"},
        Refusal{{"solver.stop.discrepancy.tau=1"}, "noise_level: is required"},
        Refusal{{"solver.stop.discrepancy.noise_level=auto"}, "auto needs problem.noise"},
        Refusal{{"solver.stop.ncp=rows"}, "allowed: views, whole"},
        Refusal{{"solver={type: mlem, stop: {ncp: views}}"},
                "has no effect on the solver mlem; it belongs to sirt, cgls, art, sart"},
        Refusal{{"solver.stop.monotone_error.noise_level=1"},
                "solver.stop.monotone_error: is no longer a rule; use discrepancy"},
        Refusal{{"solver.stop.ncp=views", "problem.matrix=a.mtx",
                 "problem.phantom=", "problem.rhs=b.npy", "problem.geometry=", "problem.volume="},
                "whole, which treats all rays as one signal"},
        Refusal{{"run.deterministic=true", "operator.transpose=atomic"}, "use stored"},
        Refusal{{"run.deterministic=true", "operator.variant=merge_atomic"},
                "operator.variant: merge_atomic adds in varying order"},
        Refusal{{"run.deterministic=true", "operator.transpose_variant=merge_atomic"},
                "operator.transpose_variant: merge_atomic adds in varying order"},
        Refusal{{"operator={transpose: atomic, transpose_variant: scalar}"}, "has none"},
        Refusal{{"operator={variant: scalar, sections: 8}"},
                "operator.sections: applies only to the variants merge_path and merge_atomic"},
        Refusal{{"operator={format: sell, sections: 8}"}, "sell has a single product"},
        Refusal{{"operator={variant: merge_path, sections: -1}"},
                "operator.sections: -1 is out of range"},
        Refusal{{"operator={transpose: atomic, transposition: banded}"},
                "applies only to a stored transpose; transpose: atomic has none"},
        Refusal{{"operator={format: ray_tiles, transposition: banded}"},
                "which keeps no transposed copy"},
        Refusal{{"operator={format: pair_blocked, transposition: banded}"},
                "which has no stored transpose"},
        Refusal{{"solver={type: art}", "operator.transposition=banded"},
                "has no effect on the solver art"},
        Refusal{{"run.backend=" + std::string(backend_name<TOMOKKOS_HOST_SPACE>()),
                 "operator.transposition=claims"},
                "claims does not run on the backend"},
        Refusal{{"solver={type: art}", "operator.transpose=stored"},
                "operator.transpose: has no effect on the solver art"},
        Refusal{{"solver={type: art}", "operator.transpose_variant=scalar"},
                "operator.transpose_variant: has no effect on the solver art"},
        Refusal{{"output.report=a/b.yaml"}, "without a folder"},
        Refusal{{"output.report=.."}, "without a folder"}));

TEST(Configuration, empty_documents_and_documents_without_a_map_are_refused) {
  EXPECT_NE(error_of({}, "").find("problem.type: is required"), std::string::npos);
  EXPECT_NE(error_of({}, "# nothing\n").find("problem.type: is required"), std::string::npos);
  EXPECT_NE(error_of({}, "solver: {type: mlem}\n").find("problem.type: is required"),
            std::string::npos);
  EXPECT_NE(error_of({}, "- a\n- b\n").find("expected a configuration"), std::string::npos);
  EXPECT_NE(error_of({}, "just words\n").find("expected a configuration"), std::string::npos);
}

TEST(Configuration, an_unavailable_backend_is_refused_with_the_available_ones) {
  for (const char* name : {"cuda", "openmp", "serial"}) {
    bool compiled = false;
    for (const auto backend : backend_names()) compiled = compiled || backend == name;
    const std::string message = error_of({std::string("run.backend=") + name});
    if (compiled) {
      EXPECT_EQ(message, "(accepted)");
    } else {
      EXPECT_NE(
          message.find("is not available in this build; available: " + join_names(backend_names())),
          std::string::npos)
          << message;
    }
  }
}

}  // namespace
