// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What configurations say of block-circulant matrices, and how it is written again.
#include <Tomokkos_FormatKeys.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

namespace {

/// Where the number of blocks and the order of the vectors come from.
void read_blocks(const ConfigReader& reader, const ProblemSection& problem,
                 CirculantSection& result) {
  if (problem.traits().is_circulant) {
    reader.refuse_key("blocks", problem.traits().is_read
                                    ? "is of problem.matrix; those of a first row of blocks are "
                                      "problem.blocks"
                                    : "is of problem.matrix; a geometry has a block for each view");
    reader.refuse_key("circulant_order",
                      "is of problem.matrix; vectors of a first row of blocks are in the order "
                      "rotations");
    return;
  }
  if (problem.kind != ProblemKind::tomography || problem.matrix.empty())
    reader.fail("format",
                "block_circulant is of a tomography with problem.block_row, with problem.matrix "
                "and operator.blocks, or with geometry.type: cone_beam");
  reader.require_key("blocks", "into how many x how many blocks problem.matrix is divided");
  result.blocks = static_cast<Ordinal>(reader.integer("blocks", 1, 1, max_ordinal));
  result.order = reader.choice("circulant_order", result.order);
}

CirculantVariant read_variant(const ConfigReader& reader, std::string_view key) {
  const auto variant = reader.choice(key, CirculantVariant::automatic);
  if (variant == CirculantVariant::library)
    reader.fail(key,
                "library is the product of another library, which tomokkos bench measures and a "
                "run does not have; take automatic, or a variant of this one");
  return variant;
}

}  // namespace

void read_circulant_operator(const ConfigReader& reader, const ProblemSection& problem,
                             const SolverSection& solver, OperatorSection& result) {
  CirculantSection& section = result.circulant;
  if (const ConfigNode* format = reader.find("format")) section.format_position = format->position;
  read_blocks(reader, problem, section);
  if (has_sweeps(solver.kind()))
    reader.fail("format", std::string(to_string(solver.kind())) +
                              " visits single rows, which only csr offers");
  if (solver.takes_row_ranges())
    reader.fail("format", row_ranges_of(solver) + " are ranges of rows, which " +
                              formats_with_row_ranges() + " offer");
  refuse_format_keys(reader, "block_circulant");
  for (const char* key : {"symmetry", "stored_format", "transpose_format"})
    reader.refuse_key(key, "has no effect on the format block_circulant; it belongs to scsr");
  section.variant = read_variant(reader, "variant");
  result.transpose = *from_string<TransposeMethod>(
      reader.one_of("transpose", to_string(result.transpose), {"stored", "direct", "automatic"}));
  if (const ConfigNode* transpose = reader.find("transpose"))
    result.transpose_position = transpose->position;
  if (result.transpose == TransposeMethod::direct)
    reader.refuse_key("transpose_variant",
                      "is the variant of the product with the stored transpose; transpose: direct "
                      "has none");
  section.transpose_variant = read_variant(reader, "transpose_variant");
  result.ordering = read_ordering(reader, 1);
  if (result.ordering != OrderingOptions{})
    reader.fail("ordering", "block_circulant has an order of its own; allowed: natural");
}

ConfigNode circulant_operator_node(const OperatorSection& section, SolverKind solver) {
  const CirculantSection& circulant = section.circulant;
  const auto text_of = [](auto value) { return ConfigNode::text(std::string(to_string(value))); };
  ConfigNode node = ConfigNode::map();
  node.set("format", ConfigNode::text("block_circulant"));
  if (circulant.blocks > 0) {
    node.set("blocks", ConfigNode::integer(circulant.blocks));
    node.set("circulant_order", text_of(circulant.order));
  }
  node.set("variant", text_of(circulant.variant));
  if (uses_transpose(solver)) {
    node.set("transpose", text_of(section.transpose));
    if (section.transpose != TransposeMethod::direct)
      node.set("transpose_variant", text_of(circulant.transpose_variant));
  }
  node.set("ordering", ordering_node(section.ordering));
  return node;
}

}  // namespace Tomokkos
