// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {

Csr4Scanner describe_scanner(const RingScanner& scanner, const VolumeGeometry3D& volume) {
  Csr4Scanner result;
  result.layers.clear();
  const auto& [width, height] = scanner.crystal_size;
  for (const CrystalLayer& layer : scanner.layers)
    result.layers.push_back({static_cast<float>(width), static_cast<float>(height),
                             static_cast<float>(layer.length), static_cast<float>(layer.radius),
                             0.0F});
  result.blocks = static_cast<std::uint32_t>(scanner.modules);
  result.block_size = static_cast<std::uint32_t>(scanner.crystals[0]);
  result.block_gaps.assign(result.block_size - 1,
                           static_cast<float>(scanner.crystal_pitch[0] - width));
  result.rings = static_cast<std::uint32_t>(scanner.crystals_along());
  const double within = scanner.crystal_pitch[1] - height;
  const double between =
      scanner.ring_pitch - (scanner.crystals[1] - 1) * scanner.crystal_pitch[1] - height;
  for (Ordinal ring = 1; ring < scanner.crystals_along(); ++ring)
    result.ring_gaps.push_back(
        static_cast<float>(ring % scanner.crystals[1] == 0 ? between : within));
  const auto pixel = static_cast<float>(volume.pixel);
  result.voxel_size = {pixel, pixel, static_cast<float>(volume.thickness)};
  result.grid = {static_cast<std::uint32_t>(volume.columns),
                 static_cast<std::uint32_t>(volume.rows),
                 static_cast<std::uint32_t>(volume.slices)};
  return result;
}

template <class Scalar>
Csr4Matrix<Scalar> read_csr4(const std::filesystem::path& path, const ReadOptions& options) {
  Csr4Reader reader(path);
  return {reader.read_rows<Scalar>(all_rows, options), reader.scanner()};
}

template <class Scalar>
void write_csr4(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                const Csr4Scanner& scanner) {
  Csr4Writer writer(path, A.num_cols, A.row_offsets, scanner);
  writer.write_rows(A);
  writer.commit();
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                       \
  template Csr4Matrix<Scalar> read_csr4(const std::filesystem::path&, const ReadOptions&); \
  template void write_csr4(const std::filesystem::path&, const HostCsrMatrix<Scalar>&,     \
                           const Csr4Scanner&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
