// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces a pair of crystals with one team. Its lanes share the rays where rays are made or
// selected, and the lines of voxels where lengths are added. Each voxel is therefore summed by one
// lane over the rays in their order, and voxels are produced in their order.
#pragma once

#include <impl/Tomokkos_PairRays_impl.hpp>

namespace Tomokkos::Impl {

/// Number of lines that a team processes at a time; on a host one thread processes them in turn.
inline constexpr int tracer_lanes = 32;

/// Parts of lines, one per lane, with the mean lengths in their voxels.
struct TracedLines {
  Ordinal voxel[tracer_lanes];                // first voxel
  int size[tracer_lanes];                     // number of voxels, at most `line_width`
  int nonzeros[tracer_lanes];                 // number of voxels that `take` stores
  double lengths[line_width * tracer_lanes];  // column by column

  template <class Visitor>
  KOKKOS_FUNCTION void visit(int lane, double least, Visitor& visitor) const {
    for (int c = 0; c < size[lane]; ++c) {
      const double length = lengths[c * tracer_lanes + lane];
      if (length > least) visitor(voxel[lane] + c, length);
    }
  }
};

/// Scratch memory of a team, in addition to its rays and active rays.
struct TracerScratch {
  TracedLines lines;
  IndexRange columns[tracer_lanes];   // of one row per lane
  int parts_begin[tracer_lanes + 1];  // first part of the line of that row

  static std::size_t bytes(Ordinal rays) {
    // Each of the three is aligned to 16 bytes.
    return sizeof(TracerScratch) +
           static_cast<std::size_t>(rays) * (sizeof(PairRay) + sizeof(ActiveRay)) + 48;
  }
};

template <class Member>
class PairTracer {
 public:
  KOKKOS_FUNCTION PairTracer(const Member& member, const ScannerParameters& scan, Ordinal num_rays)
      : member_(member), scan_(scan), num_rays_(num_rays) {
    const auto& scratch = member.team_shmem();
    rays_ = static_cast<PairRay*>(scratch.get_shmem_aligned(num_rays * sizeof(PairRay), 16));
    active_ = static_cast<ActiveRay*>(scratch.get_shmem_aligned(num_rays * sizeof(ActiveRay), 16));
    scratch_ = static_cast<TracerScratch*>(scratch.get_shmem_aligned(sizeof(TracerScratch), 16));
  }

  /// Calls take(lines) for all lines in their order. The whole team calls it.
  template <class Take>
  KOKKOS_FUNCTION void trace(const CrystalPlace& from, const CrystalPlace& to,
                             const RaySample* samples, const Take& take) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, num_rays_), [&](const Ordinal k) {
      rays_[k] = make_pair_ray(scan_, from, to, samples[k]);
    });
    member_.team_barrier();
    const IndexRange slices = slices_met();
    for (Ordinal slice = slices.first; slice <= slices.last; ++slice) {
      const Ordinal num_active = enter_slice(slice);
      if (num_active == 0) continue;
      const IndexRange rows = rows_met(num_active);
      for (Ordinal row = rows.first; row <= rows.last; row += tracer_lanes) {
        const int parts = enter_rows(row, rows.last, num_active);
        for (int part = 0; part < parts; part += tracer_lanes) {
          add_up(slice, row, part, parts, num_active);
          take(scratch_->lines);
          member_.team_barrier();
        }
      }
    }
  }

 private:
  /// Returns the cells that the rays touch; ends(k) is the hull of ray k.
  template <class Ends>
  KOKKOS_FUNCTION IndexRange cells_met(Ordinal count, Ordinal rays, const Ends& ends) const {
    Hull met;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, rays),
        [&](const Ordinal k, double& low) { low = smaller(low, ends(k).low); },
        Kokkos::Min<double>(met.low));
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, rays),
        [&](const Ordinal k, double& high) { high = larger(high, ends(k).high); },
        Kokkos::Max<double>(met.high));
    return met.cells(count);
  }

  KOKKOS_FUNCTION IndexRange slices_met() const {
    return cells_met(scan_.slices, num_rays_, [&](const Ordinal k) {
      const PairRay& ray = rays_[k];
      Hull hull;
      if (ray.begin < ray.end) {
        hull.add((ray.z + ray.begin * ray.dz) / scan_.thickness + 0.5 * scan_.slices);
        hull.add((ray.z + ray.end * ray.dz) / scan_.thickness + 0.5 * scan_.slices);
      }
      return hull;
    });
  }

  /// Selects the rays that meet a slice and returns their number.
  KOKKOS_FUNCTION Ordinal enter_slice(Ordinal slice) const {
    const double low = scan_.slice_plane(slice), high = scan_.slice_plane(slice + 1);
    const auto part_of = [&](const Ordinal k) {
      const PairRay& ray = rays_[k];
      return part_between(ray.z, inverse_or_zero(ray.dz), low, high).clipped(ray.begin, ray.end);
    };
    Ordinal num_active = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, num_rays_),
        [&](const Ordinal k, Ordinal& count) { count += part_of(k).is_empty() ? 0 : 1; },
        num_active);
    Kokkos::parallel_scan(
        Kokkos::ThreadVectorRange(member_, num_rays_),
        [&](const Ordinal k, Ordinal& place, const bool final) {
          const RayPart part = part_of(k);
          if (part.is_empty()) return;
          if (final)
            active_[place] = {part.begin, part.end, rays_[k].length * part.share / num_rays_, k};
          ++place;
        });
    member_.team_barrier();
    return num_active;
  }

  KOKKOS_FUNCTION IndexRange rows_met(Ordinal num_active) const {
    return cells_met(scan_.rows, num_active, [&](const Ordinal k) {
      const ActiveRay& part = active_[k];
      const PairRay& ray = rays_[part.index];
      Hull hull;
      hull.add(0.5 * scan_.rows - (ray.y + part.begin * ray.dy) / scan_.pixel);
      hull.add(0.5 * scan_.rows - (ray.y + part.end * ray.dy) / scan_.pixel);
      return hull;
    });
  }

  /// Finds the columns that rays may meet in some rows and returns the number of parts of lines.
  KOKKOS_FUNCTION int enter_rows(Ordinal first, Ordinal last, Ordinal num_active) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, tracer_lanes), [&](const int lane) {
      Hull met;
      const double top = scan_.row_plane(first + lane), bottom = scan_.row_plane(first + lane + 1);
      for (Ordinal k = 0; k < num_active && first + lane <= last; ++k) {
        const PairRay& ray = rays_[active_[k].index];
        const RayPart part = active_[k].part_in_row(ray, bottom, top);
        if (part.is_empty()) continue;
        met.add((ray.x + part.begin * ray.dx) / scan_.pixel + 0.5 * scan_.columns);
        met.add((ray.x + part.end * ray.dx) / scan_.pixel + 0.5 * scan_.columns);
      }
      scratch_->columns[lane] = met.cells(scan_.columns);
    });
    member_.team_barrier();
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member_, tracer_lanes),
                          [&](const int lane, int& begin, const bool final) {
                            if (final) scratch_->parts_begin[lane] = begin;
                            const IndexRange& columns = scratch_->columns[lane];
                            begin += (columns.last - columns.first + line_width) / line_width;
                            if (final) scratch_->parts_begin[lane + 1] = begin;
                          });
    member_.team_barrier();
    return scratch_->parts_begin[tracer_lanes];
  }

  /// Returns the row of a part of a line: the last row whose first part is not after it.
  KOKKOS_FUNCTION int lane_of(int part) const {
    int lane = 0;
    for (int step = tracer_lanes / 2; step > 0; step /= 2)
      if (scratch_->parts_begin[lane + step] <= part) lane += step;
    return lane;
  }

  /// Computes the lengths in the parts [first, first + lanes) of the lines of some rows.
  KOKKOS_FUNCTION void add_up(Ordinal slice, Ordinal first_row, int first, int parts,
                              Ordinal num_active) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, tracer_lanes), [&](const int lane) {
      TracedLines& lines = scratch_->lines;
      const int part = first + lane;
      lines.size[lane] = 0;
      if (part >= parts) return;
      const int of_row = lane_of(part);
      const Ordinal row = first_row + of_row;
      const Ordinal column =
          scratch_->columns[of_row].first + (part - scratch_->parts_begin[of_row]) * line_width;
      const Ordinal left = scratch_->columns[of_row].last - column + 1;
      lines.voxel[lane] = (slice * scan_.rows + row) * scan_.columns + column;
      lines.size[lane] = left < line_width ? left : line_width;
      const double top = scan_.row_plane(row), bottom = scan_.row_plane(row + 1);
      double lengths[line_width] = {};
      for (Ordinal k = 0; k < num_active; ++k) {
        const PairRay& ray = rays_[active_[k].index];
        const RayPart in_row = active_[k].part_in_row(ray, bottom, top);
        if (!in_row.is_empty()) add_lengths(scan_, ray, in_row, active_[k].weight, column, lengths);
      }
      for (int c = 0; c < line_width; ++c) lines.lengths[c * tracer_lanes + lane] = lengths[c];
    });
    member_.team_barrier();
  }

  const Member& member_;
  const ScannerParameters& scan_;
  Ordinal num_rays_;
  PairRay* rays_;
  ActiveRay* active_;
  TracerScratch* scratch_;
};

}  // namespace Tomokkos::Impl
