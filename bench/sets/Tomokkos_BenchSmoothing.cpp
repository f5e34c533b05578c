// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <string>
#include <vector>

#include "Tomokkos_BenchGenerators.hpp"

namespace Tomokkos::Bench {

template <class Scalar>
HostCsrMatrix<Scalar> generate(const Smoothing& spec) {
  MeshSize size;
  size.vertices = spec.vertices;
  const TriangleMesh mesh = generate_mesh(spec.shape, size, spec.seed);
  const std::vector<char> locked = lock_share(num_vertices(mesh), spec.locked, spec.seed);
  if (num_locked(locked) == num_vertices(mesh))
    throw Error(Impl::text(
        "the share of locked vertices must be smaller: it locks all {} vertices of the mesh",
        num_vertices(mesh)));
  const MeshSmoothing<TOMOKKOS_HOST_SPACE, Scalar> smoothing(TOMOKKOS_HOST_SPACE(), mesh,
                                                             vertex_rings(mesh), locked);
  return smoothing.equations().matrix();
}

#define TOMOKKOS_INSTANTIATE(SCALAR) template HostCsrMatrix<SCALAR> generate(const Smoothing&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
