// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings that messages of the program advise: each is applied, and must be accepted.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <map>

#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Settings that the program refuses, the advice in its message, and settings that follow it.
struct Advice {
  const char* problem;
  std::vector<std::string> mistake;
  const char* advice;
  std::vector<std::string> remedy;
};

const std::map<std::string, std::string> problems{{"scan", R"(
problem: {type: tomography, volume: {size: [12, 16]}, geometry: {views: 14, detectors: 19}, sinogram: scan.npy}
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
)"},
                                                  {"phantom", R"(
problem: {type: tomography, volume: {size: [12, 12]}, geometry: {views: 14, detectors: 19}, phantom: disc}
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
)"},
                                                  {"matrix", R"(
problem: {type: tomography, matrix: rays.mtx, volume: {size: [4, 4]}, rhs: rays.npy}
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
)"},
                                                  {"cone", R"(
problem:
  type: tomography
  volume: {polar: {rings: 4, radius: 4, slices: 3, height: 5}, size: [10, 10]}
  geometry: {type: cone_beam, views: 12, detectors: [9, 7], source_to_origin: 16, origin_to_detector: 8}
  phantom: disc
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
)"},
                                                  {"scanner", ScannerProblem::text},
                                                  {"system", R"(
problem: {type: linear_system, matrix: symmetric.mtx, rhs: ones}
solver: {type: pcg}
)"},
                                                  {"chart", R"(
problem: {type: parameterization, mesh: {generate: hills, vertices: 60}}
output: {picture_size: 0}
)"}};

class ProgramAdvice : public ::testing::Test {
 protected:
  ProgramAdvice() {
    write("scan.npy", {14, 19}, 1);
    write("turned.npy", {19, 14}, 1);
    write("negative.npy", {14, 19}, -3);
    write("stack.npy", {14, 5, 19}, 1);
    write("rays.npy", {24}, 1);
    write("cone.npy", {7, 9, 12}, 1);
    write_bytes(folder / "angles.txt", "0 13 26 39 52 65 78\n91 104 117 130 143 156 169\n");
    write("negative_rays.npy", {24}, -3);
    std::vector<Entry<double>> rays, full, lower, other, tall;
    for (Ordinal i = 0; i < 24; ++i)
      for (Ordinal j = i % 3; j < 16; j += 3) rays.push_back({i, j, 1.0 + (i + j) % 4});
    for (Ordinal i = 0; i < 20; ++i)
      for (Ordinal j = std::max(0, i - 1); j < std::min(20, i + 2); ++j) {
        const double value = i == j ? 2.1 : -1.0;
        full.push_back({i, j, value});
        if (j <= i) lower.push_back({i, j, value});
        other.push_back({i, j, j > i ? -0.5 : value});
      }
    for (Ordinal i = 0; i < 24; ++i) tall.push_back({i, i % 20, 1.0 + i});
    write_matrix(folder / "rays.mtx", make_matrix<double>(24, 16, rays));
    write_matrix(folder / "symmetric.mtx", make_matrix<double>(20, 20, full));
    write_matrix(folder / "lower.mtx", make_matrix<double>(20, 20, lower));
    write_matrix(folder / "other.mtx", make_matrix<double>(20, 20, other));
    write_matrix(folder / "tall.mtx", make_matrix<double>(24, 20, tall));
    full[0] = {0, 0, 1e-60};
    write_matrix(folder / "tiny.npz", make_matrix<double>(20, 20, full));
  }

  /// Writes an array of numbers from \p least on.
  void write(const std::string& name, const std::vector<std::size_t>& shape, double least) const {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = least + static_cast<double>(i * 7 % 10) + 0.25;
    write_npy<double>(folder / name, values, shape);
  }

  /// Runs a problem. The word FOLDER in a setting stands for the folder of the files.
  ProgramResult run(const std::string& problem, std::vector<std::string> settings) const {
    write_bytes(folder / "c.yaml", problems.at(problem));
    for (std::string& setting : settings)
      if (const std::size_t at = setting.find("FOLDER"); at != std::string::npos)
        setting.replace(at, 6, folder.path().string());
    std::filesystem::remove_all(folder / "out");
    return run_program(run_of(folder, "out", settings));
  }

  void check(const std::vector<Advice>& all) const {
    for (const auto& [problem, mistake, advice, remedy] : all) {
      SCOPED_TRACE(std::string(problem) + ", " + advice);
      const ProgramResult refused = run(problem, mistake);
      EXPECT_EQ(refused.status, 2) << refused.out;
      EXPECT_CONTAINS(refused.error, advice);
      std::vector<std::string> settings = mistake;
      settings.insert(settings.end(), remedy.begin(), remedy.end());
      // Work that fails, such as an image that explains little of its data, is no refusal.
      const ProgramResult followed = run(problem, settings);
      EXPECT_LT(followed.status, 2) << followed.error;
    }
  }

  const RunFolder folder;
};

TEST_F(ProgramAdvice, the_problems_run_without_a_mistake) {
  for (const auto& [name, text] : problems) EXPECT_LT(run(name, {}).status, 2) << name;
}

TEST_F(ProgramAdvice, about_data_can_be_followed) {
  check({
      {"scan",
       {"solver.type=mlem", "problem.sinogram=FOLDER/negative.npy"},
       "set problem.sinogram.negative: clamp",
       {"problem.sinogram.negative=clamp"}},
      {"matrix",
       {"solver.type=mlem", "problem.rhs=FOLDER/negative_rays.npy"},
       "set problem.negative: clamp",
       {"problem.negative=clamp"}},
      {"phantom",
       {"solver.type=mlem", "problem.noise={type: gaussian, sigma: 5}"},
       "set problem.negative: clamp",
       {"problem.negative=clamp"}},
      {"scan",
       {"problem.negative=clamp"},
       "give problem.sinogram.negative",
       {"problem.negative=~", "problem.sinogram.negative=clamp"}},
      {"scan",
       {"problem.sinogram=FOLDER/turned.npy"},
       "set run.allow: [transposed]",
       {"run.allow=[transposed]"}},
      {"scan",
       {"problem.rhs=FOLDER/rays.npy"},
       "give measured data of a geometry as problem.sinogram",
       {"problem.rhs=~"}},
      {"matrix",
       {"problem.slices=all"},
       "give the number of slices in the file",
       {"problem.slices=1"}},
      {"cone",
       {"problem.phantom=~", "problem.sinogram=FOLDER/scan.npy"},
       "as problem.rhs",
       {"problem.sinogram=~", "problem.rhs=FOLDER/cone.npy"}},
  });
}

TEST_F(ProgramAdvice, about_the_geometry_can_be_followed) {
  check({
      {"scan", {"problem.geometry.range=180"}, "set run.allow: [angles]", {"run.allow=[angles]"}},
      {"scan",
       {"problem.geometry.range=180"},
       "write range: 180 deg",
       {"problem.geometry.range=180 deg"}},
      {"scan",
       {"problem.geometry={angles: [0, 13, 26, 39, 52, 65, 78, 91, 104, 117, 130, 143, 156, 169], "
        "detectors: 19}"},
       "angles: {file: FILE, unit: deg}",
       {"problem.geometry.angles={file: FOLDER/angles.txt, unit: deg}"}},
      {"scan",
       {"problem.geometry={views: 14, angles: [0, 1 deg], detectors: 19}"},
       "give one of the two",
       {"problem.geometry={views: 14, detectors: 19}"}},
      {"scan",
       {"problem.geometry.rotation_center=9", "problem.geometry.detector_offset=1"},
       "give one of the two",
       {"problem.geometry.detector_offset=~"}},
      {"scan",
       {"problem.geometry.source_to_origin=30", "problem.geometry.origin_to_detector=5"},
       "for a fan beam give type: fan_beam",
       {"problem.geometry.type=fan_beam"}},
      {"phantom",
       {"problem.geometry={type: fan_beam, views: 14, source_to_origin: 9, origin_to_detector: 2, "
        "start: 190 deg, range: 160 deg}",
        "problem.volume.center=[1, 0]"},
       "give a number",
       {"problem.geometry.detectors=20"}},
      {"phantom",
       {"problem.geometry.rotation_center=auto"},
       "give the index of the detector element",
       {"problem.geometry.rotation_center=9"}},
      {"cone",
       {"problem.geometry.rotation_center=4"},
       "give detector_offset: [along u, along v]",
       {"problem.geometry.rotation_center=~", "problem.geometry.detector_offset=[0.1, 0]"}},
      {"phantom",
       {"problem.phantom=checkerboard", "problem.data=analytic"},
       "analytic needs a phantom made of ellipses",
       {"problem.phantom=shepp_logan"}},
      {"matrix",
       {"problem.volume=~", "problem.mask=FOLDER/scan.npy"},
       "give problem.volume.size",
       {"problem.mask=~", "problem.volume={size: [4, 4]}"}},
      {"matrix",
       {"problem.blocks=4"},
       "give operator.blocks",
       {"problem.blocks=~", "operator={format: block_circulant, blocks: 1}"}},
  });
}

TEST_F(ProgramAdvice, about_image_solvers_can_be_followed) {
  check({
      {"scan", {"solver={type: mlem, start: zeros}"}, "use uniform, fbp", {"solver.start=fbp"}},
      {"matrix", {"solver={type: mlem, start: zeros}"}, "use uniform, ones", {"solver.start=ones"}},
      {"matrix",
       {"solver={type: mlem, start: fbp}"},
       "allowed here: uniform, ones",
       {"solver.start=uniform"}},
      {"scan", {"solver.start=uniform"}, "allowed here: zeros, ones, fbp", {"solver.start=fbp"}},
      {"scan", {"solver.type=osem"}, "solver.subsets, for example 10", {"solver.subsets=10"}},
      {"cone", {"solver.type=osem"}, "solver.subsets, for example 6", {"solver.subsets=6"}},
      {"scanner", {"solver.type=osem"}, "solver.subsets, for example 10", {"solver.subsets=10"}},
      {"scan",
       {"solver={type: cgls, stop: {discrepancy: {noise_level: auto}}}"},
       "give the norm of the noise as a number",
       {"solver.stop.discrepancy.noise_level=3"}},
      {"matrix",
       {"solver={type: cgls, stop: {ncp: views}}"},
       "use whole",
       {"solver.stop.ncp=whole"}},
      {"matrix",
       {"solver={type: art, order: golden, sweeps: 1}"},
       "as problem.geometry.views and detectors",
       {"problem.geometry={views: 4, detectors: 6}"}},
      {"matrix",
       {"problem.geometry={views: 4, detectors: 6}",
        "solver={type: art, within_view: strided, sweeps: 1}"},
       "needs solver.stride",
       {"solver.stride=2"}},
      {"matrix",
       {"solver={type: sart, sweeps: 1}"},
       "as problem.geometry.views and detectors",
       {"problem.geometry={views: 4, detectors: 6}"}},
      {"scanner",
       {"solver={type: sart, sweeps: 1}"},
       "use os_sart",
       {"solver.type=os_sart", "solver.subsets=4"}},
      {"scan", {"solver={type: art, iterations: 2, sweeps: 2}"}, "give one", {"solver.sweeps=~"}},
  });
}

TEST_F(ProgramAdvice, about_storage_and_output_can_be_followed) {
  const std::string slab = "problem.slab=2", all = "problem.slices=all";
  const std::string stack = "problem.sinogram=FOLDER/stack.npy";
  check({
      {"scan",
       {stack, all, slab, "output.every=1"},
       "with problem.slices: [first, count]",
       {"problem.slices=[0, 2]"}},
      {"scan", {stack, all, slab, "output.image=[tiff16]"}, "use tiff", {"output.image=[tiff]"}},
      {"scan", {"output.image=[tiff, tiff16]"}, "give one", {"output.image=[tiff]"}},
      {"matrix",
       {"problem.volume=~", "output.image=[png]"},
       "give problem.volume.size or add npy",
       {"output.image=[png, npy]"}},
      {"matrix", {"operator.format=block_circulant"}, "operator.blocks", {"operator.blocks=1"}},
      {"scan",
       {"run.deterministic=true", "operator.transpose=atomic"},
       "use stored",
       {"operator.transpose=stored"}},
  });
}

TEST_F(ProgramAdvice, about_systems_can_be_followed) {
  check({
      {"system",
       {"problem.matrix=FOLDER/other.mtx"},
       "use solver.type: bicgstab or gmres",
       {"solver.type=bicgstab"}},
      {"system",
       {"problem.matrix=FOLDER/other.mtx"},
       "solver.assume_symmetric: true",
       {"solver.assume_symmetric=true"}},
      {"system",
       {"problem.matrix=FOLDER/lower.mtx"},
       "use solver.type: bicgstab or gmres",
       {"solver.type=gmres"}},
      {"system", {"problem.matrix=FOLDER/tall.mtx"}, "use solver.type: cgls", {"solver.type=cgls"}},
      {"system",
       {"problem.matrix=FOLDER/tiny.npz", "run.scalar=float"},
       "use run.scalar: double",
       {"run.scalar=double"}},
      {"system",
       {"solver.launches=resident", "solver.scheme=standard"},
       "resident needs solver.scheme: single_reduction",
       {"solver.scheme=single_reduction"}},
      {"system",
       {"run.scalar=double", "solver.scale_matrix=false", "solver.float_matrix=true"},
       "set scale_matrix: true",
       {"solver.scale_matrix=true"}},
      {"system", {"operator.ordering=hilbert"}, "use natural or rcm", {"operator.ordering=rcm"}},
      {"chart",
       {"solver.preconditioner=block_jacobi"},
       "use jacobi",
       {"solver.preconditioner=jacobi"}},
  });
}

TEST_F(ProgramAdvice, one_stored_triangle_is_recognised) {
  const ProgramResult refused = run("system", {"problem.matrix=FOLDER/lower.mtx"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_CONTAINS(refused.error, "only the lower triangle is stored");
  EXPECT_CONTAINS(refused.error, "A + A.T");
  for (const std::string solver : {"bicgstab", "gmres"}) {
    const ProgramResult result =
        run("system", {"problem.matrix=FOLDER/lower.mtx", "solver.type=" + solver});
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_CONTAINS(result.out, "warning: ");
    EXPECT_CONTAINS(result.out, "only the lower triangle is stored");
    EXPECT_EQ(run("system", {"solver.type=" + solver}).out.find("warning: "), std::string::npos);
  }
}

}  // namespace
