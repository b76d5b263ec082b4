// SPDX-License-Identifier: BSD-3-Clause
#include <sched/signature.hpp>

#include <cstring>
#include <map>

#include <fmt/format.h>

#include <core/access.hpp>
#include <core/hash.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

std::string describe_arg(const core::LoopArg& arg) {
  if (!arg.active) return "off";
  switch (arg.kind) {
    case OP_ARG_IDX:
      return fmt::format("index {} of {}", arg.column, arg.map != nullptr ? arg.map->name : "set");
    case OP_ARG_GBL:
    case OP_ARG_INFO:
      return fmt::format("global {} {} x{}", arg.global != nullptr ? arg.global->name : "raw",
                         core::name_of(arg.access), arg.dim);
    case OP_ARG_DAT:
      break;
  }
  const std::string through =
      arg.map == nullptr ? "" : fmt::format(" via {}[{}]", arg.map->name, arg.column);
  return fmt::format("{}{} {} x{}", arg.dat->name_storage, through, core::name_of(arg.access),
                     arg.dim);
}

}  // namespace

std::uint64_t fingerprint_of(const std::string& text) {
  const core::Digest digest = core::Hasher().field(text).finish();
  std::uint64_t fingerprint;
  std::memcpy(&fingerprint, digest.data(), sizeof fingerprint);
  return fingerprint;
}

std::string describe_queue(const core::Queue& queue) {
  std::map<op_kernel, std::uint64_t> texts;
  std::string text;
  for (const core::LoopRecord& r : queue.records()) {
    if (r.is_assignment()) {
      text += fmt::format("op_set_global '{}'\n", r.target->name);
      continue;
    }
    const auto [hash, fresh] = texts.try_emplace(r.kernel, 0);
    if (fresh) hash->second = fingerprint_of(r.kernel->source);
    text += fmt::format("{} on set '{}' of {} elements:", named_with_site(r), r.set->name,
                        r.set->global_size);
    for (const core::LoopArg& arg : queue.args_of(r))
      text += fmt::format(" [{}]", describe_arg(arg));
    text += fmt::format(" source={:016x}{}\n", hash->second,
                        r.traps ? ", floating-point traps on" : "");
  }
  return text;
}

}  // namespace op2::sched
