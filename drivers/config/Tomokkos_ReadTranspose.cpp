// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `operator.transpose`, and the variant of the product with a stored one.
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace Tomokkos {

void check_repeats(const ConfigReader& reader, const RunSection& run, const char* key,
                   SpmvVariant variant) {
  if (run.deterministic && !is_repeatable(variant))
    reader.fail(key, std::string(to_string(variant)) +
                         " adds in any order, which run.deterministic excludes");
}

namespace {

/// The methods of the format that was asked for; of `automatic` those that all formats with a copy
/// have.
std::vector<TransposeMethod> methods_of(const OperatorSection& section) {
  if (section.is_automatic()) return {TransposeMethod::stored, TransposeMethod::atomic};
  return transpose_methods(format_of(*section.stored));
}

bool has(const std::vector<TransposeMethod>& methods, TransposeMethod method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

/// Which formats have `method`, as a message says it.
std::string owners_of(TransposeMethod method) {
  if (method == TransposeMethod::direct) return "block_circulant";
  std::vector<std::string> owners;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (has(transpose_methods(format), method)) owners.emplace_back(name);
  if (owners.size() > 2) return "other formats";
  return owners.size() == 2 ? owners[0] + " and " + owners[1] : owners[0];
}

/// The methods as they stand in their list, private images only where there are any.
std::string names_of(const std::vector<TransposeMethod>& methods, bool on_cuda) {
  std::string names;
  for (const auto& [method, name] : EnumNames<TransposeMethod>::names)
    if (has(methods, method) && !(on_cuda && method == TransposeMethod::private_images))
      names += std::string(name) + ", ";
  return names + "automatic";
}

/// Throws for a method that the format, or the backend, does not have.
void check_method(const ConfigReader& reader, const RunSection& run,
                  const OperatorSection& section) {
  const std::vector<TransposeMethod> methods = methods_of(section);
  const bool on_cuda = run.backend == "cuda";
  const TransposeMethod method = section.transpose;
  const std::string name(to_string(method));
  if (method != TransposeMethod::automatic && !has(methods, method))
    reader.fail("transpose", name + " is of " + owners_of(method) + "; allowed for " +
                                 section.format_name() + ": " + names_of(methods, on_cuda));
  if (method == TransposeMethod::private_images && on_cuda)
    reader.fail("transpose", name + " keeps an image for each thread of a host; allowed on cuda: " +
                                 names_of(methods, on_cuda));
}

}  // namespace

void read_transpose(const ConfigReader& reader, const RunSection& run, const SolverSection& section,
                    OperatorSection& result) {
  const SolverKind solver = section.kind();
  if (!uses_transpose(solver))
    for (const char* key : {"transpose", "transpose_variant"})
      reader.refuse_key(key, "has no effect on the solver " + std::string(to_string(solver)) +
                                 ", which needs no transposed product");
  if (result.has_one_copy())
    reader.refuse_key("transpose", "has no effect on the format " + result.format_name() +
                                       ", whose one copy serves both products");
  // Blocks and views are many ranges of rows, for which a copy is slow; some formats keep none.
  const bool goes_by_ranges = solver == SolverKind::sart || solver == SolverKind::block_art;
  const bool may_be_csr = result.is_automatic() || result.is(MatrixFormat::csr);
  const bool keeps_copies =
      result.has_one_copy() || has(methods_of(result), TransposeMethod::stored);
  if (!keeps_copies || (may_be_csr && goes_by_ranges && !reader.find("transpose_variant")))
    result.transpose = TransposeMethod::automatic;
  result.transpose = reader.choice("transpose", result.transpose);
  if (const ConfigNode* transpose = reader.find("transpose"))
    result.transpose_position = transpose->position;
  if (!result.has_one_copy()) check_method(reader, run, result);
  if (result.transpose == TransposeMethod::atomic ||
      result.transpose == TransposeMethod::private_images ||
      result.transpose == TransposeMethod::windowed)
    reader.refuse_key("transpose_variant",
                      "is the variant of the product with the stored transpose; transpose: " +
                          std::string(to_string(result.transpose)) + " has none");
  if (result.symmetric) read_transpose_format(reader, section, result);
  result.transpose_variant = reader.choice("transpose_variant", result.transpose_variant);
  check_repeats(reader, run, "transpose_variant", result.transpose_variant);
}

}  // namespace Tomokkos
