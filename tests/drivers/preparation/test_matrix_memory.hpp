// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory checks before a matrix is built, and the alternatives that their messages suggest.
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RunInput.hpp>
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

/// Returns the error message for this number of available bytes; empty if they are enough.
using Check = std::function<std::string(std::uint64_t available)>;

template <class Action>
std::string memory_error(const Action& action) {
  try {
    action();
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

/// Returns the number of needed bytes in \p message.
std::uint64_t needed_bytes(const std::string& message) {
  const std::size_t end = message.find(" bytes), and only");
  if (end == std::string::npos) throw std::runtime_error("no number of bytes: " + message);
  return std::stoull(message.substr(message.rfind('(', end) + 1));
}

/// Configuration with \p section as `operator`. `atomic` stands for the settings of windowed
/// products, except that the transposed product is atomic.
template <class Scalar>
RunConfig config_of(const std::string& text, const std::string& section) {
  const bool is_atomic = section == "atomic";
  RunConfig config =
      configured(text, {"run.scalar=" + std::string(scalar_name<Scalar>()),
                        "operator=" + (is_atomic ? "{transpose: windowed}" : section)});
  // Changing only the method keeps the order of the pixels that windows imply.
  if (is_atomic) config.matrix_operator.transpose = TransposeMethod::atomic;
  return config;
}

template <class Scalar>
Check scan_check(const std::string& section, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(ct, section);
  const RunInput input = read_input(config);
  return [config, input, use](std::uint64_t available) {
    return memory_error([&] {
      require_memory_to_build<TestSpace, Scalar>(TestSpace(), system_task(config, input), use, {},
                                                 available);
    });
  };
}

template <class Scalar>
Check scanner_check(const std::string& section, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(pet, section);
  const RunInput input = read_input(config);
  return [config, input, use](std::uint64_t available) {
    return memory_error([&] {
      counted_offsets<TestSpace, Scalar>(TestSpace(), system_task(config, input), use, available);
    });
  };
}

/// Size of a matrix that has been read. Every row has 600 entries.
constexpr Ordinal read_rows = 3000, read_columns = 9000;
constexpr std::uint64_t read_nonzeros = std::uint64_t{600} * read_rows;

template <class Scalar>
Check read_check(const std::string& section, MatrixUse use) {
  const RunConfig config = config_of<Scalar>(ct, section);
  const RunInput input = read_input(config);
  HostCsrMatrix<Scalar> A;
  A.num_rows = read_rows;
  A.num_cols = read_columns;
  A.row_offsets = Kokkos::View<Offset*, Kokkos::HostSpace>("offsets", read_rows + 1);
  A.columns = Kokkos::View<Ordinal*, Kokkos::HostSpace>("columns", read_nonzeros);
  A.values = Kokkos::View<Scalar*, Kokkos::HostSpace>("values", read_nonzeros);
  return [config, input, A, use](std::uint64_t available) {
    return memory_error([&] {
      require_read_memory<TestSpace, Scalar>(TestSpace(), system_task(config, input), A, use,
                                             available);
    });
  };
}

/// Returns a number of available bytes in which the vectors fit but not the matrix.
std::uint64_t enough_for_vectors(const Check& check) {
  std::uint64_t available = 1000;
  for (std::string message = check(available); message.find("nonzeros") == std::string::npos;
       message = check(available))
    available = needed_bytes(message);
  return available;
}

/// Returns the number of bytes that the vectors and the matrix need.
std::uint64_t total_need(const Check& check) {
  return needed_bytes(check(enough_for_vectors(check)));
}

/// Expects that messages for \p format with plain values suggest 16-bit values exactly where these
/// would fit.
void check_half(Check (*make_check)(const std::string&, MatrixUse), const std::string& format,
                MatrixUse use) {
  const Check plain = make_check("{format: " + format + "}", use);
  const Check half = make_check("{format: " + format + ", values: half}", use);
  const std::uint64_t least = enough_for_vectors(plain);
  bool suggested = false, not_suggested = false;
  std::uint64_t available = least;
  for (std::string message = plain(available); !message.empty(); message = plain(available)) {
    const bool fits = half(available).empty();
    const bool is_suggested = message.find("these settings fit: ") != std::string::npos &&
                              message.find("operator.values: half (about") != std::string::npos;
    EXPECT_EQ(is_suggested, fits) << format << ", " << available << ": " << message;
    (fits ? suggested : not_suggested) = true;
    available += available / 25;
  }
  EXPECT_TRUE(suggested && not_suggested) << format;
  EXPECT_EQ(half(least).find("operator.values: half"), std::string::npos) << half(least);
}

TEST(MatrixMemory, names_windows_and_the_bytes_that_are_exactly_enough) {
  for (const auto& make_check : {scan_check<float>, read_check<float>}) {
    const Check windowed = make_check("{transpose: windowed}", MatrixUse::products);
    const std::string message = windowed(enough_for_vectors(windowed));
    EXPECT_CONTAINS(message, "its windows and the vectors");
    const std::uint64_t need = needed_bytes(message);
    EXPECT_EQ(windowed(need), "");
    EXPECT_EQ(needed_bytes(windowed(need - 1)), need);
    const std::uint64_t enough = total_need(make_check("atomic", MatrixUse::products));
    EXPECT_CONTAINS(windowed(enough), "these settings fit: operator.transpose: atomic (about");
  }
  const Check scanner = scanner_check<float>("{transpose: windowed}", MatrixUse::products);
  EXPECT_CONTAINS(scanner(enough_for_vectors(scanner)),
                  "with its windows and the vectors it needs");
}

TEST(MatrixMemory, on_several_ranks_the_nonzeros_are_counted_elsewhere) {
  const RunConfig config = config_of<float>(ct, "{format: csr}");
  const RunInput input = read_input(config);
  SystemTask task = system_task(config, input);
  task.share = {4, 0.25, true};
  const auto check = [&](std::optional<Offset> counted, std::uint64_t available) {
    return memory_error([&] {
      require_memory_to_build<TestSpace, float>(TestSpace(), task, MatrixUse::products, counted,
                                                available);
    });
  };
  const std::uint64_t vectors = needed_bytes(check({}, 1000));
  EXPECT_EQ(check({}, vectors), "");
  const std::string message = check(4000000, vectors);
  EXPECT_CONTAINS(message, "has 4e+06 nonzeros; on each of 4 ranks");
  EXPECT_EQ(check(4000000, needed_bytes(message)), "");
}

TEST(MatrixMemory, suggests_16_bit_values_where_they_fit) {
  check_half(scan_check<float>, "packed_csr", MatrixUse::products);
  check_half(scan_check<float>, "ray_tiles", MatrixUse::products);
  check_half(scan_check<float>, "ray_tiles", MatrixUse::tiles);
  check_half(read_check<float>, "packed_csr", MatrixUse::products);
  check_half(read_check<float>, "ray_tiles", MatrixUse::products);
  // These formats have no 16-bit values.
  for (const Check& check : {scan_check<float>("{format: pair_blocked}", MatrixUse::products),
                             scan_check<float>("{format: csr}", MatrixUse::products)}) {
    const std::string message = check(total_need(check) - 1);
    EXPECT_EQ(message.find("operator.values"), std::string::npos) << message;
  }
}

/// Returns the settings of each suggestion in \p message: `a: b with c: d (about 3 MiB), or ...`.
std::vector<std::vector<std::string>> suggested_settings(const std::string& message) {
  const std::string begin = "these settings fit: ";
  std::vector<std::vector<std::string>> suggestions;
  std::size_t at = message.find(begin);
  if (at == std::string::npos) return suggestions;
  for (at += begin.size(); at < message.size();) {
    const std::size_t end = message.find(" (about ", at);
    std::vector<std::string> settings;
    for (std::size_t part = at; part < end;) {
      const std::size_t next = std::min(message.find(" with ", part), end);
      std::string setting = message.substr(part, next - part);
      settings.push_back(setting.replace(setting.find(": "), 2, "="));
      part = next == end ? end : next + 6;
    }
    suggestions.push_back(settings);
    const std::size_t more = message.find("), or ", end);
    at = more == std::string::npos ? message.size() : more + 6;
  }
  return suggestions;
}

/// Returns the error message of the check that the program makes for \p config; empty if it fits.
std::string check_message(const RunConfig& config, std::uint64_t available) {
  const RunInput input = read_input(config);
  const MatrixUse use =
      builds_tiles_directly(system_task(config, input)) ? MatrixUse::tiles : MatrixUse::products;
  return memory_error([&] {
    if (config.run.scalar == "float")
      require_memory_to_build<TestSpace, float>(TestSpace(), system_task(config, input), use, {},
                                                available);
    else
      require_memory_to_build<TestSpace, double>(TestSpace(), system_task(config, input), use, {},
                                                 available);
  });
}

TEST(MatrixMemory, suggested_settings_fit_when_they_are_used) {
  const std::string square =
      "problem: {type: tomography, volume: {size: [96, 96]}, geometry: {views: 32, detectors: "
      "140}, phantom: disc}\nsolver: {type: sirt, iterations: 1}\n";
  std::set<std::string> suggested;
  for (const std::string& text : {ct, square})
    for (const char* format : {"csr", "automatic", "scsr"})
      for (const char* scalar : {"float", "double"}) {
        if (text == ct && format == std::string("scsr")) continue;
        const std::vector<std::string> base{"operator.format=" + std::string(format),
                                            "run.scalar=" + std::string(scalar)};
        const RunConfig config = configured(text, base);
        std::uint64_t available = 1 << 20;
        for (std::string message = check_message(config, available); !message.empty();
             message = check_message(config, available)) {
          EXPECT_TRUE(message.find("these settings fit: ") != std::string::npos ||
                      message.find("make the problem smaller") != std::string::npos)
              << message;
          for (const auto& suggestion : suggested_settings(message)) {
            std::vector<std::string> settings = base;
            for (const std::string& setting : suggestion) {
              suggested.insert(setting);
              settings.push_back(setting);
            }
            const std::string answer = check_message(configured(text, settings), available);
            EXPECT_EQ(answer, "") << message;
          }
          available += available / 3;
        }
      }
  EXPECT_EQ(suggested,
            (std::set<std::string>{
                "operator.format=ray_tiles", "operator.format=scsr", "operator.transpose=atomic",
                "operator={format: computed}", "operator={format: ray_tiles, values: half}",
                "operator={format: scsr, transpose: atomic}", "run.scalar=float"}));
}

// The check samples the rays of this scan and does not count them all.
TEST(MatrixMemory, a_scan_far_too_large_for_memory_is_refused_from_a_sample) {
  const RunConfig config = configured(
      "problem: {type: tomography, volume: {size: [512, 512]}, geometry: {views: 3000, detectors: "
      "512}, projector: line, phantom: disc}\nsolver: {type: sirt, iterations: 1}\n",
      {"operator.format=csr"});
  const std::string message = check_message(config, std::uint64_t{2} << 30);
  EXPECT_CONTAINS(message, "has about 9.3");
  // The suggested scsr stores its transpose if there is room for it.
  EXPECT_CONTAINS(message, "these settings fit: operator");
  EXPECT_CONTAINS(message, "format: scsr");
  EXPECT_EQ(check_message(config, std::uint64_t{40} << 30), "");
}

}  // namespace
