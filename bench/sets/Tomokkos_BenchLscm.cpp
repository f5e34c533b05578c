// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Lscm.hpp>
#include <Tomokkos_MeshTopology.hpp>

#include "Tomokkos_BenchGenerators.hpp"

namespace Tomokkos::Bench {

template <class Scalar>
HostCsrMatrix<Scalar> generate(const Lscm& spec) {
  MeshSize size;
  size.vertices = spec.vertices;
  const TriangleMesh mesh = generate_mesh(spec.shape, size, spec.seed);
  const ChartPins pinned = place_pins(mesh, pins(mesh, mesh_topology(mesh)));
  const auto complex = complex_from_shared(conformal_system(mesh, pinned).matrix);
  return convert_values<Scalar>(TOMOKKOS_HOST_SPACE(), to_csr(complex));
}

#define TOMOKKOS_INSTANTIATE(SCALAR) template HostCsrMatrix<SCALAR> generate(const Lscm&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
