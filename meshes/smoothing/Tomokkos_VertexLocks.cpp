// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_GeneratedMesh.hpp>
#include <impl/Tomokkos_HalfEdges.hpp>
#include <impl/Tomokkos_MeshText.hpp>
#include <numeric>
#include <string>

namespace Tomokkos {

namespace {

std::string range_of(Ordinal num_vertices) {
  return Impl::text("vertices are numbered from 0 to {}", num_vertices - 1);
}

void read_text(const std::filesystem::path& path, std::vector<char>& locked) {
  Impl::MeshText text(path);
  std::string_view line;
  while (text.next_content(line, '#')) {
    for (Impl::skip_mesh_blanks(line); !line.empty(); Impl::skip_mesh_blanks(line)) {
      const std::int64_t vertex = text.next_integer(line, "number of a vertex");
      if (vertex < 0 || vertex >= static_cast<std::int64_t>(locked.size()))
        text.fail(Impl::text("vertex {} does not exist; {}", vertex,
                             range_of(static_cast<Ordinal>(locked.size()))));
      locked[static_cast<std::size_t>(vertex)] = 1;
    }
  }
}

void read_array(const std::filesystem::path& path, std::vector<char>& locked) {
  const HostArray<double> array = read_npy<double>(path);
  for (std::size_t i = 0; i < array.data.size(); ++i) {
    const double vertex = array.data[i];
    if (!(vertex >= 0 && vertex < static_cast<double>(locked.size())) ||
        vertex != std::floor(vertex))
      throw InputError(Impl::text(
          "{}: entry {} (the first is 1) is {}, not the number of a vertex; {}", path.string(),
          i + 1, std::to_string(vertex), range_of(static_cast<Ordinal>(locked.size()))));
    locked[static_cast<std::size_t>(vertex)] = 1;
  }
}

}  // namespace

std::vector<char> lock_share(Ordinal num_vertices, double share, std::uint64_t seed) {
  require(share > 0 && share <= 1,
          "the share of locked vertices must be greater than 0 and at most 1");
  const auto n = static_cast<std::size_t>(num_vertices);
  const auto wanted = std::min(
      n, std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(share * num_vertices))));
  std::vector<double> draws(n);
  for (std::size_t v = 0; v < n; ++v)
    draws[v] = CounterRandom(seed, Impl::lock_draws + v).uniform();
  std::vector<Ordinal> order(n);
  std::iota(order.begin(), order.end(), Ordinal{0});
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
                   [&](Ordinal a, Ordinal b) {
                     const double x = draws[static_cast<std::size_t>(a)];
                     const double y = draws[static_cast<std::size_t>(b)];
                     return x < y || (x == y && a < b);
                   });
  std::vector<char> locked(n, 0);
  for (std::size_t k = 0; k < wanted; ++k) locked[static_cast<std::size_t>(order[k])] = 1;
  return locked;
}

std::vector<char> lock_border(const TriangleMesh& mesh) {
  const Impl::HalfEdges half_edges = Impl::make_half_edges(mesh);
  std::vector<char> locked(mesh.vertices.size(), 0);
  for (std::size_t h = 0; h < half_edges.twin.size(); ++h) {
    if (half_edges.twin[h] != Impl::HalfEdges::at_border) continue;
    const auto half_edge = static_cast<Ordinal>(h);
    for (const Ordinal v : {Impl::from_vertex(mesh, half_edge), Impl::to_vertex(mesh, half_edge)})
      locked[static_cast<std::size_t>(v)] = 1;
  }
  return locked;
}

std::vector<char> read_locks(const std::filesystem::path& path, Ordinal num_vertices) {
  std::vector<char> locked(static_cast<std::size_t>(num_vertices), 0);
  if (path.extension() == ".npy")
    read_array(path, locked);
  else if (path.extension() == ".txt")
    read_text(path, locked);
  else
    throw InputError(path.string() + ": vertex numbers are read from .npy and .txt files");
  if (num_locked(locked) == 0) throw InputError(path.string() + ": contains no vertex number");
  return locked;
}

void check_locks(const VertexRings& rings, std::span<const char> locked, std::string_view name,
                 Ordinal coinciding_vertices) {
  require_equal("number of marks", static_cast<long long>(locked.size()), "vertices",
                rings.num_vertices());
  const std::vector<Ordinal> pieces = connected_pieces(rings);
  std::vector<Ordinal> sizes(pieces.size(), 0);
  std::vector<char> holds_lock(pieces.size(), 0);
  for (std::size_t v = 0; v < pieces.size(); ++v) {
    const auto piece = static_cast<std::size_t>(pieces[v]);
    ++sizes[piece];
    if (locked[v] != 0) holds_lock[piece] = 1;
  }
  for (std::size_t v = 0; v < pieces.size(); ++v) {
    if (sizes[v] == 0 || holds_lock[v] != 0) continue;
    const std::string vertex = Impl::text("vertex {} (counted from 1)", v + 1);
    if (sizes[v] == 1)
      throw InputError(std::string(name) + ": unreferenced vertex: no face holds " + vertex +
                       ", and it is not locked, so its position is undetermined");
    throw InputError(
        Impl::text("{}: component without a lock: none of the {} vertices connected to "
                   "{} is locked, so their positions are undetermined{}",
                   name, sizes[v], vertex, weld_hint(coinciding_vertices)));
  }
}

Ordinal num_locked(std::span<const char> locked) {
  return static_cast<Ordinal>(
      std::count_if(locked.begin(), locked.end(), [](char mark) { return mark != 0; }));
}

}  // namespace Tomokkos
