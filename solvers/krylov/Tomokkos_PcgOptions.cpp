// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_PcgOptions.hpp>

namespace Tomokkos {

namespace {

// Microseconds per iteration, measured on an H200 in double with 7-point and 27-point matrices, the
// host checking every 25 iterations. Columns: `standard` direct, `standard` recorded,
// `single_reduction` recorded, `single_reduction` resident.
//    7 points,   24 thousand rows:  24.4  15.8  12.0   7.4
//    7 points,   85 thousand rows:  23.8  19.0  12.6   8.5
//    7 points,  262 thousand rows:  25.8  22.7  23.4  14.1
//    7 points,       1 million rows:  86.7  83.8
//   27 points,   24 thousand rows:  20.8  17.7  14.0   8.0
//   27 points,   85 thousand rows:  28.3  25.0  22.8  15.0
//   27 points,  141 thousand rows:  38.5  34.4  33.1  32.7
//   27 points,  262 thousand rows:  53.1  49.7  50.1  58.9
constexpr Offset most_resident_nonzeros = 3000000;
constexpr Offset most_recorded = 500000;
constexpr Offset most_recorded_single = 100000;

}  // namespace

PcgVariant choose_pcg_variant(const PcgVariant& requested, const PcgSystemTraits& at) {
  const bool may_be_single = requested.scheme == PcgScheme::single_reduction ||
                             (requested.scheme == PcgScheme::automatic && !at.needs_change);
  // Ranks communicate between kernels, so launches cannot be combined.
  if (at.is_distributed)
    return {may_be_single ? PcgScheme::single_reduction : PcgScheme::standard, PcgLaunches::direct};
  // Resident launches that are not possible are treated as `automatic`.
  const bool open =
      requested.launches == PcgLaunches::automatic || requested.launches == PcgLaunches::resident;
  const bool resident = may_be_single && at.can_reside &&
                        (requested.launches == PcgLaunches::resident ||
                         (open && at.nonzeros <= most_resident_nonzeros));
  if (resident) return {PcgScheme::single_reduction, PcgLaunches::resident};
  const bool recorded = at.can_record && (requested.launches == PcgLaunches::recorded ||
                                          (open && at.entries <= most_recorded));
  PcgVariant variant{requested.scheme, recorded ? PcgLaunches::recorded : PcgLaunches::direct};
  if (requested.scheme == PcgScheme::automatic)
    variant.scheme = recorded && may_be_single && at.entries <= most_recorded_single
                         ? PcgScheme::single_reduction
                         : PcgScheme::standard;
  return variant;
}

}  // namespace Tomokkos
