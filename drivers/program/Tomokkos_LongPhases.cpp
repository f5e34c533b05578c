// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_LongPhases.hpp>
#include <algorithm>
#include <cstdio>
#include <system_error>

namespace Tomokkos {

namespace {

/// About how many nonzeros the matrix of a geometry has, from the lengths of its rays; 0 for a
/// matrix from a file.
double expected_nonzeros(const RunConfig& config, const RunInput& input) {
  const ProblemSection& problem = config.problem;
  const double side = 0.5 * (static_cast<double>(input.volume.rows) + input.volume.columns);
  if (problem.scanner)
    return static_cast<double>(problem.scanner->scanner.num_pairs()) *
           static_cast<double>(problem.scanner->scanner.rays) * side;
  if (problem.cone_beam) {
    // The rays of one view are stored. A ray crosses each ring twice, and half of the sectors.
    const auto& detectors = problem.cone_beam->scan.detectors;
    const PolarVolume& volume = problem.cone_beam->volume;
    return static_cast<double>(detectors[0]) * static_cast<double>(detectors[1]) *
           (2.0 * volume.rings + 0.5 * volume.rotations);
  }
  if (!problem.has_scan_geometry()) return 0;
  // On average a ray through the whole image crosses 4 / pi of its lines, and meets as many pixels.
  const double neighbours = problem.projector == Projector::line ? 1.27 : 1.8;
  const double seen = std::min(
      1.0, 1.27 * side * input.volume.pixel / (input.scan.detectors * input.scan.detector_width));
  return static_cast<double>(input.scan.num_rays()) * neighbours * side * seen;
}

}  // namespace

void announce(Progress& progress, const std::string& phase, double nonzeros) {
  constexpr double long_phase = 2e7;
  if (nonzeros < long_phase) return;
  char text[64];
  std::snprintf(text, sizeof text, " (about %.2g nonzeros) ...", nonzeros);
  progress.message(phase + text);
}

void announce_reading(Progress& progress, const std::filesystem::path& file) {
  constexpr double large = 2e8;  // bytes
  std::error_code error;
  const auto bytes = file.empty() ? 0 : std::filesystem::file_size(file, error);
  if (error || static_cast<double>(bytes) < large) return;
  char text[64];
  std::snprintf(text, sizeof text, " (%.2g GB) ...", 1e-9 * static_cast<double>(bytes));
  progress.message("reading " + file.string() + text);
}

void announce_matrix(Progress& progress, const RunConfig& config, const RunInput& input,
                     const std::string& phase) {
  const ProblemSection& problem = config.problem;
  announce_reading(progress, problem.block_row ? problem.block_row->file : problem.matrix);
  announce(progress, phase, expected_nonzeros(config, input));
}

std::string preparation_of(const RunConfig& config) {
  const OperatorSection& section = config.matrix_operator;
  if (section.is_automatic()) return "choosing the format of the matrix";
  if (!section.is(MatrixFormat::csr)) return "bringing the matrix into its format";
  const bool stored =
      uses_transpose(config.solver.kind) && section.transpose == TransposeMethod::stored;
  return stored ? "transposing the matrix" : "preparing the products with the matrix";
}

}  // namespace Tomokkos
