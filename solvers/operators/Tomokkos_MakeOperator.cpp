// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <new>
#include <string>

namespace Tomokkos {
namespace Impl {

template <class Format, class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const typename Format::Options& format, const MakeOptions& options);

/// Reason why a matrix is not converted to ray tiles; empty if it is.
template <class ExecutionSpace, class Scalar>
std::optional<std::string> reason_against_tiles(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options) {
  const DeviceTraits device = format_traits(exec);
  RayTilesCriteria matrix;
  matrix.rows = row_statistics(exec, A);
  matrix.both_products = options.with_transpose;
  matrix.vectors = options.vectors;
  if (auto why = reason_against_ray_tiles(device, matrix, sizeof(Scalar))) return why;
  matrix.mean_segment = ray_tiles_size<ExecutionSpace, Scalar>(exec, A).mean_segment;
  return reason_against_ray_tiles(device, matrix, sizeof(Scalar));
}

/// State of the choice of a format.
struct FormatChoice {
  std::optional<FormatOptions> format;
  std::optional<std::string> against_tiles;  // reason why rays are not in tiles

  bool is_csr() const { return format && format_of(*format) == MatrixFormat::csr; }
};

template <class ExecutionSpace, class Scalar>
void choose(const ExecutionSpace& exec,
            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
            const MakeOptions& options, FormatChoice& choice) {
  if (options.rows_are_rays) {
    choice.against_tiles = reason_against_tiles<ExecutionSpace, Scalar>(exec, A, options);
    if (!choice.against_tiles) {
      choice.format = TiledOptions{};
      return;
    }
  }
  // Among the formats chosen from here on, only CSR has single rows and ranges of rows.
  choice.format = options.with_ranges
                      ? FormatOptions(CsrOptions{})
                      : choose_format(exec, A, options.largest_fill, options.vectors > 1);
  with_format(*choice.format, [&]<class Format>(typename Format::Options& chosen) {
    if constexpr (Format::pads)
      if (options.largest_fill) chosen.limit.largest_fill = *options.largest_fill;
  });
}

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_in_format(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& chosen, const MakeOptions& options) {
  std::optional<BuiltOperator<ExecutionSpace, Scalar>> made;
  with_format(chosen, [&]<class Format>(const typename Format::Options& format) {
    made = make_format_operator<Format, ExecutionSpace, Scalar>(exec, A, format, options);
  });
  return std::move(*made);
}

/// Puts the choice in front of the general description of the operator, and the shape behind the
/// format.
Description with_choice(const Description& made, const FormatChoice& choice,
                        const Description& fallback) {
  Description all = Description::map().set("chosen_by", "automatic").set_all(fallback);
  all.set_if("no_ray_tiles", choice.against_tiles);
  all.set("format", *made.find("format"));
  with_format(*choice.format, [&]<class Format>(const typename Format::Options& options) {
    all.set_all(Format::chosen_shape(options));
  });
  return all.set_all(made);
}

/// Describes why CSR is used instead of the format that was, or would have been, chosen.
Description describe_fallback(const FormatChoice& choice, const std::string& reason) {
  Description fallback = Description::map();
  if (choice.format) fallback.set("instead_of", format_of(*choice.format));
  return fallback.set("because", reason);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options) {
  if (options.format)
    return Impl::make_in_format<ExecutionSpace, Scalar>(exec, A, *options.format, options);
  Impl::FormatChoice choice;
  std::string reason;
  const auto make = [&](const Description& fallback) {
    auto made = Impl::make_in_format<ExecutionSpace, Scalar>(exec, A, *choice.format, options);
    made.description = Impl::with_choice(made.description, choice, fallback);
    return made;
  };
  try {
    Impl::choose<ExecutionSpace, Scalar>(exec, A, options, choice);
    return make(Description::map());
  } catch (const Refused& error) {
    // The rows of the transpose may be too uneven for the format that suits A.
    if (choice.is_csr()) throw;
    reason = error.what();
  } catch (const MemoryError& error) {
    // A, its transpose and their converted forms must be in memory together.
    if (choice.is_csr()) throw;
    reason = error.what();
  } catch (const std::bad_alloc&) {
    if (choice.is_csr()) throw;
    reason = "out of memory";
  }
  const Description fallback = Impl::describe_fallback(choice, reason);
  choice.format = CsrOptions{};
  return make(fallback);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                           \
  template BuiltOperator<SPACE, SCALAR> make_operator<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const MakeOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
