// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_request.hpp>

#include <algorithm>

#include <fmt/core.h>

#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/loop_key.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {

std::string loops_of(const LoopRequest& request) {
  std::string names;
  for (const LoopOrigin& origin : request.origins)
    names += (names.empty() ? "" : "+") + origin.loop;
  return names;
}

std::string where_is(const LoopRequest& request) {
  return fmt::format("loop '{}' ({})", loops_of(request), request.origins.front().call_site);
}

KernelCall call_of(const op_kernel_core& kernel, std::span<const Constant> declared,
                   const CompileLimit& limit) {
  KernelCall call{.name = kernel.name, .source = kernel.source};
  call.includes = read_includes(call.source, folder_of(kernel), limit);
  const auto identifiers = identifiers_in(call.source, call.includes);
  for (const Constant& constant : declared) {
    if (identifiers.contains(constant.name)) call.constants.push_back(shape_of(constant));
  }
  std::sort(call.constants.begin(), call.constants.end());
  return call;
}

core::Digest fingerprint_of(const LoopNest& nest) {
  KeyFields fields;
  add_nest(fields, nest);
  return make_key(fields);
}

}  // namespace op2::jit
