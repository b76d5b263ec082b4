// SPDX-License-Identifier: BSD-3-Clause
#include <jit/fact_finder.hpp>

#include <algorithm>
#include <climits>
#include <ctime>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <op2/version.hpp>

#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>
#include <jit/run_parallel.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

/// The request without what the source does not see: which dats and maps the arguments are, and
/// whether operations trap.
LoopRequest plain(LoopRequest request) {
  for (KernelCall& call : request.nest.calls) call.traps = false;
  for (ArgShape& arg : request.nest.args) arg = without_place(arg);
  return request;
}

bool asks(const LoopNest& nest) {
  return std::ranges::any_of(nest.calls.front().args, [&](const CallArg& arg) {
    return asks_for_facts(shape_of(nest, arg));
  });
}

const char* embedded_text(const LoopRequest& request) {
  const op_kernel kernel = request.origins.front().kernel;
  return kernel->facts != nullptr ? kernel->facts : "";
}

core::Digest name_of_facts(const LoopRequest& request) {
  const core::Digest nest = fingerprint_of(request.nest);
  return core::Hasher()
      .bytes(std::as_bytes(std::span(nest)))
      .field(embedded_text(request))
      .finish();
}

/// What the compiler may see of the machine, by names that begin with two underscores.
enum class Dependence { none, processor, device };

Dependence dependence_of(const KernelCall& call) {
  Dependence found = Dependence::none;
  for (const std::string& name : identifiers_in(call.source, call.includes)) {
    if (!name.starts_with("__") || name.starts_with("__restrict")) continue;
    if (name.starts_with("__CUDA") || name.starts_with("__NV")) return Dependence::device;
    found = Dependence::processor;
  }
  return found;
}

bool can_be_proven(const LoopNest& nest) {
  const KernelCall& call = nest.calls.front();
  return !call.source.empty() && dependence_of(call) != Dependence::device;
}

KeyFields fields_of_facts(const LoopNest& nest, const std::function<Target&()>& target) {
  KeyFields fields;
  fields.target = "facts";
  fields.generator =
      fmt::format("op2 " OP2_VERSION_STRING ", proof {}, {} bits in long, char from {}",
                  proof_version, 8 * sizeof(long), CHAR_MIN);
  if (dependence_of(nest.calls.front()) == Dependence::processor)
    add_machine(fields, target().info());
  add_nest(fields, nest);
  return fields;
}

/// Whether facts may be those of a kernel with these parameters.
bool fits(const std::vector<ArgumentFacts>& facts, const std::vector<ParameterShape>& parameters) {
  return std::ranges::equal(facts, parameters, [](const auto& fact, const auto& parameter) {
    const bool asked = asks_for_facts(parameter.arg);
    return (!fact.writes_all || (asked && parameter.arg.access == OP_WRITE)) &&
           (!(fact.only_adds || fact.only_lowers || fact.only_raises) ||
            (asked && parameter.arg.access == OP_RW)) &&
           (!fact.leaves_zero || asked);
  });
}

/// "writes it only on some paths (flux.hpp:12:3)"
std::string reason_of(const ArgumentFacts& facts, const LoopRequest& request) {
  if (facts.why.empty() || facts.file.empty()) return facts.why;
  const KernelContext context{request.origins.front(), {}, request.nest.calls.front().includes};
  const Diagnostic place{.severity = Diagnostic::Severity::note,
                         .file = facts.file,
                         .line = facts.line,
                         .column = facts.column};
  return fmt::format("{} ({})", facts.why, location_of(place, context));
}

/// @param found  of each parameter, or empty
KernelFacts facts_of_arguments(const std::vector<ArgumentFacts>& found,
                               const LoopRequest& request) {
  KernelFacts facts;
  std::size_t next = 0;
  for (const CallArg& arg : request.nest.calls.front().args) {
    if (arg.members == 0) {  // a further column of a vector argument
      facts.push_back(facts.back());
    } else if (next < found.size()) {
      const ArgumentFacts& of = found[next++];
      const ArgShape& shape = request.nest.args[arg.position];
      const bool is_missed = arg.access == OP_WRITE || shape.map >= 0;
      facts.push_back({of.writes_all, of.only_adds, of.only_lowers, of.only_raises, of.leaves_zero,
                       is_missed ? reason_of(of, request) : ""});
    } else {
      facts.emplace_back();
    }
  }
  return facts;
}

}  // namespace

std::vector<KernelFacts> FactFinder::find(std::span<const LoopRequest> requests,
                                          std::size_t threads) {
  std::vector<core::Digest> names;
  std::map<core::Digest, LoopRequest> missing;
  for (const LoopRequest& request : requests) {
    LoopRequest asked = plain(request);
    names.push_back(name_of_facts(asked));
    if (!is_known(asked, names.back())) missing.try_emplace(names.back(), std::move(asked));
  }
  const std::vector<std::pair<core::Digest, LoopRequest>> work(missing.begin(), missing.end());
  const std::vector<std::size_t> costs(work.size(), 1);
  run_parallel(costs, threads, [&](std::size_t n) { keep(work[n].first, prove(work[n].second)); });
  std::vector<KernelFacts> facts;
  for (std::size_t i = 0; i < requests.size(); ++i)
    facts.push_back(facts_of_arguments(in_memory(names[i]).value_or(Found{}), requests[i]));
  return facts;
}

std::optional<FactFinder::Found> FactFinder::in_memory(const core::Digest& name) {
  const std::lock_guard lock(mutex_);
  const auto known = memory_.find(name);
  return known != memory_.end() ? std::optional(known->second) : std::nullopt;
}

void FactFinder::keep(const core::Digest& name, Found found) {
  const std::lock_guard lock(mutex_);
  memory_.try_emplace(name, std::move(found));
}

/// Whether memory has it now, without the compiler.
bool FactFinder::is_known(const LoopRequest& request, const core::Digest& name) {
  if (!asks(request.nest) || in_memory(name)) return true;
  auto found = embedded_facts(embedded_text(request), parameters_of(request.nest, 0));
  if (!found && !can_be_proven(request.nest)) found = Found{};
  if (!found) found = on_disk(request);
  if (found) keep(name, std::move(*found));
  return found.has_value();
}

std::optional<FactFinder::Found> FactFinder::on_disk(const LoopRequest& request) {
  try {
    const KeyFields fields = fields_of_facts(request.nest, target_);
    const Key key = make_key(fields);
    auto entry = disk_().find(key, fields);
    if (!entry) return std::nullopt;
    if (fits(entry->facts, parameters_of(request.nest, 0))) return std::move(entry->facts);
    disk_().reject(key, "facts: they are not of this kernel's parameters");
  } catch (const std::exception&) {
    // The processor that the key needs is not known: there is no compiler.
  }
  return std::nullopt;
}

/// By the compiler; nothing if there is none.
FactFinder::Found FactFinder::prove(const LoopRequest& request) {
  try {
    CacheEntry entry;
    entry.key = fields_of_facts(request.nest, target_);
    entry.loop = loops_of(request);
    entry.created = std::time(nullptr);
    entry.facts = target_().read_kernels(request).facts;
    if (!fits(entry.facts, parameters_of(request.nest, 0))) return {};
    disk_().publish(make_key(entry.key), entry);
    return std::move(entry.facts);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace op2::jit
