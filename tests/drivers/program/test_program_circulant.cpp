// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices from files in the whole program.
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <cmath>

#include "program/CirculantProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using namespace CirculantProblem;

const std::string as_blocks = "problem={type: tomography, matrix: blocks.mtx, rhs: b_blocks.npy}";
const std::string as_rotations = "problem={type: tomography, matrix: rotations.mtx, rhs: b.npy}";

/// Replaces the file names in \p setting by their paths in \p folder, because `--set` reads paths
/// from the working directory.
std::string with_paths_in(const RunFolder& folder, const std::string& setting) {
  std::string result;
  std::istringstream words(setting);
  for (std::string word; std::getline(words, word, ' ');) {
    const auto end = word.find_first_of(",}");
    const std::string name = word.substr(0, end);
    if (!result.empty()) result.push_back(' ');
    if (name.ends_with(".mtx") || name.ends_with(".npy"))
      result.append(1, '"').append(folder / name).append(1, '"').append(word.substr(end));
    else
      result.append(word);
  }
  return result;
}

TEST(ProgramCirculant, every_form_of_the_matrix_gives_the_same_image) {
  for (const char* solver : {"mlem", "sirt", "cgls"}) {
    const RunFolder folder;
    write_files(folder, solver);
    run_well(folder, "row");
    const std::vector<double> expected = image(folder, "row");
    EXPECT_EQ(read_npy<double>(folder / "row/reconstruction.npy").shape,
              (std::vector<std::size_t>{block_cols, blocks}));
    EXPECT_EQ(read_npy<double>(folder / "row/sinogram.npy").shape,
              (std::vector<std::size_t>{block_rows, blocks}));
    // In conjugate gradients the rounding errors of the sums grow.
    const double tolerance = std::string(solver) == "cgls" ? 1e-6 : 1e-9;
    run_well(folder, "csr", {"operator.format=csr"});
    expect_close(image(folder, "csr"), expected, tolerance, "csr");
    run_well(folder, "sell", {"operator={format: sell, transpose: atomic}"});
    expect_close(image(folder, "sell"), expected, tolerance, "sell");
    run_well(folder, "rotations",
             {with_paths_in(folder, as_rotations),
              "operator={format: block_circulant, blocks: 8, circulant_order: rotations}"});
    expect_close(image(folder, "rotations"), expected, tolerance, "rotations");
    // The matrix in blocks.mtx is numbered block by block, and so is its image.
    run_well(folder, "blocks",
             {with_paths_in(folder, as_blocks), "operator={format: block_circulant, blocks: 8}"});
    expect_close(image(folder, "blocks"), to_blocks(expected, block_cols), tolerance, "blocks");
    run_well(folder, "plain", {with_paths_in(folder, as_blocks)});
    expect_close(image(folder, "plain"), to_blocks(expected, block_cols), tolerance, "plain");
  }
}

TEST(ProgramCirculant, every_variant_gives_the_same_image) {
  const RunFolder folder;
  write_files(folder);
  run_well(folder, "csr", {"operator.format=csr"});
  const std::vector<double> expected = image(folder, "csr");
  for (const auto& [variant, name] : EnumNames<CirculantVariant>::names) {
    if (variant == CirculantVariant::library) continue;
    const std::string text(name);
    run_well(folder, text, {"operator={variant: " + text + ", transpose_variant: " + text + "}"});
    expect_close(image(folder, text), expected, 1e-9, text);
    if (variant == CirculantVariant::automatic) continue;
    EXPECT_EQ(reported(folder, text, "operator.variant"), text);
    EXPECT_EQ(reported(folder, text, "operator.transpose_variant"), text);
  }
  for (const char* transpose : {"direct", "automatic"}) {
    run_well(folder, transpose, {"operator.transpose=" + std::string(transpose)});
    expect_close(image(folder, transpose), expected, 1e-9, transpose);
  }
  EXPECT_EQ(reported(folder, "direct", "operator.transpose"), "direct");
  EXPECT_EQ(reported(folder, "automatic", "operator.transpose"), "stored");
}

TEST(ProgramCirculant, values_beyond_16_bits_are_refused) {
  const RunFolder folder;
  write_files(folder);
  Entries rows = block_row();
  rows[0].begin()->second = 1e6;
  write(folder / "row.mtx", rows, block_cols * blocks);
  expect_failure(run_of(folder, "out", {"run.scalar=float", "operator.values=half"}),
                 {"operator.values: half: values of 16 bits"});
  EXPECT_FALSE(folder.has("out/report.yaml"));
}

TEST(ProgramCirculant, the_report_describes_the_block_row_and_the_whole_matrix) {
  const RunFolder folder;
  write_files(folder);
  run_well(folder, "out");
  const auto value = [&](const std::string& path) { return reported(folder, "out", path); };
  EXPECT_EQ(value("matrix.rows"), "240");
  EXPECT_EQ(value("matrix.columns"), "72");
  std::size_t stored = 0, distinct = 0;
  for (const auto& row : block_row()) {
    stored += row.size();
    std::map<Ordinal, int> columns;
    for (const auto& [column, number] : row) columns[column % block_cols] = 1;
    distinct += columns.size();
  }
  EXPECT_EQ(value("matrix.nonzeros"), std::to_string(8 * stored));
  EXPECT_EQ(value("operator.format"), "block_circulant");
  EXPECT_EQ(value("operator.blocks"), "8");
  EXPECT_EQ(value("operator.block_rows"), "30");
  EXPECT_EQ(value("operator.block_columns"), "9");
  EXPECT_EQ(value("operator.stored"), std::to_string(stored));
  EXPECT_NEAR(std::stod(value("operator.reuse")),
              static_cast<double>(stored) / static_cast<double>(distinct), 1e-12);
  const double row = 31 * 8 + 12.0 * static_cast<double>(stored);
  const double whole = 241 * 8 + 8 * 12.0 * static_cast<double>(stored);
  EXPECT_EQ(std::stod(value("operator.row_bytes")), row);
  EXPECT_EQ(std::stod(value("matrix.memory_bytes")), whole);
  EXPECT_NEAR(std::stod(value("operator.expanded")), whole / row, 1e-12);
}

TEST(ProgramCirculant, terms_and_a_start_give_the_same_image_as_csr) {
  const RunFolder folder;
  write_files(folder);
  std::vector<double> factors(240), start(72);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = 0.5 + static_cast<double>(i % 7);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = 1 + static_cast<double>(i % 3);
  write_npy<double>(folder / "n.npy", factors, {240});
  write_npy<double>(folder / "n_blocks.npy", to_blocks(factors, block_rows), {240});
  write_npy<double>(folder / "x.npy", start, {72});
  write_npy<double>(folder / "x_blocks.npy", to_blocks(start, block_cols), {72});
  const auto terms = [&](const std::string& n, const std::string& x) {
    return "solver={type: mlem, iterations: 10, background: 0.25, multiplicative: \"" +
           (folder / n) + "\", start: \"" + (folder / x) + "\"}";
  };
  run_well(folder, "csr", {"operator.format=csr", terms("n.npy", "x.npy")});
  run_well(folder, "row", {terms("n.npy", "x.npy")});
  run_well(folder, "blocks",
           {with_paths_in(folder, as_blocks), "operator={format: block_circulant, blocks: 8}",
            terms("n_blocks.npy", "x_blocks.npy")});
  expect_close(image(folder, "row"), image(folder, "csr"), 1e-9, "row");
  expect_close(image(folder, "blocks"), to_blocks(image(folder, "csr"), block_cols), 1e-9,
               "blocks");
}

TEST(ProgramCirculant, stacks_give_the_same_image_as_csr) {
  const RunFolder folder;
  write_files(folder);
  const std::string phantom =
      "problem={type: tomography, block_row: row.mtx, blocks: 8, volume: {size: [9, 8]}, phantom: "
      "disc, slices: 3, noise: {type: gaussian, sigma: 0.01}}";
  run_well(folder, "row", {with_paths_in(folder, phantom), "solver.type=sirt"});
  run_well(folder, "csr",
           {with_paths_in(folder, phantom), "solver.type=sirt", "operator.format=csr"});
  EXPECT_EQ(read_npy<double>(folder / "row/reconstruction.npy").shape,
            (std::vector<std::size_t>{3, 9, 8}));
  EXPECT_EQ(read_npy<double>(folder / "row/sinogram.npy").shape,
            (std::vector<std::size_t>{3, 30, 8}));
  expect_close(image(folder, "row"), image(folder, "csr"), 1e-9, "stack");
}

TEST(ProgramCirculant, slices_of_data_are_solved_together) {
  const RunFolder folder;
  write_files(folder);
  const std::vector<double> b = data(block_row());
  std::vector<double> stack;
  for (int slice = 0; slice < 3; ++slice)
    for (std::size_t i = 0; i < b.size(); ++i)
      stack.push_back(b[i] * (1 + 0.1 * slice * static_cast<double>(i % 4)));
  write_npy<double>(folder / "stack.npy", stack, {3, 30, 8});
  const auto problem = [&](const std::string& more) {
    return with_paths_in(
        folder, "problem={type: tomography, block_row: row.mtx, blocks: 8, rhs: " + more + "}");
  };
  for (const char* solver : {"{type: mlem, iterations: 6}", "{type: sirt, subsets: 4}"}) {
    const std::string settings = "solver=" + std::string(solver);
    run_well(folder, "stack", {settings, problem("stack.npy, slices: [1, 2]")});
    EXPECT_EQ(read_npy<double>(folder / "stack/reconstruction.npy").shape,
              (std::vector<std::size_t>{2, block_cols, blocks}));
    EXPECT_EQ(read_npy<double>(folder / "stack/sinogram.npy").shape,
              (std::vector<std::size_t>{2, 30, 8}));
    const std::vector<double> images = image(folder, "stack");
    run_well(folder, "csr",
             {settings, problem("stack.npy, slices: [1, 2]"), "operator.format=csr"});
    expect_close(images, image(folder, "csr"), 1e-9, "csr");
    for (std::size_t slice = 1; slice < 3; ++slice) {
      const auto first = stack.begin() + static_cast<std::ptrdiff_t>(slice * b.size());
      const std::vector<double> own(first, first + static_cast<std::ptrdiff_t>(b.size()));
      write_npy<double>(folder / "one.npy", own, {own.size()});
      run_well(folder, "one", {settings, problem("one.npy")});
      const auto of_slice = images.begin() + static_cast<std::ptrdiff_t>((slice - 1) * 72);
      expect_close({of_slice, of_slice + 72}, image(folder, "one"), 1e-9, "a slice alone");
    }
  }
  expect_failure(run_of(folder, "out", {problem("stack.npy, slices: [2, 2]")}),
                 {"holds 720 values", "problem.slices selects slices 2 to 3"});
}

TEST(ProgramCirculant, masks_give_the_same_image_as_csr) {
  const RunFolder folder;
  write_files(folder);
  // These masks belong to the matrix numbered block by block, whose views are the blocks.
  std::vector<float> pixels(72, 1), rays(240, 1);
  for (std::size_t i = 0; i < pixels.size(); i += 5) pixels[i] = 0;
  for (std::size_t i = 0; i < rays.size(); i += 7) rays[i] = 0;
  for (std::size_t i = 30; i < 60; ++i) rays[i] = 0;  // a whole view
  write_npy<float>(folder / "pixels.npy", pixels, {8, 9});
  write_npy<float>(folder / "rays.npy", rays, {8, 30});
  const std::string problem = with_paths_in(
      folder,
      "problem={type: tomography, matrix: blocks.mtx, rhs: b_blocks.npy, volume: {size: [8, 9]}, "
      "geometry: {views: 8, detectors: 30}, mask: pixels.npy, ray_mask: rays.npy}");
  for (const char* solver :
       {"{type: mlem, iterations: 6}", "{type: osem, subsets: 4, iterations: 3}",
        "{type: cgls, iterations: 4}", "{type: sart, sweeps: 2, order: golden}"}) {
    const std::string settings = "solver=" + std::string(solver);
    run_well(folder, "csr", {problem, settings});
    run_well(folder, "blocks",
             {problem, settings, "operator={format: block_circulant, blocks: 8}"});
    expect_close(image(folder, "blocks"), image(folder, "csr"), 1e-8, solver);
    for (const char* key : {"matrix", "data.mask", "data.ray_mask"})
      EXPECT_EQ(reported(folder, "blocks", key), reported(folder, "csr", key));
  }
  // The fingerprint of a checkpoint includes the masks.
  const std::vector<std::string> settings{problem, "operator={format: block_circulant, blocks: 8}",
                                          "output.checkpoint=5"};
  run_well(folder, "resumed", settings);
  pixels[1] = 0;
  pixels[0] = 1;
  write_npy<float>(folder / "pixels.npy", pixels, {8, 9});
  auto arguments = run_of(folder, "resumed", settings);
  arguments.insert(arguments.end(), {"--set", "solver.iterations=30", "--resume"});
  expect_failure(arguments, {"the checkpoint has another matrix"});
}

TEST(ProgramCirculant, subsets_of_views_give_the_same_image_as_csr) {
  for (const char* solver :
       {"{type: osem, subsets: 4, iterations: 5}", "{type: sirt, subsets: 2, iterations: 5}",
        "{type: os_sart, subsets: 4, sweeps: 3, order: golden}",
        "{type: os_sart, subsets: 8, sweeps: 3, order: random}"}) {
    const RunFolder folder;
    write_files(folder);
    const std::string settings = "solver=" + std::string(solver);
    run_well(folder, "csr", {settings, "operator.format=csr"});
    const std::vector<double> expected = image(folder, "csr");
    run_well(folder, "row", {settings});
    expect_close(image(folder, "row"), expected, 1e-9, solver);
    EXPECT_EQ(reported(folder, "row", "operator.ordering"), "subsets");
    run_well(folder, "direct", {settings, "operator={transpose: direct, variant: maxpy_8}"});
    expect_close(image(folder, "direct"), expected, 1e-9, solver);
    run_well(folder, "blocks",
             {settings, with_paths_in(folder, as_blocks),
              "operator={format: block_circulant, blocks: 8}"});
    expect_close(image(folder, "blocks"), to_blocks(expected, block_cols), 1e-9, solver);
    EXPECT_EQ(reported(folder, "row", "subsets"), reported(folder, "csr", "subsets"));
  }
}

TEST(ProgramCirculant, sart_visits_the_blocks) {
  const RunFolder folder;
  write_files(folder);
  // One view in each subset; the order golden does not depend on how subsets are stored.
  run_well(folder, "csr",
           {"operator.format=csr", "solver={type: os_sart, subsets: 8, sweeps: 4, order: golden}"});
  const std::vector<double> expected = image(folder, "csr");
  const std::string sart = "solver={type: sart, sweeps: 4, order: golden}";
  run_well(folder, "row", {sart});
  expect_close(image(folder, "row"), expected, 1e-9, "row");
  EXPECT_EQ(reported(folder, "row", "subsets.count"), "8");
  run_well(
      folder, "blocks",
      {sart, with_paths_in(folder, as_blocks), "operator={format: block_circulant, blocks: 8}"});
  expect_close(image(folder, "blocks"), to_blocks(expected, block_cols), 1e-9, "blocks");
  // In turn, SART is not OS-SART, whose subsets are stored in another order.
  run_well(folder, "in turn", {"solver={type: sart, sweeps: 4}"});
  EXPECT_NE(image(folder, "in turn"), image(folder, "row"));
  // Without the number of blocks in the configuration, the file gives it.
  run_well({"convert", folder / "c.yaml", folder / "row.npz"});
  const std::string npz = "problem.block_row=" + (folder / "row.npz");
  run_well(folder, "npz", {npz, "problem.blocks=", sart});
  EXPECT_EQ(image(folder, "npz"), image(folder, "row"));
  expect_failure(run_of(folder, "out", {npz, "problem.blocks=", "solver={type: sirt, subsets: 3}"}),
                 {"3 subsets do not divide the 8 blocks"});
}

TEST(ProgramCirculant, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder;
  write_files(folder);
  for (const char* form :
       {"", "operator={transpose: direct, variant: maxpy_4}", "solver.subsets=4"}) {
    const std::string output = *form == '\0' ? "stored" : *form == 'o' ? "direct" : "subsets";
    std::vector<std::string> settings{"output.checkpoint=5"};
    if (*form != '\0') settings.push_back(form);
    const auto with = [&](const std::string& more) {
      auto all = settings;
      all.push_back(more);
      return all;
    };
    run_well(folder, output + " all", with("solver.iterations=20"));
    run_well(folder, output, with("solver.iterations=10"));
    auto arguments = run_of(folder, output, with("solver.iterations=20"));
    arguments.push_back("--resume");
    run_well(arguments);
    EXPECT_EQ(reported(folder, output, "resumed.iteration"), "10");
    expect_same_file(folder, output, output + " all");
  }
  // Another matrix of the same shape, which differs in one value.
  Entries row = block_row();
  row[17].begin()->second += 0.125;
  write(folder / "row.mtx", row, block_cols * blocks);
  auto arguments = run_of(folder, "stored", {"output.checkpoint=5", "solver.iterations=30"});
  arguments.push_back("--resume");
  expect_failure(arguments, {"the checkpoint has another matrix"});
}

TEST(ProgramCirculant, gives_the_same_bytes_for_any_number_of_threads) {
  const RunFolder folder;
  write_files(folder);
  for (const char* transpose : {"stored", "direct"}) {
    const std::string name = transpose;
    for (const char* threads : {"1", "4"})
      run_well(folder, name + threads,
               {"run.deterministic=true", "run.threads=" + std::string(threads),
                "operator.transpose=" + name});
    expect_same_file(folder, name + "1", name + "4");
  }
}

TEST(ProgramCirculant, convert_and_info_keep_the_number_of_blocks) {
  const RunFolder folder;
  write_files(folder);
  // An .npz file stores the number of blocks, an .mtx file mentions it in a comment, and --expanded
  // writes the whole matrix.
  run_well({"convert", folder / "c.yaml", folder / "row.npz"});
  run_well({"convert", folder / "c.yaml", folder / "again.mtx"});
  run_well({"convert", folder / "c.yaml", folder / "all.mtx", "--expanded"});
  EXPECT_EQ(read_number_of_blocks(folder / "row.npz"), 8);
  EXPECT_EQ(read_number_of_blocks(folder / "again.mtx"), std::nullopt);
  EXPECT_CONTAINS(read_bytes(folder / "again.mtx"),
                  "% the first row of blocks of a block-circulant matrix of 8 x 8 blocks\n30 72 ");
  const auto expect_same_matrix = [&](const std::string& a, const std::string& b) {
    const auto A = read_matrix<double>(folder / a), B = read_matrix<double>(folder / b);
    ASSERT_EQ(A.num_rows, B.num_rows);
    ASSERT_EQ(A.num_cols, B.num_cols);
    ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
    for (Offset e = 0; e < A.num_nonzeros(); ++e) {
      ASSERT_EQ(A.columns(e), B.columns(e));
      ASSERT_EQ(A.values(e), B.values(e));
    }
  };
  expect_same_matrix("row.npz", "row.mtx");
  expect_same_matrix("again.mtx", "row.mtx");
  expect_same_matrix("all.mtx", "rotations.mtx");
  run_well(folder, "mtx");
  run_well(folder, "npz", {"problem.block_row=" + (folder / "row.npz"), "problem.blocks="});
  EXPECT_EQ(image(folder, "mtx"), image(folder, "npz"));

  const ProgramResult from_file = run_well({"info", folder / "row.npz"});
  const ProgramResult from_option = run_well({"info", folder / "row.mtx", "--blocks", "8"});
  const ProgramResult config = run_well({"info", folder / "c.yaml"});
  for (const ProgramResult* result : {&from_file, &from_option, &config})
    for (const char* piece : {"block_circulant:", "blocks: 8", "block_rows: 30", "block_columns: 9",
                              "reuse: ", "expanded_csr: {float: "})
      EXPECT_CONTAINS(result->out, piece);
  EXPECT_CONTAINS(config.out, "rows: 240");
  EXPECT_CONTAINS(from_option.out, "rows: 30");
  // The formats of the row as a matrix are listed once, and not for the whole matrix.
  EXPECT_EQ(from_option.out.find("csr_with_windows"), from_option.out.rfind("csr_with_windows"));
  EXPECT_EQ(run_program({"info", folder / "row.mtx"}).out.find("block_circulant"),
            std::string::npos);
}

TEST(ProgramCirculant, bad_input_is_refused_and_nothing_is_written) {
  const RunFolder folder;
  write_files(folder);
  run_well({"convert", folder / "c.yaml", folder / "row.npz"});
  // Row 2 of block row 3 must repeat row 2 of the first block row. One file changes an entry of it,
  // the other file lacks that entry.
  Entries C = whole(block_row(), true);
  auto& wrong = C[3 * block_rows + 2];
  const Ordinal column = wrong.begin()->first;
  wrong.begin()->second += 1;
  write(folder / "changed.mtx", C, block_cols * blocks);
  C = whole(block_row(), true);
  C[3 * block_rows + 2].erase(column);
  write(folder / "missing.mtx", C, block_cols * blocks);
  const std::size_t files = folder.count();
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    expect_failure(arguments, {message});
    EXPECT_EQ(folder.count(), files) << message;
  };
  const auto refused_run = [&](const std::vector<std::string>& settings,
                               const std::string& message) {
    refused(run_of(folder, "out", settings), message);
  };
  const std::string circulant = "operator={format: block_circulant, blocks: 8}";
  for (const char* file : {"changed.mtx", "missing.mtx"}) {
    const std::string problem = "problem={type: tomography, matrix: \"" + (folder / file) +
                                "\", rhs: \"" + (folder / "b_blocks.npy") + "\"}";
    refused_run({problem, circulant}, "operator.format: ");
    refused_run({problem, circulant}, std::to_string(column));
  }
  refused_run({with_paths_in(folder, as_blocks), "operator={format: block_circulant, blocks: 7}"},
              "operator.format: ");
  refused_run({with_paths_in(folder, as_rotations), circulant}, "operator.format: ");
  refused_run({"problem.blocks=7"},
              "72 columns, which are not divisible by 7 blocks (problem.blocks)");
  refused_run({"problem.block_row=" + (folder / "row.npz"), "problem.blocks=4"},
              "problem.blocks: is 4, but " + (folder / "row.npz") + " contains 8 blocks");
  refused_run({"problem.volume.size=[9, 9]"},
              "9 x 9 = 81 pixels, but the matrix " + (folder / "row.mtx") + " has 72 columns");
  refused_run({"problem.rhs=" + (folder / "row.mtx")}, "row.mtx");
  refused_run({"problem.block_row=" + (folder / "none.mtx")}, "none.mtx");
  refused({"convert", folder / "c.yaml", folder / "row.csr4"}, "cannot store a block row");
  refused({"convert", folder / "row.mtx", folder / "all.npz", "--expanded"},
          "applies only to a configuration");
  refused({"info", folder / "row.mtx", "--blocks", "5"}, "which this number does not divide");
  refused({"info", folder / "row.npz", "--blocks", "9"}, "contains 8 blocks");
  refused({"info", folder / "b.npy", "--blocks", "8"}, "applies only to a matrix file");
}

}  // namespace
