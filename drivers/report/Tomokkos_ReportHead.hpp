// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Version.hpp>

namespace Tomokkos {

/// \brief What every report begins with: the configuration, and what runs it where.
template <class ExecutionSpace>
ConfigNode report_head(const ExecutionSpace& exec, const RunConfig& config) {
  ConfigNode node = ConfigNode::map();
  node.set("configuration", to_node(config));
  node.set("version", ConfigNode::text(version()));
  node.set("git", ConfigNode::text(git_commit()));
  node.set("kokkos", ConfigNode::text(kokkos_version()));
  node.set("backend", ConfigNode::text(backend_name<ExecutionSpace>()));
  node.set("device", ConfigNode::text(device_name(exec)));
  node.set("threads", ConfigNode::integer(host_threads()));
  return node;
}

}  // namespace Tomokkos
