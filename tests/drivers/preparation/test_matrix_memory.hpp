// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a matrix is said to need before it is there, and what is said to need less.
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string ct =
    "problem: {type: tomography, volume: {size: [96, 70]}, geometry: {views: 30, detectors: "
    "120}, phantom: disc}\nsolver: {type: mlem, iterations: 1}\n";
const std::string pet =
    "problem: {type: tomography, scanner: {kind: madpet2_small, crystals: [1, 2], rays: 8}, "
    "volume: {size: [6, 20, 22], pixel: 3, thickness: 1.4}, phantom: disc}\n"
    "solver: {type: mlem, iterations: 1}\n";

/// What is said where there are so many bytes; nothing where that is enough.
using Check = std::function<std::string(std::uint64_t available)>;

template <class Ask>
std::string told(const Ask& ask) {
  try {
    ask();
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

/// The bytes that are needed, of a message.
std::uint64_t figure_of(const std::string& message) {
  const std::size_t end = message.find(" bytes), and only");
  if (end == std::string::npos) throw std::runtime_error("no figure: " + message);
  return std::stoull(message.substr(message.rfind('(', end) + 1));
}

/// \p way is that of `operator`; `atomic`: windowed but for the transposed product.
template <class Scalar>
RunConfig config_of(const std::string& text, const std::string& way) {
  const bool is_atomic = way == "atomic";
  RunConfig config = configured(text, {"run.scalar=" + std::string(scalar_name<Scalar>()),
                                       "operator=" + (is_atomic ? "{transpose: windowed}" : way)});
  // The order of the pixels, which windows imply, stays.
  if (is_atomic) config.matrix_operator.transpose = TransposeMethod::atomic;
  return config;
}

template <class Scalar>
Check scan_check(const std::string& way, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(ct, way);
  const RunInput input = read_input(config);
  return [config, input, use](std::uint64_t available) {
    return told([&] {
      require_memory_to_build<TestSpace, Scalar>(TestSpace(), config, input, use, {}, available);
    });
  };
}

template <class Scalar>
Check scanner_check(const std::string& way, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(pet, way);
  const RunInput input = read_input(config);
  return [config, input, use](std::uint64_t available) {
    return told(
        [&] { counted_offsets<TestSpace, Scalar>(TestSpace(), config, input, use, available); });
  };
}

/// A matrix that has been read, of rows of 600 entries.
constexpr Ordinal read_rows = 3000, read_columns = 9000;
constexpr std::uint64_t read_nonzeros = std::uint64_t{600} * read_rows;

template <class Scalar>
Check read_check(const std::string& way, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(ct, way);
  HostCsrMatrix<Scalar> A;
  A.num_rows = read_rows;
  A.num_cols = read_columns;
  A.row_offsets = Kokkos::View<Offset*, Kokkos::HostSpace>("offsets", read_rows + 1);
  A.columns = Kokkos::View<Ordinal*, Kokkos::HostSpace>("columns", read_nonzeros);
  A.values = Kokkos::View<Scalar*, Kokkos::HostSpace>("values", read_nonzeros);
  return [config, A, use](std::uint64_t available) {
    return told(
        [&] { require_read_memory<TestSpace, Scalar>(TestSpace(), config, A, use, available); });
  };
}

/// Where the vectors fit, and the matrix does not.
std::uint64_t too_little(const Check& check) {
  std::uint64_t available = 1000;
  for (std::string message = check(available); message.find("nonzeros") == std::string::npos;
       message = check(available))
    available = figure_of(message);
  return available;
}

/// What is needed together.
std::uint64_t need_of(const Check& check) { return figure_of(check(too_little(check))); }

template <class Scalar>
void expect_windows(const Check& windowed, const Check& atomic, std::uint64_t rows,
                    std::uint64_t columns, std::uint64_t nonzeros) {
  const std::string message = windowed(too_little(windowed));
  const std::uint64_t need = figure_of(message);
  EXPECT_EQ(need - need_of(atomic),
            (windowed_construction_bytes<TestSpace, Scalar>(rows, columns, nonzeros / 256)))
      << message;
  EXPECT_NE(message.find("its windows and the vectors"), std::string::npos) << message;
  const std::uint64_t enough = need_of(atomic);
  EXPECT_NE(windowed(enough).find("these settings fit: operator.transpose: atomic (about"),
            std::string::npos)
      << windowed(enough);
  // The figure that refuses is the figure that is enough.
  EXPECT_EQ(windowed(need), "");
  EXPECT_EQ(figure_of(windowed(need - 1)), need);
}

template <class Scalar>
void check_windows() {
  const auto products = MatrixUse::products;
  const std::string windowed = "{transpose: windowed}", atomic = "atomic";
  const RunConfig config = configured(ct, {});
  const RunInput input = read_input(config);
  const auto nonzeros = static_cast<std::uint64_t>(count_nonzeros(TestSpace(), input.rows));
  expect_windows<Scalar>(scan_check<Scalar>(windowed, products),
                         scan_check<Scalar>(atomic, products), 3600, 6720, nonzeros);
  expect_windows<Scalar>(read_check<Scalar>(windowed, products),
                         read_check<Scalar>(atomic, products), read_rows, read_columns,
                         read_nonzeros);
  const Check scanner = scanner_check<Scalar>(windowed, products);
  const std::string message = scanner(too_little(scanner));
  EXPECT_NE(message.find("with its windows and the vectors it needs"), std::string::npos)
      << message;
  EXPECT_GT(figure_of(message), need_of(scanner_check<Scalar>(atomic, products)));
}

/// \p format with plain values is told of values of 16 bits where these would do, and only there.
void check_half(Check (*make)(const std::string&, MatrixUse), const std::string& format,
                MatrixUse use) {
  const Check plain = make("{format: " + format + "}", use);
  const Check half = make("{format: " + format + ", values: half}", use);
  const std::uint64_t least = too_little(plain);
  bool hinted = false, not_hinted = false;
  std::uint64_t available = least;
  for (std::string message = plain(available); !message.empty(); message = plain(available)) {
    const bool fits = half(available).empty();
    const bool is_named = message.find("these settings fit: ") != std::string::npos &&
                          message.find("operator.values: half (about") != std::string::npos;
    EXPECT_EQ(is_named, fits) << format << ", " << available << ": " << message;
    (fits ? hinted : not_hinted) = true;
    available += available / 25;
  }
  EXPECT_TRUE(hinted && not_hinted) << format;
  EXPECT_EQ(half(least).find("operator.values: half"), std::string::npos) << half(least);
}

TEST(MatrixMemory, windows_are_part_of_what_is_needed) {
  check_windows<float>();
  check_windows<double>();
}

TEST(MatrixMemory, each_of_several_ranks_needs_its_share) {
  const auto check = [](std::optional<ImageDistribution> image,
                        std::optional<Offset> counted) -> Check {
    RunConfig config = config_of<float>(ct, "{format: csr}");
    config.run.num_ranks = 4;
    config.run.rank_share = 0.25;
    config.run.ranks.image = image;
    const RunInput input = read_input(config);
    return [=](std::uint64_t available) {
      return told([&] {
        require_memory_to_build<TestSpace, float>(TestSpace(), config, input, MatrixUse::products,
                                                  counted, available);
      });
    };
  };
  const Check replicated = check(ImageDistribution::replicated, {}),
              split = check(ImageDistribution::split, {});
  const std::uint64_t pixels = 96 * 70;
  // Of six vectors one and a half, a whole image and one on its way.
  const std::uint64_t saved = 5 * pixels * sizeof(float) / 2;
  const std::uint64_t need = figure_of(replicated(1000));
  EXPECT_EQ(need - figure_of(split(1000)), saved);
  // Where it may still be split it is not refused.
  EXPECT_EQ(figure_of(check({}, {})(1000)), need - saved);
  // What others count is not counted here.
  EXPECT_EQ(split(need - saved), "");
  const auto with = [&](Offset counted) {
    return figure_of(check(ImageDistribution::split, counted)(need - saved));
  };
  EXPECT_EQ(with(8000000) - with(4000000), 1000000 * 2 * 8);  // and the stored transpose
  const std::string message = check(ImageDistribution::split, 4000000)(need);
  EXPECT_NE(message.find("has 4e+06 nonzeros; on each of 4 ranks"), std::string::npos) << message;
  EXPECT_EQ(check(ImageDistribution::split, 4000000)(figure_of(message)), "");
}

TEST(MatrixMemory, values_of_16_bits_are_named_where_they_fit) {
  check_half(scan_check<float>, "packed_csr", MatrixUse::products);
  check_half(scan_check<float>, "ray_tiles", MatrixUse::products);
  check_half(scan_check<float>, "ray_tiles", MatrixUse::tiles);
  check_half(read_check<float>, "packed_csr", MatrixUse::products);
  check_half(read_check<float>, "ray_tiles", MatrixUse::products);
  // Where there are none, and where they change nothing.
  for (const Check& check : {scan_check<float>("{format: pair_blocked}", MatrixUse::products),
                             scan_check<float>("{format: csr}", MatrixUse::products)}) {
    const std::string message = check(need_of(check) - 1);
    EXPECT_EQ(message.find("operator.values"), std::string::npos) << message;
  }
}

/// The settings of the ways that a message names: `a: b with c: d (about 3 MiB), or ...`.
std::vector<std::vector<std::string>> named_ways(const std::string& message) {
  const std::string begin = "these settings fit: ";
  std::vector<std::vector<std::string>> ways;
  std::size_t at = message.find(begin);
  if (at == std::string::npos) return ways;
  for (at += begin.size(); at < message.size();) {
    const std::size_t end = message.find(" (about ", at);
    std::vector<std::string> settings;
    for (std::size_t part = at; part < end;) {
      const std::size_t next = std::min(message.find(" with ", part), end);
      std::string setting = message.substr(part, next - part);
      settings.push_back(setting.replace(setting.find(": "), 2, "="));
      part = next == end ? end : next + 6;
    }
    ways.push_back(settings);
    const std::size_t more = message.find("), or ", end);
    at = more == std::string::npos ? message.size() : more + 6;
  }
  return ways;
}

/// What the check of \p config says, as the program asks it.
std::string told_of(const RunConfig& config, std::uint64_t available) {
  const RunInput input = read_input(config);
  const MatrixUse use = builds_tiles_directly(config) ? MatrixUse::tiles : MatrixUse::products;
  return told([&] {
    if (config.run.scalar == "float")
      require_memory_to_build<TestSpace, float>(TestSpace(), config, input, use, {}, available);
    else
      require_memory_to_build<TestSpace, double>(TestSpace(), config, input, use, {}, available);
  });
}

TEST(MatrixMemory, formats_that_are_named_fit_when_they_are_chosen) {
  const std::string square =
      "problem: {type: tomography, volume: {size: [96, 96]}, geometry: {views: 32, detectors: "
      "140}, phantom: disc}\nsolver: {type: sirt, iterations: 1}\n";
  std::set<std::string> named;
  for (const std::string& text : {ct, square})
    for (const char* format : {"csr", "automatic", "scsr"})
      for (const char* scalar : {"float", "double"}) {
        if (text == ct && format == std::string("scsr")) continue;
        const std::vector<std::string> base{"operator.format=" + std::string(format),
                                            "run.scalar=" + std::string(scalar)};
        const RunConfig config = configured(text, base);
        std::uint64_t available = 1 << 20;
        for (std::string message = told_of(config, available); !message.empty();
             message = told_of(config, available)) {
          EXPECT_TRUE(message.find("these settings fit: ") != std::string::npos ||
                      message.find("make the problem smaller") != std::string::npos)
              << message;
          for (const auto& way : named_ways(message)) {
            std::vector<std::string> settings = base;
            for (const std::string& setting : way) {
              named.insert(setting);
              settings.push_back(setting);
            }
            const std::string answer = told_of(configured(text, settings), available);
            EXPECT_EQ(answer, "") << message;
          }
          available += available / 3;
        }
      }
  EXPECT_EQ(named, (std::set<std::string>{
                       "operator.format=ray_tiles", "operator.format=scsr",
                       "operator.transpose=atomic", "operator={format: ray_tiles, values: half}",
                       "operator={format: scsr, transpose: atomic}", "run.scalar=float"}));
}

// A scan whose rays are not counted one by one.
TEST(MatrixMemory, a_scan_far_beyond_the_memory_is_refused_by_a_sample) {
  const RunConfig config = configured(
      "problem: {type: tomography, volume: {size: [512, 512]}, geometry: {views: 3000, detectors: "
      "512}, projector: line, phantom: disc}\nsolver: {type: sirt, iterations: 1}\n",
      {"operator.format=csr"});
  const std::string message = told_of(config, std::uint64_t{2} << 30);
  EXPECT_NE(message.find("has about 9.3"), std::string::npos) << message;
  // With its transpose, where there is room for that.
  EXPECT_NE(message.find("these settings fit: operator"), std::string::npos) << message;
  EXPECT_NE(message.find("format: scsr"), std::string::npos) << message;
  EXPECT_EQ(told_of(config, std::uint64_t{40} << 30), "");
}

}  // namespace
