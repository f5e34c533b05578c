// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace Tomokkos {
namespace {

/// Blocks of rows kept in memory between the counting and the filling pass, as far as there is
/// room.
template <class Block>
class KeptBlocks {
 public:
  explicit KeptBlocks(std::size_t count) : blocks_(count) {}

  void keep(std::size_t i, const Block& block, std::uint64_t bytes) {
    blocks_[i] = block;
    bytes_ += bytes;
    ++count_;
  }
  /// Releases blocks from the end until at most \p bytes are held.
  template <class BytesOf>
  void shrink_to(std::uint64_t bytes, const BytesOf& bytes_of) {
    for (std::size_t i = blocks_.size(); i-- > 0 && bytes_ > bytes;) {
      if (!blocks_[i]) continue;
      blocks_[i].reset();
      bytes_ -= bytes_of(i);
      --count_;
    }
  }
  std::optional<Block> take(std::size_t i) {
    std::optional<Block> block;
    std::swap(block, blocks_[i]);
    return block;
  }
  std::uint64_t bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  std::vector<std::optional<Block>> blocks_;
  std::uint64_t bytes_ = 0;
  std::size_t count_ = 0;
};

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
  KeptBlocks<Block> kept(blocks.size());
  CsrFingerprint<ExecutionSpace, Scalar> sum;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    task.check();
    const Block block = rows.build(exec, blocks[i]);
    if (fingerprint) sum.add(exec, block);
    builder.count(exec, block);
    if (kept.bytes() + bytes_of(i) <= room) kept.keep(i, block, bytes_of(i));
  }
  const std::uint64_t need =
      require_room<Matrix, ExecutionSpace>(builder.size(exec), options, rows.num_rows(),
                                           rows.num_cols(), rows.num_nonzeros(), others, available);
  kept.shrink_to(left_of(available, need), bytes_of);
  const std::size_t num_kept = kept.count();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    task.check();
    const std::optional<Block> block = kept.take(i);
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
  return {std::move(result), {},      rows.statistics(), sum.value(rows.num_cols()),
          blocks.size(),     num_kept};
}

/// Builds tiles with the stored precision of \p task.
template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> build_chosen(const ExecutionSpace& exec, const SystemTask& task,
                                                 const OrderedRows<ExecutionSpace, Scalar>& rows,
                                                 bool fingerprint, std::uint64_t available,
                                                 StreamedArrays<ExecutionSpace>* streamed) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (task.wish.values() == StoredPrecision::half)
      return build_tiles<StoredPrecision::half>(exec, task, rows, fingerprint, available, streamed);
    if (task.wish.values() == StoredPrecision::scaled)
      return build_tiles<StoredPrecision::scaled>(exec, task, rows, fingerprint, available,
                                                  streamed);
  }
  require(task.wish.values() == StoredPrecision::plain, "16-bit values require products in float");
  return build_tiles<StoredPrecision::plain>(exec, task, rows, fingerprint, available, streamed);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> make_direct_tiles(
    const ExecutionSpace& exec, const SystemTask& task, bool fingerprint,
    std::optional<std::uint64_t> available, std::optional<DirectRows<ExecutionSpace>> some,
    StreamedArrays<ExecutionSpace>* streamed) {
  if (!some)
    some = {counted_offsets<ExecutionSpace, Scalar>(exec, task, MatrixUse::tiles),
            built_order(exec, task)};
  const auto& [offsets, order] = *some;
  const OrderedRows<ExecutionSpace, Scalar> rows(exec, task.rows, order, offsets);
  const std::uint64_t bytes = available ? *available : available_memory(exec);
  DirectTiles<ExecutionSpace, Scalar> result = as_choice("operator.format", [&] {
    return build_chosen(exec, task, rows, fingerprint, bytes, streamed);
  });
  result.order = order;
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                \
  template DirectTiles<SPACE, SCALAR> make_direct_tiles<SPACE, SCALAR>(    \
      const SPACE&, const SystemTask&, bool, std::optional<std::uint64_t>, \
      std::optional<DirectRows<SPACE>>, StreamedArrays<SPACE>*);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
