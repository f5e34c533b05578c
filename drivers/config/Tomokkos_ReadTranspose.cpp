// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `operator.transpose`, and the variant of the product with a stored one.
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

void check_repeats(const ConfigReader& reader, const RunSection& run, const char* key,
                   SpmvVariant variant) {
  if (run.deterministic && !is_repeatable(variant))
    reader.fail(key, std::string(to_string(variant)) +
                         " adds in any order, which run.deterministic excludes");
}

void read_transpose(const ConfigReader& reader, const RunSection& run, const SolverSection& section,
                    OperatorSection& result) {
  const SolverKind solver = section.kind;
  const bool is_csr = result.is(MatrixFormat::csr);
  const bool is_paired = result.is(MatrixFormat::pair_blocked);
  if (!uses_transpose(solver))
    for (const char* key : {"transpose", "transpose_variant"})
      reader.refuse_key(key, "has no effect on the solver " + std::string(to_string(solver)) +
                                 ", which needs no transposed product");
  if (result.has_one_copy())
    reader.refuse_key("transpose", "has no effect on the format " + result.format_name() +
                                       ", whose one copy serves both products");
  // Pairs of rows have no copy; blocks and views are many ranges of rows, for which one is slow.
  const bool goes_by_ranges = solver == SolverKind::sart || solver == SolverKind::block_art;
  const bool may_be_csr = is_csr || result.is_automatic();
  if (is_paired || (may_be_csr && goes_by_ranges && !reader.find("transpose_variant")))
    result.transpose = TransposeMethod::automatic;
  result.transpose = reader.choice("transpose", result.transpose);
  if (const ConfigNode* transpose = reader.find("transpose"))
    result.transpose_position = transpose->position;
  const bool is_windowed = result.transpose == TransposeMethod::windowed;
  const bool is_private = result.transpose == TransposeMethod::private_images;
  const bool is_direct = result.transpose == TransposeMethod::direct;
  const bool is_fixed = result.transpose == TransposeMethod::fixed_point;
  if (is_paired && !is_fixed && result.transpose != TransposeMethod::atomic &&
      result.transpose != TransposeMethod::automatic)
    reader.fail("transpose", std::string(to_string(result.transpose)) +
                                 " is of other formats; allowed for pair_blocked: atomic, "
                                 "fixed_point, automatic");
  const bool has_images = is_csr || result.is(MatrixFormat::packed_csr);
  if ((is_windowed && !is_csr) || (is_private && !has_images) || is_direct ||
      (is_fixed && !is_paired))
    reader.fail("transpose", std::string(to_string(result.transpose)) +
                                 (is_direct    ? " is of block_circulant"
                                  : is_fixed   ? " is of pair_blocked"
                                  : is_private ? " is of csr and packed_csr"
                                               : " is of csr") +
                                 "; allowed for " + result.format_name() + ": stored, atomic, " +
                                 (has_images && run.backend != "cuda" ? "private, " : "") +
                                 ((is_direct || is_fixed) && is_csr ? "windowed, " : "") +
                                 "automatic");
  if (is_private && run.backend == "cuda")
    reader.fail("transpose",
                std::string("private keeps an image for each thread of a host; allowed on cuda: "
                            "stored, atomic, ") +
                    (is_csr ? "windowed, " : "") + "automatic");
  if (result.transpose == TransposeMethod::atomic || is_private || is_windowed)
    reader.refuse_key("transpose_variant",
                      "is the variant of the product with the stored "
                      "transpose; transpose: " +
                          std::string(to_string(result.transpose)) + " has none");
  if (result.symmetric) read_transpose_format(reader, section, result);
  result.transpose_variant = reader.choice("transpose_variant", result.transpose_variant);
  check_repeats(reader, run, "transpose_variant", result.transpose_variant);
}

}  // namespace Tomokkos
