// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace Tomokkos {
namespace {

constexpr std::int64_t most_samples = 2048;
// Rows are built in parts, so that the sample needs little memory.
constexpr std::int64_t parts = 8;

/// Returns sample \p k of \p samples from \p count: one in each of equally long parts.
std::int64_t sample_at(std::int64_t k, std::int64_t samples, std::int64_t count) {
  const std::int64_t begin = k * count / samples, end = (k + 1) * count / samples;
  return begin + static_cast<std::int64_t>(golden_place(k) * static_cast<double>(end - begin));
}

/// Returns the statistics of \p rows rows, of which those with these offsets are a sample.
RowStatistics statistics_of_sample(const std::vector<Offset>& offsets, std::int64_t rows,
                                   Ordinal columns) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  RowStatistics result = row_statistics_of(
      Kokkos::View<const Offset*, Kokkos::HostSpace, Unmanaged>(offsets.data(), offsets.size()),
      columns);
  result.is_estimate = result.rows < rows;
  const double scale = static_cast<double>(rows) / std::max(result.rows, Ordinal{1});
  result.nonzeros = std::llround(scale * static_cast<double>(result.nonzeros));
  result.empty_rows = static_cast<Ordinal>(std::lround(scale * result.empty_rows));
  result.rows = static_cast<Ordinal>(rows);
  return result;
}

/// Counts one view, and builds a few rows for the fingerprint.
template <class ExecutionSpace, class NaturalRow>
SampledRows sample_cone_beam(const ExecutionSpace& exec, const ConeBeamRows& beam,
                             std::int64_t count, const NaturalRow& natural) {
  const auto of_view = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), cone_beam_row_offsets(exec, beam.volume, beam.scan));
  std::vector<Offset> offsets{0};
  for (std::int64_t p = 0; p < count; ++p) {
    const Ordinal element = natural(p) / beam.scan.views;
    offsets.push_back(offsets.back() + of_view(element + 1) - of_view(element));
  }
  CsrFingerprint<ExecutionSpace, float> fingerprint;
  const std::int64_t samples = std::min(parts, count);
  for (std::int64_t k = 0; k < samples; ++k) {
    const Ordinal row = natural(sample_at(k, samples, count));
    fingerprint.add(exec, beam.build<ExecutionSpace, float>(exec, {row, row + 1}));
  }
  const auto columns = static_cast<Ordinal>(beam.num_cols());
  return {statistics_of_sample(offsets, count, columns), fingerprint.value(columns)};
}

}  // namespace

template <class ExecutionSpace>
SampledRows sample_rows(const ExecutionSpace& exec, const RowSource& source,
                        const OrderOn<ExecutionSpace>& order) {
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> to_natural;
  if (order.rows) to_natural = map_on_host(*order.rows).to_natural;
  const auto natural = [&](std::int64_t p) {
    return order.rows ? to_natural(p) : static_cast<Ordinal>(p);
  };
  const std::int64_t count = order.rows ? order.rows->size() : num_rows(source);
  if (const auto* beam = std::get_if<ConeBeamRows>(&source))
    return sample_cone_beam(exec, *beam, count, natural);
  const Ordinal columns = order.columns ? order.columns->size() : num_cols(source);
  // A map of some rows has a place for every row; that of the columns is made on the host first.
  Impl::MemoryNeed need;
  need.add(static_cast<std::uint64_t>(num_rows(source)), sizeof(Ordinal));
  if (!order.columns) need.add(static_cast<std::uint64_t>(columns), 2 * sizeof(Ordinal));
  need.require_available("a sample of the rows of the matrix");
  const auto column_map = map_or_identity(exec, order.columns, columns);
  SampledRows result;
  for (const std::int64_t samples : {std::min(most_samples, count), count}) {
    CsrFingerprint<ExecutionSpace, float> fingerprint;
    std::vector<Offset> offsets{0};
    const std::int64_t length = (samples + parts - 1) / parts;
    for (std::int64_t begin = 0; begin < samples; begin += length) {
      std::vector<Ordinal> some;
      for (std::int64_t k = begin; k < std::min(begin + length, samples); ++k)
        some.push_back(natural(sample_at(k, samples, count)));
      const auto A = build_ordered_rows<ExecutionSpace, float>(
          exec, source, {}, {make_index_map(exec, num_rows(source), some), column_map});
      const auto ends = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets);
      const Offset before = offsets.back();
      for (std::size_t row = 1; row < ends.extent(0); ++row) offsets.push_back(before + ends(row));
      fingerprint.add(exec, A);
    }
    result = {statistics_of_sample(offsets, count, columns), fingerprint.value(columns)};
    if (result.statistics.nonzeros > 0) break;
  }
  return result;
}

template <class ExecutionSpace>
double sampled_nonzeros(const ExecutionSpace& exec, const RowSource& source) {
  const bool is_sampled =
      traits_of(source).in_any_order || std::holds_alternative<ConeBeamRows>(source);
  return static_cast<double>(is_sampled ? sample_rows(exec, source, {}).statistics.nonzeros
                                        : count_nonzeros(exec, source));
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                               \
  template SampledRows sample_rows<SPACE>(const SPACE&, const RowSource&, const OrderOn<SPACE>&); \
  template double sampled_nonzeros<SPACE>(const SPACE&, const RowSource&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
