// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System matrices that are not stored, compared entry by entry with the stored ones.
#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>
#include <random>

#include "SolverTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace solver_testing;
using TestMemory = TestSpace::memory_space;

struct Scan {
  std::string name;
  VolumeGeometry volume;
  ScanGeometry scan;
};

/// Scans with rays along the axes, the diagonals and the edges of pixels, beside the image and next
/// to the source.
std::vector<Scan> scans() {
  std::vector<Scan> result;
  for (const Beam beam : {Beam::parallel, Beam::fan})
    for (const double width : {1.0, 0.3, 2.6}) {
      Scan of{std::string(to_string(beam)) + ", width " + std::to_string(width), {9, 12, 1.0}, {}};
      of.scan.beam = beam;
      of.scan.views = ViewAngles::evenly_spaced(16, {}, ViewAngles::full_turn());
      of.scan.detectors = static_cast<Ordinal>(18 / width);
      of.scan.detector_width = width;
      of.scan.source_to_origin = 20;
      of.scan.origin_to_detector = 4;
      result.push_back(of);
    }
  Scan shifted = result[0];
  shifted.name = "parallel beam, off centre";
  shifted.volume = {7, 10, 0.9};
  shifted.scan.views = ViewAngles::evenly_spaced(11, Angle::degrees(-31.7), Angle::degrees(180));
  shifted.scan.rotation_center = 6.3;
  result.push_back(shifted);
  // Every ray of some views lies on the edges of pixels.
  for (const double width : {0.6, 1.5, 3.0}) {
    Scan edges = result[0];
    edges.name = "parallel beam along edges, width " + std::to_string(width);
    edges.scan.views = ViewAngles::evenly_spaced(4, {}, ViewAngles::full_turn());
    edges.scan.detectors = 15;
    edges.scan.detector_width = width;
    edges.scan.rotation_center = 7;
    result.push_back(edges);
  }
  Scan middle = result[3];
  middle.name = "fan beam with a ray along edges";
  middle.scan.detectors = 17;
  result.push_back(middle);
  Scan narrow = result[0];
  narrow.name = "parallel beam, near the axes, narrow elements";
  narrow.volume = {40, 3, 2.0};
  narrow.scan.views = ViewAngles::evenly_spaced(6, Angle::degrees(-0.04), Angle::degrees(0.06));
  narrow.scan.detectors = 70;
  narrow.scan.detector_width = 0.11;
  result.push_back(narrow);
  Scan near = result[3];
  near.name = "fan beam, source next to the image";
  near.scan.source_to_origin = near.volume.radius() * 1.01;
  near.scan.detector_offset = -0.4;
  result.push_back(near);
  // Images off the axis; only the last three have no steps.
  const VolumeGeometry off{9, 8, 0.9, 0, 2.0, -3.1}, tall{7, 9, 0.8, 1.3, -1.5, 0.6};
  result.push_back({"parallel beam, off the axis", off, result[0].scan});
  result.push_back({"parallel beam, tall pixels", tall, result[0].scan});
  result.push_back({"fan beam, off the axis", off, result[3].scan});
  result.push_back(
      {"parallel beam by vectors", tall,
       make_vector_scan(
           Beam::parallel,
           {{0.3, 1.7, 0.4, 2, 1.1, 0.2}, {-2, 0.4, -0.7, 1, 0.1, -0.9}, {0, 1, 0.5, 0, -0.7, 0}},
           15)});
  result.push_back(
      {"fan beam by vectors", off,
       make_vector_scan(Beam::fan, {{2, -25, 1, 12, 1.6, 0.3}, {1, 31, -2, -14, 1.4, -0.2}}, 15)});
  result.push_back({"fan beam, tall pixels", tall, result[3].scan});
  Scan curved{"fan beam, curved detector", off, result[3].scan};
  curved.scan.detector_shape = DetectorShape::curved;
  result.push_back(curved);
  return result;
}

constexpr std::array all_projectors{Projector::line, Projector::linear, Projector::strip};

template <class Scalar>
struct Both {
  CsrMatrix<Scalar, TestMemory> stored;
  ComputedOperator<TestSpace, Scalar> computed;
};

template <class Scalar>
Both<Scalar> make_both(const Scan& of, Projector projector, bool exact = false) {
  const TestSpace exec;
  return {build_system_matrix<TestSpace, Scalar>(exec, of.volume, of.scan, projector),
          ComputedOperator<TestSpace, Scalar>(
              make_computed_projection(exec, of.volume, of.scan, projector), exact)};
}

/// Change of a weight with the position of its pixel or ray, in pixels or elements.
template <class MemorySpace>
double slope_of(const ComputedProjection<MemorySpace>& A, Ordinal ray) {
  const ViewSteps& view = A.steps_on_host[static_cast<std::size_t>(ray / A.scan.detectors)];
  const double width = A.scan.detector_width / A.volume.pixel;
  double angle = std::atan2(view.sine, view.cosine);
  if (A.scan.beam == Beam::fan)
    angle -= std::atan2(A.scan.position(ray % A.scan.detectors),
                        A.scan.source_to_origin + A.scan.origin_to_detector);
  const double x = std::abs(std::cos(angle)), y = std::abs(std::sin(angle));
  const double slope = A.projector == Projector::line ? std::max(x, y) / std::min(x, y) : 1;
  // Rays close to an axis are exact.
  return (slope > 1024 ? 1 : slope) * std::max(1.0, 1.5 * width);
}

/// Compares entries with those of the matrix: bit by bit, or up to the rounding of positions times
/// the slope of the weights.
template <class Scalar>
void expect_entries(const ComputedOperator<TestSpace, Scalar>& A, const std::vector<Scalar>& found,
                    const std::vector<Scalar>& expected, bool exact,
                    const std::vector<Ordinal>& rays = {}) {
  ASSERT_EQ(found.size(), expected.size());
  const auto& steps = A.projection().steps_on_host;
  if (exact || steps.empty()) {
    EXPECT_EQ(found, expected);
    return;
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::size_t row = k / static_cast<std::size_t>(A.num_cols());
    const Ordinal ray = rays.empty() ? static_cast<Ordinal>(row) : rays[row];
    ASSERT_NEAR(found[k], expected[k],
                tolerance<Scalar>(4e-7, 4e-13) * slope_of(A.projection(), ray) *
                    std::max(1.0, 1.5 * A.projection().volume.pixel))
        << "ray " << ray << ", column " << k % static_cast<std::size_t>(A.num_cols());
  }
}

template <class Scalar>
std::vector<Scalar> dense(const CsrMatrix<Scalar, TestMemory>& A) {
  const auto offsets = to_std_vector(A.row_offsets);
  const auto columns = to_std_vector(A.columns);
  const auto values = to_std_vector(A.values);
  std::vector<Scalar> result(static_cast<std::size_t>(A.num_rows) * A.num_cols, 0);
  for (Ordinal i = 0; i < A.num_rows; ++i)
    for (Offset k = offsets[i]; k < offsets[i + 1]; ++k)
      result[static_cast<std::size_t>(i) * A.num_cols + columns[k]] = values[k];
  return result;
}

/// Rows of a product with the identity: the entries of the operator, or of its transpose.
template <class Scalar>
std::vector<Scalar> entries_of(const ComputedOperator<TestSpace, Scalar>& A, bool transposed,
                               RowRange rows = all_rows) {
  const TestSpace exec;
  rows = rows.resolved(A.num_rows());
  const auto height = static_cast<std::size_t>(rows.end - rows.begin);
  const auto width = static_cast<std::size_t>(A.num_cols());
  const std::size_t n = transposed ? height : width;
  std::vector<Scalar> identity(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 1;
  const auto X = to_device<TestSpace, Scalar>(exec, identity);
  const auto Y = to_device<TestSpace, Scalar>(exec, std::vector<Scalar>(height * width, -7));
  const MultiVectorView<const Scalar, TestMemory> in(X.data(), n, n);
  if (transposed) {
    A.apply_transpose(exec, 1, in, 0, {Y.data(), width, height}, rows);
  } else {
    A.apply(exec, 1, in, 0, {Y.data(), height, width}, rows);
  }
  exec.fence();
  const auto found = to_std_vector(Y);
  if (!transposed) return found;
  std::vector<Scalar> result(found.size());
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t i = 0; i < height; ++i) result[i * width + j] = found[j * height + i];
  return result;
}

template <class Scalar>
class ComputedOperatorTest : public ::testing::Test {};
TYPED_TEST_SUITE(ComputedOperatorTest, Scalars);

TYPED_TEST(ComputedOperatorTest, has_the_entries_of_the_matrix_in_both_directions) {
  for (const Scan& of : scans())
    for (const Projector projector : all_projectors) {
      SCOPED_TRACE(of.name + ", " + std::string(to_string(projector)));
      for (const bool exact : {true, false}) {
        const auto [stored, computed] = make_both<TypeParam>(of, projector, exact);
        const auto expected = dense(stored);
        expect_entries(computed, entries_of(computed, false), expected, exact);
        expect_entries(computed, entries_of(computed, true), expected, exact);
      }
    }
}

TYPED_TEST(ComputedOperatorTest, has_the_entries_of_a_mapped_matrix_in_every_range) {
  const TestSpace exec;
  for (const std::size_t at : {0, 3}) {
    const Scan of = scans()[at];
    // Every third view first, without some of its rays; the pixels of a disc, backwards.
    std::vector<Ordinal> rays, pixels;
    for (Ordinal first = 0; first < 3; ++first)
      for (Ordinal view = first; view < of.scan.views.count(); view += 3)
        for (Ordinal detector = 0; detector < of.scan.detectors; ++detector)
          if ((view + detector) % 5 != 0) rays.push_back(view * of.scan.detectors + detector);
    // Two rows that are far from their view.
    std::swap(rays[3], rays[rays.size() / 2]);
    for (auto pixel = static_cast<Ordinal>(of.volume.num_pixels()) - 1; pixel >= 0; --pixel)
      if (std::hypot(of.volume.x(pixel % of.volume.columns),
                     of.volume.y(pixel / of.volume.columns)) < 4.4)
        pixels.push_back(pixel);
    const auto ray_map = make_index_map(exec, static_cast<Ordinal>(of.scan.num_rays()), rays);
    const auto pixel_map =
        make_index_map(exec, static_cast<Ordinal>(of.volume.num_pixels()), pixels);
    const auto stored = build_mapped_system_matrix<TestSpace, TypeParam>(
        exec, of.volume, of.scan, Projector::line, ray_map, pixel_map);
    const auto projection =
        make_computed_projection(exec, of.volume, of.scan, Projector::line, ray_map, pixel_map);
    ASSERT_EQ(projection.num_rows, stored.num_rows);
    ASSERT_EQ(projection.num_cols, stored.num_cols);
    const auto expected = dense(stored);
    for (const RowRange rows : {all_rows, RowRange{0, 1}, RowRange{2, 47}, RowRange{40, 40},
                                RowRange{stored.num_rows - 5, stored.num_rows}}) {
      const RowRange range = rows.resolved(stored.num_rows);
      SCOPED_TRACE(std::to_string(range.begin) + " to " + std::to_string(range.end));
      const std::vector<TypeParam> part(expected.begin() + range.begin * stored.num_cols,
                                        expected.begin() + range.end * stored.num_cols);
      const std::vector<Ordinal> own(rays.begin() + range.begin, rays.begin() + range.end);
      for (const bool exact : {true, false}) {
        const ComputedOperator<TestSpace, TypeParam> computed(projection, exact);
        expect_entries(computed, entries_of(computed, false, rows), part, exact, own);
        expect_entries(computed, entries_of(computed, true, rows), part, exact, own);
      }
    }
  }
}

TYPED_TEST(ComputedOperatorTest, products_are_adjoint_and_repeat_their_bits) {
  const TestSpace exec;
  Scan of = scans()[0];
  of.volume = {60, 64, 1.0};
  of.scan.views = ViewAngles::evenly_spaced(45, {}, ViewAngles::half_turn());
  of.scan.detectors = 93;
  of.scan.source_to_origin = 90;
  for (const Beam beam : {Beam::parallel, Beam::fan}) {
    of.scan.beam = beam;
    for (const Projector projector : all_projectors) {
      const auto [stored, A] = make_both<TypeParam>(of, projector);
      const Values x = random_vector(static_cast<std::size_t>(A.num_cols()), 1);
      const Values y = random_vector(static_cast<std::size_t>(A.num_rows()), 2);
      const auto X = to_device<TestSpace, TypeParam>(exec, x);
      const auto Y = to_device<TestSpace, TypeParam>(exec, y);
      const auto run = [&](bool transposed) {
        const auto out = to_device<TestSpace, TypeParam>(exec, transposed ? x : y);
        const auto in = transposed ? Y : X;
        const MultiVectorView<const TypeParam, TestMemory> from(in.data(), in.extent(0), 1);
        const MultiVectorView<TypeParam, TestMemory> to(out.data(), out.extent(0), 1);
        if (transposed)
          A.apply_transpose(exec, 1, from, 0, to);
        else
          A.apply(exec, 1, from, 0, to);
        exec.fence();
        return to_std_vector(out);
      };
      const auto forward = run(false), back = run(true);
      EXPECT_EQ(forward, run(false));
      EXPECT_EQ(back, run(true));
      double by_rays = 0, by_pixels = 0, size = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        by_rays += static_cast<double>(forward[i]) * y[i];
        size += std::abs(static_cast<double>(forward[i]) * y[i]);
      }
      for (std::size_t j = 0; j < x.size(); ++j) by_pixels += static_cast<double>(back[j]) * x[j];
      EXPECT_NEAR(by_rays, by_pixels, tolerance<TypeParam>(1e-6, 1e-13) * size);
      // The stored matrix gives the same up to the rounding of its sums.
      const auto expected = to_device<TestSpace, TypeParam>(exec, y);
      MatrixOperator<TestSpace, CsrMatrix<TypeParam, TestMemory>>(exec, stored)
          .apply(exec, 1, {X.data(), X.extent(0), 1}, 0, {expected.data(), expected.extent(0), 1});
      exec.fence();
      EXPECT_LT(relative_difference(forward, to_std_vector(expected)),
                tolerance<TypeParam>(1e-6, 1e-12));
    }
  }
}

/// On a host values must be the same, on a GPU up to the rounding of positions.
template <class Scalar>
void expect_alike(Scalar found, Scalar expected, const std::string& which) {
  if (Impl::is_host_space<TestSpace>) {
    ASSERT_EQ(found, expected) << which;
  } else {
    ASSERT_NEAR(found, expected, tolerance<Scalar>(2e-5, 1e-12)) << which;
  }
}

/// Largest difference of two stacks of vectors, divided by the largest expected value if there is
/// one.
double largest_difference(const Values& found, const Values& expected) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference = std::max(difference, std::abs(found[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

using StoredOperator = MatrixOperator<TestSpace, CsrMatrix<double, TestMemory>>;

/// Compares a product with random vectors with that of the matrix in double.
template <class Scalar>
void expect_product(const ComputedOperator<TestSpace, Scalar>& computed, const StoredOperator& csr,
                    std::size_t vectors, RowRange rows, bool transposed) {
  const TestSpace exec;
  const auto height = static_cast<std::size_t>(rows.end - rows.begin);
  const auto width = static_cast<std::size_t>(csr.num_cols());
  const std::size_t n = transposed ? height : width, m = transposed ? width : height;
  const Values in = random_vector(n * vectors, 3);
  const auto X = to_device<TestSpace, Scalar>(exec, in);
  const auto Y = to_device<TestSpace, Scalar>(exec, Values(m * vectors));
  const auto X2 = to_device<TestSpace, double>(exec, in);
  const auto Y2 = to_device<TestSpace, double>(exec, Values(m * vectors));
  const MultiVectorView<const Scalar, TestMemory> x(X.data(), n, vectors);
  const MultiVectorView<const double, TestMemory> x2(X2.data(), n, vectors);
  if (transposed) {
    computed.apply_transpose(exec, 1, x, 0, {Y.data(), m, vectors}, rows);
    csr.apply_transpose(exec, 1, x2, 0, {Y2.data(), m, vectors}, rows);
  } else {
    computed.apply(exec, 1, x, 0, {Y.data(), m, vectors}, rows);
    csr.apply(exec, 1, x2, 0, {Y2.data(), m, vectors}, rows);
  }
  exec.fence();
  const auto found = to_std_vector(Y);
  EXPECT_LT(largest_difference(Values(found.begin(), found.end()), to_std_vector(Y2)),
            tolerance<Scalar>(2e-5, 3e-12));
}

// Images of several tiles, views of several blocks of rays, and ranges that begin within a view.
TYPED_TEST(ComputedOperatorTest, agrees_with_the_matrix_over_many_tiles_and_blocks) {
  const TestSpace exec;
  Scan wide = scans()[0];
  wide.volume = {90, 140, 1.0};
  wide.scan.views = ViewAngles::evenly_spaced(37, Angle::degrees(-20), ViewAngles::full_turn());
  wide.scan.detectors = 171;
  Scan coarse = wide, far = wide;
  // Blocks of rays that are wider than the windows of a GPU.
  coarse.volume = {90, 260, 1.0};
  coarse.scan.detectors = 109;
  coarse.scan.detector_width = 2.6;
  far.scan.beam = Beam::fan;
  far.scan.source_to_origin = 700;
  far.scan.origin_to_detector = 200;
  far.scan.detector_width = 1.3;
  for (const Scan& of : {wide, coarse, far})
    for (const Projector projector : all_projectors) {
      const auto [stored, A] = make_both<double>(of, projector);
      const ComputedOperator<TestSpace, TypeParam> computed(
          make_computed_projection(exec, of.volume, of.scan, projector));
      const MatrixOperator<TestSpace, CsrMatrix<double, TestMemory>> csr(exec, stored);
      for (const std::size_t vectors : {1, 2, 4, 11})
        for (const RowRange rows : {RowRange{0, stored.num_rows}, RowRange{900, 3100}})
          for (const bool transposed : {false, true}) {
            SCOPED_TRACE(std::string(to_string(of.scan.beam)) + " " +
                         std::string(to_string(projector)) + ", " + std::to_string(vectors) +
                         " vectors from row " + std::to_string(rows.begin));
            expect_product<TypeParam>(computed, csr, vectors, rows, transposed);
          }
    }
}

// Images longer than the windows that a team of a GPU knows at a time.
TYPED_TEST(ComputedOperatorTest, agrees_with_the_matrix_in_long_images) {
  const TestSpace exec;
  for (const bool is_tall : {true, false})
    for (const Beam beam : {Beam::parallel, Beam::fan}) {
      Scan of = scans()[0];
      of.volume = {is_tall ? 4101 : 50, is_tall ? 50 : 4101, 1.0};
      of.scan.beam = beam;
      of.scan.views =
          ViewAngles::evenly_spaced(2, Angle::degrees(is_tall ? 1.5 : 91.5), Angle::degrees(1.5));
      of.scan.detectors = 66;
      of.scan.source_to_origin = 9000;
      of.scan.origin_to_detector = 4000;
      const Projector projector = is_tall ? Projector::line : Projector::strip;
      const auto [stored, A] = make_both<double>(of, projector);
      const ComputedOperator<TestSpace, TypeParam> computed(
          make_computed_projection(exec, of.volume, of.scan, projector));
      const MatrixOperator<TestSpace, CsrMatrix<double, TestMemory>> csr(exec, stored);
      for (const std::size_t vectors : {1, 2, 8}) {
        SCOPED_TRACE(std::string(is_tall ? "tall, " : "wide, ") + std::string(to_string(beam)) +
                     ", " + std::to_string(vectors) + " vectors");
        expect_product<TypeParam>(computed, csr, vectors, {0, stored.num_rows}, false);
      }
    }
}

TYPED_TEST(ComputedOperatorTest, agrees_with_the_matrix_for_random_geometries) {
  std::mt19937 bits(20);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits);
  };
  const auto one_of = [&](const auto& values) {
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(bits)];
  };
  const std::array widths{0.5, 1.0, std::numbers::sqrt2, 3.0, 0.0};
  const std::array sides{1, 2, 7, 11, 16};
  const std::array starts{0.0, 45.0, 90.0, 135.0, -1.0};
  for (int i = 0; i < 200; ++i) {
    Scan of;
    of.volume = {one_of(sides), one_of(sides), 1.0};
    of.scan.beam = between(0, 1) < 0.6 ? Beam::parallel : Beam::fan;
    const double start = one_of(starts), width = one_of(widths);
    of.scan.views = ViewAngles::evenly_spaced(
        1 + static_cast<Ordinal>(between(0, 9)),
        Angle::degrees(start < 0 ? between(0, 360) : start),
        between(0, 1) < 0.5 ? ViewAngles::half_turn() : ViewAngles::full_turn());
    of.scan.detector_width = width > 0 ? width : between(0.4, 3);
    of.scan.detectors =
        1 + static_cast<Ordinal>(between(0, 3 * of.volume.radius() / of.scan.detector_width));
    of.scan.detector_offset = between(0, 1) < 0.5 ? 0 : between(-2, 2);
    of.scan.source_to_origin = of.volume.radius() * between(1.1, 5) + 1;
    of.scan.origin_to_detector = between(0, 20);
    const Projector projector = one_of(all_projectors);
    SCOPED_TRACE("geometry " + std::to_string(i) + ": " + std::string(to_string(of.scan.beam)) +
                 ", " + std::string(to_string(projector)) + ", " + std::to_string(of.volume.rows) +
                 " x " + std::to_string(of.volume.columns) + " pixels");
    const auto [stored, computed] = make_both<TypeParam>(of, projector);
    const auto expected = dense(stored);
    expect_entries(computed, entries_of(computed, false), expected, false);
    expect_entries(computed, entries_of(computed, true), expected, false);
  }
}

// Rays along the axes and the diagonals, on edges, centres and corners of pixels.
TYPED_TEST(ComputedOperatorTest, agrees_with_the_matrix_along_edges_and_centres) {
  const TestSpace exec;
  for (const Beam beam : {Beam::parallel, Beam::fan})
    for (const Ordinal side : {1, 63, 257})
      for (const double width : {0.5, 1.0, std::numbers::sqrt2, 3.0})
        for (const bool on_edges : {false, true})
          for (const Projector projector : all_projectors) {
            // A detector of one element, one that sees a corner, and one that sees all.
            for (const int kind : {0, 1, 2}) {
              // The largest images are seen by all kinds in one case only.
              if (side == 257 && (width != 1.0 || on_edges)) continue;
              Scan of;
              of.volume = {side, side, 1.0};
              of.scan.beam = beam;
              of.scan.views =
                  ViewAngles::evenly_spaced(kind == 0 ? 1 : 8, {}, ViewAngles::full_turn());
              of.scan.detector_width = width;
              of.scan.detectors =
                  kind == 2 ? static_cast<Ordinal>(1.5 * side / width) + 2 : 1 + 2 * kind;
              of.scan.detector_offset = (on_edges ? 0.5 : 0) + (kind == 1 ? 0.7 * side - 1 : 0);
              of.scan.source_to_origin = 2.0 * side;
              of.scan.origin_to_detector = side;
              SCOPED_TRACE(std::string(to_string(beam)) + ", " + std::string(to_string(projector)) +
                           ", " + std::to_string(side) + " pixels a side, width " +
                           std::to_string(width) + (on_edges ? ", on edges" : ", on centres") +
                           ", detector " + std::to_string(kind));
              const auto [stored, A] = make_both<double>(of, projector);
              const ComputedOperator<TestSpace, TypeParam> computed(
                  make_computed_projection(exec, of.volume, of.scan, projector));
              const StoredOperator csr(exec, stored);
              for (const bool transposed : {false, true})
                expect_product<TypeParam>(computed, csr, 1, {0, stored.num_rows}, transposed);
            }
          }
}

TYPED_TEST(ComputedOperatorTest, treats_vectors_alike_whatever_their_number) {
  const TestSpace exec;
  for (const std::size_t at : {0, 1, 4}) {
    const auto [stored, A] = make_both<TypeParam>(scans()[at], Projector::linear);
    for (const bool transposed : {false, true}) {
      const auto n = static_cast<std::size_t>(transposed ? A.num_rows() : A.num_cols());
      const auto m = static_cast<std::size_t>(transposed ? A.num_cols() : A.num_rows());
      const auto run = [&](const Values& in, const Values& out, std::size_t s) {
        const auto X = to_device<TestSpace, TypeParam>(exec, in);
        const auto Y = to_device<TestSpace, TypeParam>(exec, out);
        const MultiVectorView<const TypeParam, TestMemory> from(X.data(), n, s);
        const MultiVectorView<TypeParam, TestMemory> to(Y.data(), m, s);
        if (transposed)
          A.apply_transpose(exec, TypeParam(0.5), from, TypeParam(-2), to);
        else
          A.apply(exec, TypeParam(0.5), from, TypeParam(-2), to);
        exec.fence();
        return to_std_vector(Y);
      };
      for (const std::size_t s : {1, 2, 3, 8, 13}) {
        const Values in = random_vector(n * s, 5), out = random_vector(m * s, 6);
        const auto together = run(in, out, s);
        for (std::size_t v = 0; v < s; ++v) {
          Values x(n), y(m);
          for (std::size_t i = 0; i < n; ++i) x[i] = in[i * s + v];
          for (std::size_t i = 0; i < m; ++i) y[i] = out[i * s + v];
          const auto alone = run(x, y, 1);
          for (std::size_t i = 0; i < m; ++i)
            expect_alike(together[i * s + v], alone[i],
                         std::to_string(s) + " " + std::to_string(v));
        }
      }
    }
  }
}

TYPED_TEST(ComputedOperatorTest, gives_the_rows_of_row_action_methods) {
  const TestSpace exec;
  for (const std::size_t at : {0, 3, 6}) {
    const auto [stored, A] = make_both<TypeParam>(scans()[at], Projector::line);
    const MatrixOperator<TestSpace, CsrMatrix<TypeParam, TestMemory>> csr(exec, stored);
    const AnyOperator<TestSpace, TypeParam> any(A), any_csr(csr);
    ASSERT_NE(any.capabilities().rows, nullptr);
    EXPECT_TRUE(any.supports_ranges());
    const auto norms = to_std_vector(any.capabilities().rows->squared_norms(exec));
    EXPECT_LT(relative_difference(norms, to_std_vector(csr.row_squared_norms(exec))), 1e-14);
    const RowSubsets blocks(A.num_rows(), 7, 5);
    EXPECT_EQ(to_std_vector(any.capabilities().rows->largest_block_counts(exec, blocks, nullptr)),
              to_std_vector(csr.largest_block_counts(exec, blocks, nullptr)));
    // Every second row, from the last, and the first row once more.
    std::vector<Ordinal> order;
    for (Ordinal row = A.num_rows() - 1; row >= 0; row -= 2) order.push_back(row);
    order.push_back(0);
    for (const auto& visits : {std::vector<Ordinal>(), order}) {
      const auto rows = to_device<TestSpace, Ordinal>(exec, visits);
      KaczmarzSweep<TypeParam, TestMemory> sweep;
      sweep.order = rows;
      sweep.relaxation = TypeParam(0.7);
      sweep.minimum = TypeParam(-0.4);
      sweep.maximum = TypeParam(0.6);
      const Values start = random_vector(static_cast<std::size_t>(A.num_cols()), 3);
      const auto b = to_device<TestSpace, TypeParam>(
          exec, random_vector(static_cast<std::size_t>(A.num_rows()), 4));
      const auto x = to_device<TestSpace, TypeParam>(exec, start);
      const auto expected = to_device<TestSpace, TypeParam>(exec, start);
      any.capabilities().rows->sweep(exec, nullptr, sweep, b, x);
      const auto* const access = any_csr.capabilities().rows;
      access->sweep(exec, access->schedule(exec, sweep.order).get(), sweep, b, expected);
      exec.fence();
      EXPECT_LT(relative_difference(to_std_vector(x), to_std_vector(expected)),
                tolerance<TypeParam>(1e-4, 1e-12));
    }
  }
}

TEST(ComputedProjection, refuses_vectors_and_maps_of_the_wrong_size) {
  const TestSpace exec;
  const Scan of = scans()[0];
  const ComputedOperator<TestSpace, float> A(
      make_computed_projection(exec, of.volume, of.scan, Projector::line));
  const auto x = to_device<TestSpace, float>(exec, Values(static_cast<std::size_t>(A.num_cols())));
  const auto y = to_device<TestSpace, float>(exec, Values(static_cast<std::size_t>(A.num_rows())));
  const MultiVectorView<float, TestMemory> X(x.data(), x.extent(0), 1), Y(y.data(), y.extent(0), 1);
  EXPECT_THROW(A.apply(exec, 1, Y, 0, X), DimensionMismatch);
  EXPECT_THROW(A.apply(exec, 1, X, 0, Y, {0, 3}), DimensionMismatch);
  EXPECT_THROW(A.apply_transpose(exec, 1, X, 0, Y), DimensionMismatch);
  EXPECT_THROW(A.apply_transpose(exec, 1, Y, 0, X, {0, A.num_rows() + 1}), Refused);
  EXPECT_THROW(make_computed_projection(exec, of.volume, of.scan, Projector::line,
                                        identity_map(exec, Ordinal(5))),
               DimensionMismatch);
  Scan without = of;
  without.scan.detectors = 0;
  EXPECT_THROW(make_computed_projection(exec, without.volume, without.scan, Projector::line),
               Refused);
}

TEST(ComputedProjection, keeps_little_of_each_ray) {
  const TestSpace exec;
  for (const Scan& of : scans())
    for (const Projector projector : all_projectors) {
      const auto A = make_computed_projection(exec, of.volume, of.scan, projector);
      const std::size_t lines =
          computed_ray_bytes(of.scan.beam, projector) * static_cast<std::size_t>(A.num_rows);
      EXPECT_GE(A.memory_bytes(), lines);
      EXPECT_LT(A.memory_bytes(), lines + 60 * static_cast<std::size_t>(A.num_rows) + 4000);
      EXPECT_GT(A.memory_bytes(), 0U);
      const ComputedOperator<TestSpace, float> made(A);
      made.reserve(exec, 3);
      EXPECT_EQ(made.memory_bytes(),
                A.memory_bytes() + stepped_workspace_values<float>(A, 3) * sizeof(float));
    }
}

}  // namespace
