// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configuration for `tomokkos run` that tests modify.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <vector>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

// Small valid run; every case changes something.
const std::string base = Testing::configuration("scan");

using Testing::parse;

[[maybe_unused]] RunConfig configure(const std::vector<std::string>& settings,
                                     const std::string& text = base,
                                     ConfigUse use = ConfigUse::run) {
  return Testing::configured(text, settings, use);
}

[[maybe_unused]] std::string error_of(const std::vector<std::string>& settings,
                                      const std::string& text = base) {
  return Testing::refusal_of(text, settings);
}

}  // namespace
