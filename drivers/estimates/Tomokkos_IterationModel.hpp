// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model of the time of products: bytes divided by a bandwidth, or a cost per entry. All constants
// of the model stand here. docs/benchmarks/model.md says how well it agrees with measurements.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowSource.hpp>
#include <algorithm>
#include <cstddef>
#include <optional>

namespace Tomokkos {

namespace ModelCosts {

// Costs of a host are in seconds times threads. They were measured with `tomokkos bench` on two
// threads of an AMD EPYC (Zen 4), with 256 x 256 pixels and 180 x 367 rays in float.

/// Share of the read bandwidth that the products of stored formats reach on a host: between 0.4
/// (`ray_tiles`) and 0.85 (`sell`).
inline constexpr double host_share = 0.6;
/// Share on a GPU: CSR, SELL and ray tiles reach 0.85 to 0.95 on an H200 (docs/benchmarks).
inline constexpr double gpu_share = 0.85;
/// Least cost of an entry in a product, whatever its bytes.
struct EntryCosts {
  double single;          ///< the entry is stored
  double orbit;           ///< stored once for the images of a ray (`scsr`)
  double block;           ///< stored once for all blocks (`block_circulant`)
  double private_images;  ///< added to a private image or a window, in A^T x
  double atomic;          ///< added atomically, in A^T x
};
/// `packed_csr` with 16-bit values, `scsr`, the cone beam of configs/cone_beam.yaml, CSR, CSR.
inline constexpr EntryCosts host_entries{0.5e-9, 0.24e-9, 0.075e-9, 2e-9, 6e-9};
/// An H200, float: `scsr` and `pair_blocked` with 1024 x 1024 pixels
/// (docs/benchmarks/symmetric_rows.md), `block_circulant` of the scan `big`
/// (docs/systems/block_circulant.md), `windowed` (docs/benchmarks/products.md). Entries that are
/// stored once each are bound by their bytes.
inline constexpr EntryCosts gpu_entries{0, 0.33e-12, 0.27e-12, 2.7e-12, 9.5e-12};
/// Number of times that an iteration reads or writes each of its vectors.
inline constexpr double vector_passes = 10;

/// Costs of a computed entry on a host, in A x and in A^T x. Those on a GPU stand in
/// Tomokkos_ChooseComputed.hpp. A parallel beam was measured on an Intel Xeon with AVX-512, 256 x
/// 256 and 512 x 512 pixels.
struct ComputedEntry {
  double forward, back;
};
inline constexpr ComputedEntry parallel_linear{0.39e-9, 0.27e-9}, parallel_line{0.9e-9, 0.6e-9},
    parallel_strip{0.75e-9, 0.5e-9}, fan_linear{1.1e-9, 11e-9}, fan_line{2.5e-9, 16e-9};
/// Shares that remain if products use the symmetry of a scan.
inline constexpr ComputedEntry symmetric_strip_share{0.78, 0.6}, symmetric_fan_share{0.43, 0.15};
/// Entries of `strip` that are not stepped.
inline constexpr ComputedEntry exact_parallel_strip{12.6e-9, 21e-9}, exact_fan_strip{16e-9, 35e-9};

/// Costs of a traced entry in either product, half of what both take. Pairs of crystals on a host,
/// configs/pet_small.yaml with 8 and 32 rays a pair: a part for each entry, and one for each ray.
inline constexpr double traced_pair = 34e-9, traced_ray_of_pair = 1.5e-9;
/// Cone beam on a host, configs/cone_beam.yaml, all rows in natural order.
inline constexpr double traced_cone_beam = 5.7e-9;
/// Share on a GPU of the cost with one thread. The matrix of `madpet2`, 96 rays a pair and 1.58e9
/// entries, is built in 0.81 s on an H200 (docs/benchmarks/products.md), which traces all pairs
/// twice: 0.26 ns an entry. The products were not measured.
inline constexpr double gpu_traced_share = 0.26e-9 / (traced_pair + 96 * traced_ray_of_pair);

}  // namespace ModelCosts

/// \brief Time of the two products of an iteration, in seconds.
struct ProductSeconds {
  double forward = 0, back = 0;
};

/// \brief Machine for which products are modelled.
struct ModelMachine {
  bool gpu = false;
  double threads = 1;    ///< threads of a host
  double bandwidth = 0;  ///< bytes read per second
  double copy_rate = 0;  ///< bytes per second from page-locked host memory to a GPU; 0 on a host

  /// \brief Returns the time to read or write \p bytes of vectors.
  double vector_seconds(double bytes) const { return bytes / (bandwidth * share()); }

  /// \brief Returns the time of a product that reads \p bytes of a stored matrix and multiplies
  /// by \p entries, each of which costs at least \p cost.
  double stored_seconds(double bytes, double entries, double ModelCosts::EntryCosts::*cost) const {
    const double by_bytes = bytes / (bandwidth * share());
    const double by_entries = gpu ? ModelCosts::gpu_entries.*cost * entries
                                  : ModelCosts::host_entries.*cost * entries / threads;
    return std::max(by_bytes, by_entries);
  }

 private:
  double share() const { return gpu ? ModelCosts::gpu_share : ModelCosts::host_share; }
};

/// \brief Measures the read bandwidth of the memory of \p exec with a dot product of two arrays of
/// 64 MiB, or less where memory is short, and on a GPU copies from the host. Takes about a tenth of
/// a second.
template <class ExecutionSpace>
ModelMachine measure_machine(const ExecutionSpace& exec);

/// \brief Returns the time of the products of \p entries computed entries of \p rows, which are
/// the share \p kept of all its rows, in natural order or not. Empty where it was not measured.
std::optional<ProductSeconds> computed_seconds(const ModelMachine& machine, const RowSource& rows,
                                               std::size_t scalar_bytes, double entries,
                                               double kept, bool in_natural_order);

}  // namespace Tomokkos
