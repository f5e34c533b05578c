// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, like the matrix whose entries it computes.
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedOrbits_impl.hpp>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_ViewSteps_impl.hpp>
#include <iterator>
#include <new>

namespace Tomokkos {
namespace Impl {

template <class RayProjector>
struct PrepareLines {
  ComputedRays rays;
  double* lines;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Ordinal ray = rays.ray_of(row);
    new (reinterpret_cast<RayProjector*>(lines) + row)
        RayProjector(rays.scan, rays.views[ray / rays.scan.detectors], ray % rays.scan.detectors);
  }
};

struct CountEntries {
  Offset count = 0;
  KOKKOS_FUNCTION void operator()(Ordinal, double) { ++count; }
};

template <class RayProjector>
struct CountColumnEntries {
  ComputedRays rays;
  RowRange rows;
  RunRange runs;
  Ordinal* counts;
  bool keeps_largest;  ///< otherwise the count replaces the previous one

  KOKKOS_FUNCTION void operator()(const Ordinal column) const {
    CountEntries visit;
    rays.visit_column<RayProjector>(column, rows, runs, visit);
    const auto count = static_cast<Ordinal>(visit.count);
    if (!keeps_largest || count > counts[column]) counts[column] = count;
  }
};

template <class Scalar>
struct SumOfSquares {
  double sum = 0;
  KOKKOS_FUNCTION void operator()(Ordinal, double weight) {
    const double entry = static_cast<double>(static_cast<Scalar>(weight));
    sum = multiply_add(entry, entry, sum);
  }
};

template <class RayProjector, class Scalar>
struct SquaredNormOfRow {
  ComputedRays rays;
  double* norms;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    SumOfSquares<Scalar> visit;
    rays.visit_row<RayProjector>(row, visit);
    norms[row] = visit.sum;
  }
};

/// Visits rows one after the other. The threads of a team share the rows of the image, whose pixels
/// are different.
template <class RayProjector, class Scalar, class ExecutionSpace>
struct ComputedSweep {
  ComputedRays rays;
  const Ordinal* order;  // null: natural order
  Ordinal visits;
  const double* squared_norms;
  KaczmarzCoefficients<Scalar> by;
  const Scalar* b;
  Scalar* x;

  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  template <class Visitor>
  KOKKOS_FUNCTION void visit_image_row(const RayProjector& projector, const PixelBand& band,
                                       Ordinal image_row, Visitor& visit) const {
    auto entry = [&](Ordinal pixel, double weight) {
      if (!is_stored(weight)) return;
      const Ordinal column = column_of(rays.columns, pixel);
      if (column >= 0) visit(column, weight);
    };
    band.visit_row(rays.scan, projector, image_row, entry);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    for (Ordinal visit = 0; visit < visits; ++visit) {
      const Ordinal row = order == nullptr ? visit : order[visit];
      const double squared_norm = squared_norms[row];
      if (squared_norm == 0) continue;
      const RayProjector& projector = rays.projector_of<RayProjector>(row);
      const PixelBand band(rays.scan, projector);
      const IndexRange image_rows = band.rows(rays.scan);
      const auto range = Kokkos::TeamThreadRange(team, image_rows.first, image_rows.last + 1);
      double dot = 0;
      Kokkos::parallel_reduce(
          range,
          [&](const Ordinal image_row, double& sum) {
            WeightedSums<Scalar, 1> sums{x, 1};
            visit_image_row(projector, band, image_row, sums);
            sum += sums.sums[0];
          },
          dot);
      const double step =
          static_cast<double>(by.relaxation) * (static_cast<double>(b[row]) - dot) / squared_norm;
      Kokkos::parallel_for(range, [&](const Ordinal image_row) {
        auto move = [&](Ordinal column, double weight) {
          const double after = multiply_add(step, static_cast<double>(static_cast<Scalar>(weight)),
                                            static_cast<double>(x[column]));
          // A NaN fails both comparisons and stays visible.
          x[column] = after < static_cast<double>(by.minimum)   ? by.minimum
                      : after > static_cast<double>(by.maximum) ? by.maximum
                                                                : static_cast<Scalar>(after);
        };
        visit_image_row(projector, band, image_row, move);
      });
      team.team_barrier();
    }
  }
};

/// Calls action(null pointer to the type of the projectors of \p A).
template <class MemorySpace, class Action>
auto with_projector_of(const ComputedProjection<MemorySpace>& A, const Action& action) {
  return with_projector(A.scan.beam, A.projector, action);
}

/// Runs of one view, in order, of the rows of \p ray_map.
inline std::vector<ViewRows> find_runs(const IndexMap<Kokkos::HostSpace>& ray_map, Ordinal num_rows,
                                       Ordinal detectors) {
  std::vector<ViewRows> runs;
  const bool is_natural = ray_map.to_natural.data() == nullptr;
  for (Ordinal row = 0; row < num_rows;) {
    const Ordinal view = (is_natural ? row : ray_map.to_natural(row)) / detectors;
    Ordinal end = is_natural ? (view + 1) * detectors : row + 1;
    if (!is_natural)
      while (end < num_rows && ray_map.to_natural(end) / detectors == view) ++end;
    runs.push_back({view, row, end});
    row = end;
  }
  return runs;
}

}  // namespace Impl

std::size_t computed_ray_bytes(Beam beam, Projector projector) {
  return Impl::with_projector(beam, projector, [](auto* chosen) { return sizeof *chosen; });
}

bool has_stepped_products(const VolumeGeometry& volume, const ScanGeometry& scan,
                          Projector projector) {
  // Positions of narrower elements, in pixels, do not fit into a `Track`.
  constexpr double narrowest = 1.0 / 8, most_taps = 8;
  const bool is_strip = projector == Projector::strip;
  if (scan.beam == Beam::fan) {
    // The tables of a fan beam have one position for each element, in pixels of one side.
    if (is_strip || scan.has_vectors() || scan.detector_shape == DetectorShape::curved ||
        !volume.has_square_pixels())
      return false;
    const Impl::SteppedScan stepped(volume, scan, projector);
    return Impl::nearest_to_source(volume, stepped) > 0 &&
           Impl::fan_taps(volume, stepped) <= most_taps;
  }
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    if (0.5 * rays_of_view(volume, scan, view).width < narrowest) return false;
    if (is_strip &&
        !Impl::StripSides(Impl::steps_of(volume, scan, projector, view)).has_few_neighbours())
      return false;
  }
  return true;
}

template <class ExecutionSpace, class Scalar>
int rays_at_once() {
  return Impl::has_host_lanes<ExecutionSpace, Scalar> ? Impl::host_lanes : 1;
}

template <class MemorySpace>
std::size_t ComputedProjection<MemorySpace>::memory_bytes() const {
  return (rays.to_natural.extent(0) + rays.from_natural.extent(0) + pixels.to_natural.extent(0) +
          pixels.from_natural.extent(0)) *
             sizeof(Ordinal) +
         views.extent(0) * sizeof(ViewRays) +
         (runs.extent(0) + exact_runs.extent(0)) * sizeof(ViewRows) +
         (tangents.extent(0) + lines.extent(0)) * sizeof(double) +
         steps.extent(0) * sizeof(ViewSteps) + (orbits ? orbits->memory_bytes() : 0);
}

template <class ExecutionSpace>
ComputedProjection<typename ExecutionSpace::memory_space> make_computed_projection(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, bool by_symmetry) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::ScopedRegion region("Tomokkos::make_computed_projection");
  check(volume, scan, projector);
  const auto num_rays = static_cast<Ordinal>(scan.num_rays());
  const auto num_pixels = static_cast<Ordinal>(volume.num_pixels());
  ComputedProjection<MemorySpace> A;
  A.volume = volume;
  A.scan = scan;
  A.projector = projector;
  A.rays = ray_map;
  A.pixels = pixel_map;
  A.num_rows = num_rays;
  A.num_cols = num_pixels;
  if (ray_map.from_natural.data() != nullptr) {
    require_equal("indices of the ray map", ray_map.natural_size(), "rays of the scan", num_rays);
    A.num_rows = ray_map.size();
  }
  if (pixel_map.from_natural.data() != nullptr) {
    require_equal("indices of the pixel map", pixel_map.natural_size(), "pixels of the volume",
                  num_pixels);
    A.num_cols = pixel_map.size();
  }
  const auto block = Impl::make_ray_block(exec, volume, scan, RowRange{0, num_rays});
  A.views = block.views;
  A.tangents = block.tangents;
  A.runs_on_host = Impl::find_runs(map_on_host(ray_map), A.num_rows, scan.detectors);
  A.runs = Impl::copy_of(exec, "Tomokkos::ComputedProjection::runs", A.runs_on_host);
  Impl::with_projector_of(A, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    static_assert(sizeof(RayProjector) % sizeof(double) == 0);
    const auto lines = allocate<Kokkos::View<double*, MemorySpace>>(
        exec, "Tomokkos::ComputedProjection::lines",
        static_cast<std::size_t>(A.num_rows) * (sizeof(RayProjector) / sizeof(double)));
    Kokkos::parallel_for("Tomokkos::computed::lines", Impl::ordinals(exec, A.num_rows),
                         Impl::PrepareLines<RayProjector>{Impl::ComputedRays(A), lines.data()});
    A.lines = lines;
  });
  // Each run gets a copy of its view.
  const bool has_whole_views =
      A.runs_on_host.size() <= 2 * static_cast<std::size_t>(scan.views.count());
  if (has_whole_views && has_stepped_products(volume, scan, projector)) {
    for (Ordinal view = 0; view < scan.views.count(); ++view)
      A.steps_on_host.push_back(Impl::steps_of(volume, scan, projector, view));
    A.steps = Impl::copy_of(exec, "Tomokkos::ComputedProjection::steps", A.steps_on_host);
    std::copy_if(A.runs_on_host.begin(), A.runs_on_host.end(),
                 std::back_inserter(A.exact_runs_on_host), [&](const ViewRows& run) {
                   return A.steps_on_host[static_cast<std::size_t>(run.view)].is_exact;
                 });
    A.exact_runs =
        Impl::copy_of(exec, "Tomokkos::ComputedProjection::exact_runs", A.exact_runs_on_host);
  }
  if (by_symmetry && A.is_stepped()) A.orbits = Impl::make_computed_orbits(exec, A);
  Impl::fence(exec, "make_computed_projection: the lines are complete");
  return A;
}

template <class ExecutionSpace>
ComputedProjection<typename ExecutionSpace::memory_space> make_view_interpolation(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    const std::vector<double>& factors) {
  require_equal("factors", static_cast<long long>(factors.size()), "views of the scan",
                static_cast<long long>(scan.views.count()));
  ComputedProjection<typename ExecutionSpace::memory_space> A;
  A.volume = volume;
  A.scan = scan;
  A.projector = Projector::linear;
  A.num_rows = static_cast<Ordinal>(scan.num_rays());
  A.num_cols = static_cast<Ordinal>(volume.num_pixels());
  A.runs_on_host = Impl::find_runs({}, A.num_rows, scan.detectors);
  A.runs = Impl::copy_of(exec, "Tomokkos::ComputedProjection::runs", A.runs_on_host);
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    ViewSteps steps = Impl::steps_of(volume, scan, A.projector, view);
    // Weights of 1 at the ray, and of 0 at the next one.
    steps.scale = factors[static_cast<std::size_t>(view)];
    steps.fall_elements = 1;
    steps.half = 0.5;
    steps.taps = 1;
    A.steps_on_host.push_back(steps);
  }
  A.steps = Impl::copy_of(exec, "Tomokkos::ComputedProjection::steps", A.steps_on_host);
  Impl::fence(exec, "make_view_interpolation: the steps are complete");
  return A;
}

template <class ExecutionSpace, class Scalar>
void computed_product(const ExecutionSpace& exec,
                      const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                      Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                      const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) {
  rows = Impl::checked_product(A, X, Y, rows);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  Impl::with_projector_of(A, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Kokkos::parallel_for("Tomokkos::computed::product",
                           Impl::ordinals(exec, rows.end - rows.begin),
                           Impl::ComputedRowProduct<RayProjector, Scalar, count()>{
                               Impl::ComputedRays(A), rows.begin, vectors, alpha, beta,
                               X.data() + first, Y.data() + first});
    });
  });
}

template <class ExecutionSpace, class Scalar>
void computed_transposed_product(const ExecutionSpace& exec,
                                 const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                                 Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
                                 Scalar beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y,
                                 RowRange rows) {
  rows = Impl::checked_transposed_product(A, X, Y, rows);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const Impl::RunRange runs = Impl::runs_of(A, rows);
  Impl::with_projector_of(A, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Kokkos::parallel_for("Tomokkos::computed::transposed_product",
                           Impl::ordinals(exec, A.num_cols),
                           Impl::ComputedColumnProduct<RayProjector, Scalar, count()>{
                               Impl::ComputedRays(A), rows, runs, vectors, alpha, beta,
                               X.data() + first, Y.data() + first});
    });
  });
}

template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> computed_squared_norms(
    const ExecutionSpace& exec,
    const ComputedProjection<typename ExecutionSpace::memory_space>& A) {
  const auto norms = allocate<Vector<double, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::computed::squared_norms", A.num_rows);
  Impl::with_projector_of(A, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    Kokkos::parallel_for(
        "Tomokkos::computed::squared_norms", Impl::ordinals(exec, A.num_rows),
        Impl::SquaredNormOfRow<RayProjector, Scalar>{Impl::ComputedRays(A), norms.data()});
  });
  return norms;
}

template <class ExecutionSpace>
Vector<Ordinal, typename ExecutionSpace::memory_space> computed_block_counts(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const RowSubsets& blocks, const Ranks* ranks) {
  const auto counts = allocate<Vector<Ordinal, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::computed::block_counts", A.num_cols);
  Kokkos::deep_copy(exec, counts, Ordinal(0));
  const auto size = static_cast<std::size_t>(A.num_cols);
  std::vector<Ordinal> largest(ranks == nullptr ? 0 : size, 0), count(largest);
  std::vector<double> sums(largest.size());
  for (int block = 0; block < blocks.count(); ++block) {
    const RowRange rows = blocks[block].resolved(A.num_rows);
    const Impl::RunRange runs = Impl::runs_of(A, rows);
    Impl::with_projector_of(A, [&](auto* chosen) {
      using RayProjector = std::remove_pointer_t<decltype(chosen)>;
      Kokkos::parallel_for("Tomokkos::computed::block_counts", Impl::ordinals(exec, A.num_cols),
                           Impl::CountColumnEntries<RayProjector>{Impl::ComputedRays(A), rows, runs,
                                                                  counts.data(), ranks == nullptr});
    });
    if (ranks == nullptr) continue;
    Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(count.data(), size), counts);
    Impl::fence(exec, "computed_block_counts: the counts have arrived");
    std::copy(count.begin(), count.end(), sums.begin());
    ranks->sum(sums);
    for (std::size_t j = 0; j < size; ++j)
      largest[j] = std::max(largest[j], static_cast<Ordinal>(sums[j]));
  }
  if (ranks != nullptr) {
    Kokkos::deep_copy(exec, counts,
                      VectorView<const Ordinal, Kokkos::HostSpace>(largest.data(), size));
    Impl::fence(exec, "computed_block_counts: the largest counts have arrived");
  }
  return counts;
}

template <class ExecutionSpace, class Scalar>
void computed_kaczmarz_sweep(const ExecutionSpace& exec,
                             const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                             const InputVector<ExecutionSpace, Ordinal>& order,
                             const InputVector<ExecutionSpace, double>& squared_norms,
                             const KaczmarzCoefficients<Scalar>& coefficients,
                             const InputVector<ExecutionSpace, Scalar>& b,
                             const OutputVector<ExecutionSpace, Scalar>& x) {
  require_equal("length of b", static_cast<long long>(b.extent(0)), "rows of A", A.num_rows);
  require_equal("length of x", static_cast<long long>(x.extent(0)), "columns of A", A.num_cols);
  require_equal("squared norms", static_cast<long long>(squared_norms.extent(0)), "rows of A",
                A.num_rows);
  const auto visits = order.extent(0) == 0 ? A.num_rows : static_cast<Ordinal>(order.extent(0));
  const Ordinal* const rows = order.extent(0) == 0 ? nullptr : order.data();
  Impl::with_projector_of(A, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    constexpr int threads = Impl::is_host_space<ExecutionSpace> ? 1 : 256;
    Kokkos::parallel_for("Tomokkos::computed::sweep",
                         Kokkos::TeamPolicy<ExecutionSpace>(exec, 1, threads),
                         Impl::ComputedSweep<RayProjector, Scalar, ExecutionSpace>{
                             Impl::ComputedRays(A), rows, visits, squared_norms.data(),
                             coefficients, b.data(), x.data()});
  });
}

#define TOMOKKOS_INSTANTIATE(MEMORY) template struct ComputedProjection<MEMORY>;
TOMOKKOS_FOR_EACH_MEMORY(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                          \
  template ComputedProjection<SPACE::memory_space> make_computed_projection<SPACE>(          \
      const SPACE&, const VolumeGeometry&, const ScanGeometry&, Projector,                   \
      const IndexMap<SPACE::memory_space>&, const IndexMap<SPACE::memory_space>&, bool);     \
  template ComputedProjection<SPACE::memory_space> make_view_interpolation<SPACE>(           \
      const SPACE&, const VolumeGeometry&, const ScanGeometry&, const std::vector<double>&); \
  template Vector<Ordinal, SPACE::memory_space> computed_block_counts<SPACE>(                \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, const RowSubsets&,       \
      const Ranks*);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template int rays_at_once<SPACE, SCALAR>();                                                  \
  template void computed_product<SPACE, SCALAR>(                                               \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, SCALAR,                    \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);                                                                               \
  template void computed_transposed_product<SPACE, SCALAR>(                                    \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, SCALAR,                    \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);                                                                               \
  template Vector<double, SPACE::memory_space> computed_squared_norms<SPACE, SCALAR>(          \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&);                           \
  template void computed_kaczmarz_sweep<SPACE, SCALAR>(                                        \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const InputVector<SPACE, Ordinal>&, const InputVector<SPACE, double>&,                   \
      const KaczmarzCoefficients<SCALAR>&, const InputVector<SPACE, SCALAR>&,                  \
      const OutputVector<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
