// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a run plans, beside the memory that it takes.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// The address sanitizer and the CUDA runtime take memory of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)

const std::string scan = R"(problem:
  type: tomography
  volume: {size: [320, 320]}
  geometry: {type: parallel_beam, views: 160, detectors: 453}
  phantom: shepp_logan
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
run: {threads: 2}
)";
const std::string cone = R"(problem:
  type: tomography
  volume: {polar: {rings: 100, radius: 20, slices: 80, height: 40}, size: [80, 100, 100]}
  geometry: {type: cone_beam, views: 120, detectors: [160, 128], detector_width: 0.475,
             source_to_origin: 100, origin_to_detector: 50}
  phantom: shepp_logan
solver: {type: mlem, iterations: 2}
output: {image: [npy]}
run: {threads: 2}
)";
const std::string volume = R"(problem:
  type: tomography
  volume: {size: [256, 256]}
  sinogram: {file: scan.npy}
  slices: all
solver: {type: sirt, iterations: 2}
operator: {format: computed}
output: {image: [npy]}
run: {threads: 2, on_suspicion: warn}
)";

/// Runs \p text and expects that the peak of the report is within a tenth of the measured one, and
/// above \p least bytes.
void expect_planned_peak(const RunFolder& folder, const std::string& text,
                         const std::vector<std::string>& settings, double least) {
  write_bytes(folder / "c.yaml", text);
  run_well(folder, "out", settings);
  const auto number = [&](const char* key) {
    const std::string found = entry(folder / "out/report.yaml", key);
    return found == "(none)" ? 0.0 : std::stod(found);
  };
  const double planned = number("plan.peak_bytes"), peak = number("peak_memory.host_bytes");
  EXPECT_NEAR(planned, peak, 0.1 * peak) << number("plan.peak_bytes") / peak;
  EXPECT_GT(peak, least);
}

TEST(PlannedPeak, of_a_scan_in_a_format_is_within_a_tenth) {
  const RunFolder folder;
  for (const char* const format :
       {"csr", "coo", "sell", "bcsr", "ray_tiles", "packed_csr", "pair_blocked", "scsr"}) {
    SCOPED_TRACE(format);
    expect_planned_peak(folder, scan, {"operator.format=" + std::string(format)}, 80e6);
  }
}

TEST(PlannedPeak, of_computed_entries_is_within_a_tenth) {
  const RunFolder folder;
  expect_planned_peak(folder, scan,
                      {"operator.format=computed", "problem.volume.size=[1400, 1400]",
                       "problem.geometry.views=300", "problem.geometry.detectors=1401"},
                      80e6);
}

// Arrays of at least 32 MB are given back to the system as soon as they are freed.
TEST(PlannedPeak, of_a_stack_is_within_a_tenth) {
  const RunFolder folder;
  for (const char* const format : {"computed", "scsr", "csr"}) {
    SCOPED_TRACE(format);
    expect_planned_peak(folder, scan,
                        {"operator.format=" + std::string(format), "problem.slices=128"}, 150e6);
  }
}

TEST(PlannedPeak, of_a_cone_beam_is_within_a_tenth) {
  const RunFolder folder;
  for (const char* const format : {"block_circulant", "computed"}) {
    SCOPED_TRACE(format);
    expect_planned_peak(folder, cone, {"operator.format=" + std::string(format)}, 150e6);
  }
}

TEST(PlannedPeak, of_a_volume_in_slabs_is_within_a_tenth) {
  const RunFolder folder;
  constexpr std::size_t views = 120, rows = 72, wide = 367;
  std::vector<float> data(views * rows * wide);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 1 + 0.01F * static_cast<float>(i * 7919 % 100);
  write_npy<float>(folder / "scan.npy", data, {views, rows, wide});
  expect_planned_peak(folder, volume, {}, 100e6);
}

#endif

}  // namespace
