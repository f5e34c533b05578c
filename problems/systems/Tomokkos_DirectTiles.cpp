// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <algorithm>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tomokkos {
namespace {

constexpr std::uint64_t left_of(std::uint64_t all, std::uint64_t taken) {
  return all - std::min(all, taken);
}

/// Checks that the counted ray tiles fit in memory together with \p others. Returns the bytes of
/// both. Throws `MemoryError` with the bytes otherwise.
template <class Matrix, class ExecutionSpace>
std::uint64_t require_room(const RayTilesSize& size, const RayTilesOptions& options, Ordinal rows,
                           Ordinal columns, Offset nonzeros, std::uint64_t others,
                           std::uint64_t available) {
  const RayTilesCount bound = bound_ray_tiles(rows, columns, nonzeros, size, options);
  const std::uint64_t need = others + ray_tiles_need(rows, columns, bound, Matrix::entry_bytes,
                                                     !Impl::is_host_space<ExecutionSpace>,
                                                     sizeof(typename Matrix::scalar_type));
  Impl::require_memory(
      need,
      "ray tiles of " + std::to_string(nonzeros) + " nonzeros in " + std::to_string(size.segments) +
          " segments (" + Impl::formatted("%.4g", size.mean_segment) +
          " on average), with the vectors and a block of rows, need",
      available,
      Matrix::is_packed || sizeof(typename Matrix::scalar_type) > 4
          ? ""
          : "use operator.values: half, which needs 4 bytes per nonzero instead of 6");
  return need;
}

template <StoredPrecision Values, class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> build_tiles(const ExecutionSpace& exec, const SystemTask& task,
                                                const OrderedRows<ExecutionSpace, Scalar>& rows,
                                                bool fingerprint, std::uint64_t available,
                                                StreamedArrays<ExecutionSpace>* streamed) {
  using Matrix = RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>;
  using Block = typename OrderedRows<ExecutionSpace, Scalar>::Block;
  const RayTilesOptions options = std::get<TiledOptions>(*task.wish.stored);
  const auto nonzeros = static_cast<double>(rows.num_nonzeros());
  const std::vector<RowRange> blocks =
      rows.blocks(tile_block_bytes(nonzeros, sizeof(Scalar), static_cast<double>(available)));
  const auto bytes_of = [&](std::size_t i) { return rows.bytes_of(blocks[i]); };
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) largest = std::max(largest, bytes_of(i));
  const std::uint64_t others =
      largest +
      Impl::whole_bytes(vector_bytes(task, task.wish, machine_facts<ExecutionSpace, Scalar>(exec),
                                     rows.num_rows(), rows.num_cols()));

  // Assume segments that fill most of their packs. Memory beyond the limit is released below.
  const std::uint64_t expected = Impl::whole_bytes(1.25 * nonzeros * Matrix::entry_bytes);
  const std::uint64_t room = left_of(available, others + expected);
  RayTilesBuilder<ExecutionSpace, Scalar, Values> builder(exec, rows.num_rows(), rows.num_cols(),
                                                          rows.num_nonzeros(), options);
  // Blocks stay in memory between counting and filling, as far as there is room.
  std::vector<std::optional<Block>> kept(blocks.size());
  std::uint64_t kept_bytes = 0;
  CsrFingerprint<ExecutionSpace, Scalar> sum;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    task.check();
    const Block block = rows.build(exec, blocks[i]);
    if (fingerprint) sum.add(exec, block);
    builder.count(exec, block);
    if (kept_bytes + bytes_of(i) > room) continue;
    kept[i] = block;
    kept_bytes += bytes_of(i);
  }
  const std::uint64_t need =
      require_room<Matrix, ExecutionSpace>(builder.size(exec), options, rows.num_rows(),
                                           rows.num_cols(), rows.num_nonzeros(), others, available);
  for (std::size_t i = blocks.size(); i-- > 0 && kept_bytes > left_of(available, need);) {
    if (!kept[i]) continue;
    kept[i].reset();
    kept_bytes -= bytes_of(i);
  }
  std::size_t num_kept = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    task.check();
    const std::optional<Block> block = std::exchange(kept[i], std::nullopt);
    num_kept += block ? 1 : 0;
    builder.fill(exec, block ? *block : rows.build(exec, blocks[i]));
  }
  Matrix tiles = builder.finish(exec);
  if (streamed != nullptr) tiles = with_streamed_entries(exec, std::move(tiles), *streamed);
  MatrixOperator<ExecutionSpace, Matrix> made(exec, std::move(tiles));
  BuiltOperator<ExecutionSpace, Scalar> result{AnyOperator<ExecutionSpace, Scalar>(made)};
  result.fill = fill_of(made.matrix());
  result.one_copy = true;
  result.description = describe_in_format(result, FormatTraits<Matrix>::format,
                                          FormatTraits<Matrix>::figures(made.matrix()));
  return {std::move(result), rows.statistics(), sum.value(rows.num_cols()), blocks.size(),
          num_kept};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> make_direct_tiles(
    const ExecutionSpace& exec, const SystemTask& task, const OrderOn<ExecutionSpace>& order,
    const OffsetsOn<ExecutionSpace>& natural_offsets, bool fingerprint,
    std::optional<std::uint64_t> available, StreamedArrays<ExecutionSpace>* streamed) {
  const OrderedRows<ExecutionSpace, Scalar> rows(exec, task.rows, order, natural_offsets);
  const std::uint64_t bytes = available ? *available : available_memory(exec);
  const StoredPrecision values = task.wish.values();
  const auto build = [&]<StoredPrecision Values>() {
    return build_tiles<Values>(exec, task, rows, fingerprint, bytes, streamed);
  };
  return Impl::as_choice("operator.format", [&] {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (values == StoredPrecision::half)
        return build.template operator()<StoredPrecision::half>();
      if (values == StoredPrecision::scaled)
        return build.template operator()<StoredPrecision::scaled>();
    }
    require(values == StoredPrecision::plain, "16-bit values require products in float");
    return build.template operator()<StoredPrecision::plain>();
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template DirectTiles<SPACE, SCALAR> make_direct_tiles<SPACE, SCALAR>(                      \
      const SPACE&, const SystemTask&, const OrderOn<SPACE>&, const OffsetsOn<SPACE>&, bool, \
      std::optional<std::uint64_t>, StreamedArrays<SPACE>*);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
