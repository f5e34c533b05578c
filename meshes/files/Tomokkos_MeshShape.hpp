// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace Tomokkos {

/// \brief Largest number of triangles of a mesh: `Ordinal` must index their 3 n half-edges.
inline constexpr Offset max_triangles = std::numeric_limits<Ordinal>::max() / 3;

/// \brief Requested size of a mesh: a number of vertices or a number of triangles, the other is 0.
struct MeshSize {
  Offset vertices = 0;
  Offset triangles = 0;
};

/// \brief Generated surfaces. All are disks: one component, one border, consistently oriented.
enum class MeshShape { hills, cap, disk, swiss_roll };

template <>
struct EnumNames<MeshShape> {
  static constexpr std::array<std::pair<MeshShape, std::string_view>, 4> names{
      {{MeshShape::hills, "hills"},
       {MeshShape::cap, "cap"},
       {MeshShape::disk, "disk"},
       {MeshShape::swiss_roll, "swiss_roll"}}};
};

}  // namespace Tomokkos
