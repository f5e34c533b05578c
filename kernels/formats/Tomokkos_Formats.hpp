// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrFormat.hpp>
#include <Tomokkos_CsrFormat.hpp>
#include <Tomokkos_DiaFormat.hpp>
#include <Tomokkos_ListFormats.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_PackedCsrFormat.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <Tomokkos_RayTilesFormat.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace Tomokkos {
namespace Impl {

struct NoStatistics {};

template <class Format>
struct StatisticsOf {
  using type = NoStatistics;
};
template <class Format>
requires requires { typename Format::Statistics; }
struct StatisticsOf<Format> {
  using type = typename Format::Statistics;
};

template <class, class... Formats>
struct FormatList {
  using Types = TypeList<Formats...>;
  using Options = std::variant<typename Formats::Options...>;
  using Statistics = std::tuple<typename StatisticsOf<Formats>::type...>;
  static constexpr bool is_in_order() {
    std::size_t place = 0;
    return ((static_cast<std::size_t>(Formats::format) == place++) && ...);
  }
};

#define TOMOKKOS_AND_FORMAT(name, Format) , Format
using AllFormats = FormatList<void TOMOKKOS_FOR_EACH_FORMAT(TOMOKKOS_AND_FORMAT)>;
#undef TOMOKKOS_AND_FORMAT
static_assert(AllFormats::is_in_order(),
              "the member `format` of each format must match its place in the list");

template <class Format, class Types>
struct PlaceOf;
template <class Format, class... Others>
struct PlaceOf<Format, TypeList<Format, Others...>> : std::integral_constant<std::size_t, 0> {};
template <class Format, class First, class... Others>
struct PlaceOf<Format, TypeList<First, Others...>>
    : std::integral_constant<std::size_t, 1 + PlaceOf<Format, TypeList<Others...>>::value> {};

}  // namespace Impl

/// \brief Storage format of a matrix, held as the options of one of the formats.
using FormatOptions = Impl::AllFormats::Options;

/// \brief Returns the format to which \p options belong.
inline MatrixFormat format_of(const FormatOptions& options) {
  return static_cast<MatrixFormat>(options.index());
}

/// \brief Calls `visit.template operator()<Format>()` for every format, in the order of the list.
template <class Visit>
void for_each_format(const Visit& visit) {
  Impl::AllFormats::Types::for_each(visit);
}

/// \brief Calls `visit.template operator()<Format>(options)` with the options that \p options hold.
template <class Options, class Visit>
void with_format(Options& options, const Visit& visit) {
  for_each_format([&]<class Format>() {
    constexpr std::size_t place = Impl::PlaceOf<Format, Impl::AllFormats::Types>::value;
    if (auto* const own = std::get_if<place>(&options)) visit.template operator()<Format>(*own);
  });
}

/// \brief Returns the default options of \p format.
inline FormatOptions default_options(MatrixFormat format) {
  FormatOptions result;
  for_each_format([&]<class Format>() {
    if (Format::format == format) result = typename Format::Options{};
  });
  return result;
}

/// \brief True if configurations may limit the padding of \p format.
inline bool pads(MatrixFormat format) {
  bool result = false;
  for_each_format([&]<class Format>() {
    if (Format::format == format) result = Format::pads;
  });
  return result;
}

/// \brief Returns the methods that compute A^T x in \p format, the default first; empty if one copy
/// serves both products.
inline std::vector<TransposeMethod> transpose_methods(MatrixFormat format) {
  std::vector<TransposeMethod> result;
  for_each_format([&]<class Format>() {
    if (Format::format == format)
      result.assign(Format::transposes.begin(), Format::transposes.end());
  });
  return result;
}

/// \brief True if products of \p format can be restricted to a range of rows.
inline bool has_row_ranges(MatrixFormat format) {
  bool result = false;
  for_each_format([&]<class Format>() {
    if (Format::format == format) result = Format::row_ranges || Format::one_copy;
  });
  return result;
}

/// \brief True if single rows of \p format can be read, for row-action methods.
inline bool has_single_rows(MatrixFormat format) {
  bool result = false;
  for_each_format([&]<class Format>() {
    if (Format::format == format) result = Format::single_rows;
  });
  return result;
}

/// \brief Options of a format that benchmarks try, and their name in the results.
struct FormatShape {
  std::string name;
  FormatOptions options;
};

/// \brief Returns the shapes of \p format that are useful on a host or on a GPU; empty for formats
/// whose products the benchmarks list individually.
std::vector<FormatShape> format_shapes(MatrixFormat format, bool on_host);

/// \brief Returns the sizes of \p A in every format whose size follows from the pattern.
///
/// The calling thread counts without converting. `hyb` is counted with its default quantile, `sell`
/// with chunks of 32 unsorted rows, `bcsr` with blocks of 2 and 4.
std::vector<FormatSize> format_sizes(const HostPattern& A);

}  // namespace Tomokkos
