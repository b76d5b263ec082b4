// SPDX-License-Identifier: BSD-3-Clause
#include <sched/code.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <comm/messages/message_layer.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/hash.hpp>
#include <core/measurements/measurements.hpp>
#include <core/text.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <sched/analysis/order.hpp>
#include <sched/loop_requests.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
namespace {

/// One line per loop, for comparing ranks. Included files count too: they are read from disk, so
/// they may differ between ranks even if the programs are the same.
std::string describe_requests(std::span<const jit::LoopRequest> loops) {
  std::string lines;
  for (const jit::LoopRequest& request : loops) {
    const core::Digest digest = jit::fingerprint_of(request.nest);
    lines += fmt::format("code of loop '{}', kernel '{}', source={}", jit::loops_of(request),
                         jit::name_of(request.nest), core::to_hex(digest).substr(0, 16));
    for (const jit::KernelCall& call : request.nest.calls)
      for (const jit::IncludedFile& file : call.includes)
        lines += fmt::format(", {}={}", file.name,
                             core::to_hex(core::Hasher().field(file.text).finish()).substr(0, 16));
    lines += '\n';
  }
  return lines;
}

/// Of a rank that cannot run code.
constexpr core::Digest no_target{};

/// The bytes of a digest as words of a reduction.
std::vector<std::int64_t> words_of(const core::Digest& digest) {
  return comm::from_bytes<std::int64_t>(std::as_bytes(std::span(&digest, 1)));
}

/// Two ranks need code of different loops: names them, and theirs. Collective.
[[noreturn]] void refuse_loops(comm::Communicator& comm, const core::Digest& mine,
                               const std::string& lines) {
  const auto digests = comm::gather_records(comm, mine);
  const auto other = std::ranges::find_if(digests, [&](const auto& d) { return d != digests[0]; });
  const int peer = static_cast<int>(other - digests.begin());
  const std::string first = comm::text_of(comm.broadcast(comm::bytes_of(lines), 0));
  const std::string second = comm::text_of(comm.broadcast(comm::bytes_of(lines), peer));
  throw comm::collective_mismatch({0, 0, first}, {peer, 0, second});
}

/// All ranks throw if any two of them need code of different loops. Collective. Cost: a reduction.
/// @param lines   of the loops
/// @param target  of this rank
/// @return whether all ranks have the same target
bool compare(comm::Communicator& comm, const std::string& lines, const core::Digest& target) {
  const core::Digest mine = core::Hasher().field(lines).finish();
  const std::vector<std::int64_t> loops = words_of(mine), targets = words_of(target);
  comm::WordReduction words;
  words.minima = loops;
  words.minima.insert(words.minima.end(), targets.begin(), targets.end());
  words.maxima = words.minima;
  comm.reduce(words, "comparing loops without code");
  const auto differs = std::ranges::mismatch(words.minima, words.maxima).in1 - words.minima.begin();
  if (differs < std::ssize(loops)) refuse_loops(comm, mine, lines);
  return differs == std::ssize(words.minima);
}

/// A target, and the lowest rank that has it.
struct Leader {
  int rank;
  core::Digest target;
};

/// The leader of each target, in the order of the ranks. Collective. Cost: a reduction and a
/// broadcast of a few bytes per target.
/// @param mine  no_target: this rank cannot run code
std::vector<Leader> leaders_of(comm::Communicator& comm, const core::Digest& mine) {
  std::vector<Leader> leaders;
  for (bool is_led = mine == no_target;;) {
    comm::WordReduction first{{}, {is_led ? comm.size() : comm.rank()}, {}};
    comm.reduce(first, "finding who compiles");
    const int rank = static_cast<int>(first.minima.front());
    if (rank == comm.size()) return leaders;
    leaders.push_back({rank, comm::broadcast_record(comm, mine, rank)});
    is_led = is_led || leaders.back().target == mine;
  }
}

/// Collective. Who makes code of these loops; nobody if no rank can run code.
std::vector<Leader> leaders_for(comm::Communicator& comm, const std::string& lines,
                                const core::Digest& target) {
  if (!compare(comm, lines, target)) return leaders_of(comm, target);
  if (target == no_target) return {};
  return {{0, target}};
}

/// Collective. If any rank has an error, all get that of the lowest such rank.
void agree(comm::Communicator& comm, std::vector<jit::LoopCode>& codes) {
  comm::WordReduction words;
  for (const jit::LoopCode& code : codes)
    words.minima.push_back(code.error ? comm.rank() : comm.size());
  comm.reduce(words, "comparing errors of code");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int rank = static_cast<int>(words.minima[i]);
    if (rank != comm.size())
      codes[i] = {nullptr, comm::broadcast_error(comm, codes[i].error, rank)};
  }
}

/// "loop 'flow' (flow.cpp:12) and 3 other loops".
std::string calls_of(std::span<const jit::LoopRequest> requests) {
  const jit::LoopOrigin& first = requests.front().origins.front();
  const std::string text = fmt::format("loop '{}' ({})", first.loop, first.call_site);
  return requests.size() == 1 ? text : text + " and " + core::counted(requests.size() - 1, "other");
}

/// Collective. Code of loops that no rank has in memory.
std::vector<jit::LoopCode> make_on_leaders(jit::Jit& jit, comm::Communicator& comm,
                                           std::span<const jit::LoopRequest> missing) {
  core::Digest target = no_target;
  std::vector<jit::LoopCode> codes(missing.size());
  try {
    target = jit.target();
  } catch (const Error& error) {
    for (jit::LoopCode& code : codes) code.error = error;
  }
  const std::vector<Leader> leaders = leaders_for(comm, describe_requests(missing), target);
  if (std::ranges::find(leaders, comm.rank(), &Leader::rank) != leaders.end())
    codes = jit.make(missing);
  for (const Leader& leader : leaders) {
    const bool own = leader.rank == comm.rank();
    const comm::Waiting waiting(
        comm, [&] { return comm::WaitPurpose{"the code of " + calls_of(missing), "it compiles"}; });
    const comm::Bytes bytes =
        comm.broadcast(own ? jit::serialize(codes) : comm::Bytes(), leader.rank);
    if (leader.target == target && !own) codes = jit.adopt(missing, bytes);
  }
  agree(comm, codes);
  return codes;
}

}  // namespace

std::vector<jit::LoopCode> compile_together(jit::Jit& jit, comm::Communicator& comm,
                                            std::span<const jit::LoopRequest> requests) {
  if (comm.size() == 1) return jit.compile(requests);
  const std::vector<jit::LoopRequest> missing = jit.missing(requests);
  if (!missing.empty()) jit.keep(missing, make_on_leaders(jit, comm, missing));
  return jit.in_memory(requests);
}

namespace {

/// For the log.
std::string origin_of(const jit::CompiledLoop& code) {
  if (code.from_disk) return "from the cache directory";
  if (code.received) return "from another rank";
  return fmt::format("compiled in {:.0f} ms", 1e3 * code.compile_seconds);
}

/// "jit, SIMD width 8", "jit" or "cuda".
std::string describe_code(const jit::CompiledLoop& code) {
  if (code.target != jit::cpu_target_name) return code.target;
  return code.simd.vectorised() ? "jit, " + jit::description_of(code.simd) : "jit";
}

/// Whether only the address of the kernel is known.
bool is_function_alone(op_kernel kernel) {
  return *kernel->source == '\0';
}

/// The first dat with rows of an unknown type, or null.
const core::Dat* opaque_dat(std::span<const core::LoopArg> args) {
  const auto found = std::ranges::find_if(
      args, [](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat->is_untyped(); });
  return found == args.end() ? nullptr : found->dat;
}

std::vector<op_kernel> kernels_of(const core::Queue& queue, std::span<const std::size_t> records) {
  std::vector<op_kernel> kernels;
  for (const std::size_t record : records) kernels.push_back(queue.records()[record].kernel);
  return kernels;
}

std::size_t position_of(const Step& step, const Steps& steps) {
  return static_cast<std::size_t>(&step - steps.all.data());
}

std::vector<op_kernel> kernels_of(const Step& step) {
  std::vector<op_kernel> kernels(step.kernels.size());
  std::ranges::transform(step.kernels, kernels.begin(), &KernelUse::kernel);
  return kernels;
}

/// Of the CPU; devices have no vectors.
bool is_scalar(const jit::LoopCode& result) {
  return result.code != nullptr && result.code->target == jit::cpu_target_name &&
         !result.code->simd.vectorised();
}

}  // namespace

FusionRules CodeFinder::fusion_rules(const core::Queue& queue) const {
  return {.on = options_.fuse,
          .is_compiled =
              [this, &queue](const core::LoopRecord& loop) {
                return is_compiled(loop, queue.args_of(loop)) &&
                       !fallen_back_.contains(loop.kernel) &&
                       rules_->reason_for_host(loop.kernel, false, arg_shapes(queue.args_of(loop)))
                           .empty();
              },
          .stays_apart =
              [this, &queue](const std::vector<std::size_t>& records) {
                return !unfusable_.empty() && unfusable_.contains(kernels_of(queue, records));
              },
          .target = rules_,
          .gathers = gathers_ && rules_->gathers(),
          .reproducible = options_.reproducible};
}

std::string CodeFinder::host_reason(const Step& step) const {
  return rules_->reason_for_host(step.kernels.front().kernel, step.colouring != nullptr,
                                 arg_shapes(step.args));
}

Code CodeFinder::find(const core::Queue& queue, LoopRequests& loops, const Steps& steps) {
  Code code;
  code.steps.resize(steps.all.size());
  std::vector<const Step*> asked;
  std::vector<jit::LoopRequest> requests;
  for (const Step& step : steps.all) {
    if (!step.runs()) continue;
    const core::LoopRecord& loop = queue.records()[step.record];
    if (!is_compiled(loop, step.args)) {
      if (options_.reproducible) refuse_host(loop, loops.mesh(), step.args);
      take(queue, loops.mesh(), step, {}, code.steps[position_of(step, steps)]);
      continue;
    }
    check_can_run(loop);
    asked.push_back(&step);
    requests.push_back(loops.request_for(queue, step));
  }
  if (requests.empty()) return code;
  if (options_.dump.contains("source"))
    for (std::size_t n = 0; n < requests.size(); ++n)
      log_.dump(maker_for(*asked[n]).compiled_source(requests[n].nest));
  const std::vector<jit::LoopCode> codes = compile(requests, asked);
  code.regroup = reject_bad_fusions(queue, loops, asked, codes);
  code.regroup = fall_back_before_gathering(queue, asked, codes) || code.regroup;
  for (std::size_t n = 0; n < asked.size() && !code.regroup; ++n)
    take(queue, loops.mesh(), *asked[n], codes[n], code.steps[position_of(*asked[n], steps)]);
  return code;
}

/// A device runs no loop whose elements have an order, or whose bits would be others there.
jit::Jit& CodeFinder::maker_for(const Step& step) const {
  const bool on_target =
      makers_.host == nullptr || (step.order == Order::any && host_reason(step).empty());
  return on_target ? makers_.target : *makers_.host;
}

/// Collective. The code of all steps, of which a device runs some and the host the others.
std::vector<jit::LoopCode> CodeFinder::compile(std::span<const jit::LoopRequest> requests,
                                               std::span<const Step* const> steps) {
  if (makers_.host == nullptr) return compile_together(makers_.target, communicator_, requests);
  std::vector<jit::LoopCode> codes(requests.size());
  for (jit::Jit* maker : {&makers_.target, makers_.host}) {
    std::vector<std::size_t> positions;
    std::vector<jit::LoopRequest> wanted;
    for (std::size_t n = 0; n < requests.size(); ++n) {
      if (&maker_for(*steps[n]) != maker) continue;
      positions.push_back(n);
      wanted.push_back(requests[n]);
    }
    if (wanted.empty()) continue;
    std::vector<jit::LoopCode> compiled = compile_together(*maker, communicator_, wanted);
    for (std::size_t k = 0; k < positions.size(); ++k) codes[positions[k]] = std::move(compiled[k]);
  }
  return codes;
}

/// Remembers fused steps that have no code, or whose code is scalar on some rank although that of
/// the loops alone is vectorised. Collective. Cost: a reduction if there is fused code that was not
/// compared before; if it is scalar, the code of its loops alone, and a reduction for it.
/// @return whether there are any
bool CodeFinder::reject_bad_fusions(const core::Queue& queue, LoopRequests& loops,
                                    std::span<const Step* const> steps,
                                    std::span<const jit::LoopCode> codes) {
  std::vector<std::size_t> fused;  // uniform: all ranks have the same code in memory
  std::vector<char> scalar;        // ranks may have other processors
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!steps[n]->fused() || good_fusions_.contains(codes[n].code.get())) continue;
    fused.push_back(n);
    scalar.push_back(is_scalar(codes[n]) ? 1 : 0);
  }
  comm::combine_flags(scalar, communicator_, "comparing fused loops that are not vectorised");
  bool any = false;
  for (std::size_t k = 0; k < fused.size(); ++k) {
    const Step& step = *steps[fused[k]];
    const jit::LoopCode& code = codes[fused[k]];
    const bool is_bad =
        code.error || (scalar[k] != 0 && rules_->allows_vectors(arg_shapes(step.args)) &&
                       loses_vectors(queue, loops, step));
    if (is_bad)
      unfusable_.insert(kernels_of(step));
    else if (code.code != nullptr)
      good_fusions_.insert(code.code.get());
    any = any || is_bad;
  }
  return any;
}

/// A step grows loop by loop: it is enough to refuse the first one that uses the sums.
void CodeFinder::stop_gathering(const Step& step) {
  std::vector<op_kernel> kernels = kernels_of(step);
  kernels.resize(step.gathered().size() + 1);
  unfusable_.insert(std::move(kernels));
}

/// Steps that gather move rows to where the host does not look for them. So if the host must run a
/// loop after all, the steps are made anew. @return whether that is so
bool CodeFinder::fall_back_before_gathering(const core::Queue& queue,
                                            std::span<const Step* const> steps,
                                            std::span<const jit::LoopCode> codes) {
  if (std::ranges::none_of(steps, &Step::gathers)) return false;
  bool any = false;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!codes[n].error || steps[n]->fused()) continue;
    fall_back(queue.records()[steps[n]->record], *codes[n].error);
    any = true;
  }
  return any;
}

/// Collective. Whether the code of a loop alone is vectorised on any rank.
bool CodeFinder::loses_vectors(const core::Queue& queue, LoopRequests& loops, const Step& fused) {
  std::vector<jit::LoopRequest> requests;
  for (const KernelUse& use : fused.kernels)
    requests.push_back(loops.request_for(queue, step_of(queue, use.record)));
  std::vector<char> vectorised(1, 0);
  for (const jit::LoopCode& alone : compile_together(makers_.target, communicator_, requests))
    if (alone.code != nullptr && alone.code->simd.vectorised()) vectorised[0] = 1;
  comm::combine_flags(vectorised, communicator_, "comparing which loops are vectorised");
  return vectorised[0] != 0;
}

void CodeFinder::take(const core::Queue& queue, const core::Mesh& mesh, const Step& step,
                      const jit::LoopCode& made, StepCode& code) {
  const core::LoopRecord& loop = queue.records()[step.record];
  if (made.error) fall_back(loop, *made.error);
  code.compiled = made.code.get();
  if (makers_.host != nullptr) report_host(loop, mesh, step, made);
  if (made.code != nullptr) return report(loop, *made.code);
  if (const core::FunctionKernel* function = mesh.function_of(loop.kernel))
    code.variables = function->variables;
}

/// Warns once if a loop runs on the host although the target is a device.
void CodeFinder::report_host(const core::LoopRecord& loop, const core::Mesh& mesh, const Step& step,
                             const jit::LoopCode& made) {
  if (made.error || (made.code != nullptr && &maker_for(step) == &makers_.target)) return;
  const std::string reason = host_reason(step);
  const std::string why = made.code == nullptr     ? describe_host(loop, mesh, step.args)
                          : !reason.empty()        ? "host: " + reason
                          : has_payload(step.args) ? "host: an element sets a global"
                                                   : "host: the order of its elements matters";
  const char* const part = reason.empty() || !options_.reproducible ? "one thread of " : "";
  constexpr auto say = "{} runs on {}the {}; data are copied from the device and back";
  const std::string which = named_with_site(loop);
  log_.warning_once(which + " on the host", fmt::format(say, which, part, why));
}

void CodeFinder::report(const core::LoopRecord& loop, const jit::CompiledLoop& code) {
  if (!log_.logs(core::LogLevel::debug)) return;
  log_.debug(fmt::format("loop '{}': kernel '{}' {}", loop.name, loop.kernel->name,
                         logged_.insert(&code).second ? origin_of(code) : "has code in memory"));
}

/// Runs the kernel as a host function from now on; throws if it must not or cannot.
void CodeFinder::fall_back(const core::LoopRecord& loop, const Error& error) {
  const ErrorCode code = error.code();
  constexpr ErrorCode final_codes[]{ErrorCode::internal,       ErrorCode::bad_option,
                                    ErrorCode::kernel_access,  ErrorCode::device_compiler,
                                    ErrorCode::device_failure, ErrorCode::out_of_memory,
                                    ErrorCode::kernel_include};
  const bool final = std::ranges::find(final_codes, code) != std::end(final_codes);
  if (loop.kernel->host == nullptr || options_.jit == core::JitMode::require || final) throw error;
  fallen_back_[loop.kernel] = static_cast<int>(code);
  const bool about_kernel = code < ErrorCode::bad_option || code == ErrorCode::link_failure;
  const std::string what =
      about_kernel ? fmt::format("kernel '{}' runs", loop.kernel->name) : "kernels run";
  const std::string topic =
      about_kernel ? fmt::format("{}, {}:{}", what, loop.kernel->file, loop.kernel->line) : what;
  log_.warning_once(topic,
                    fmt::format("{} as a host function on one thread: {}", what, error.what()));
}

bool CodeFinder::wants_host(op_kernel kernel) const {
  return kernel->host != nullptr &&
         (is_function_alone(kernel) || options_.target == core::Target::reference ||
          options_.jit == core::JitMode::off);
}

bool CodeFinder::is_compiled(const core::LoopRecord& loop,
                             std::span<const core::LoopArg> args) const {
  return opaque_dat(args) == nullptr && !wants_host(loop.kernel);
}

void CodeFinder::check_can_run(const core::LoopRecord& loop) const {
  if (options_.jit == core::JitMode::off)
    core::fail(ErrorCode::bad_option,
               "OP2_JIT=off cannot run the kernel: loop '{}' ({}), kernel '{}' has no host "
               "function; use OP_KERNEL or OP2_JIT=on",
               loop.name, site_of(loop), loop.kernel->name);
}

void CodeFinder::refuse_host(const core::LoopRecord& loop, const core::Mesh& mesh,
                             std::span<const core::LoopArg> args) const {
  core::fail(ErrorCode::bad_option,
             "OP2_REPRODUCIBLE=on runs compiled kernels alone: loop '{}' ({}), kernel '{}': {}; "
             "give its source, by OP_KERNEL or op2-embed-kernels",
             loop.name, site_of(loop), loop.kernel->name, describe_host(loop, mesh, args));
}

bool CodeFinder::names_constants(op_kernel kernel, const core::Mesh& mesh) {
  if (const core::FunctionKernel* function = mesh.function_of(kernel))
    return is_function_alone(kernel) ||
           !function->variables.empty();  // without a source it may name any
  if (constants_looked_for_ != mesh.constants().size()) {
    names_constants_.clear();
    constants_looked_for_ = mesh.constants().size();
  }
  const auto [answer, fresh] = names_constants_.try_emplace(kernel, false);
  if (fresh) answer->second = !call_of(mesh, kernel).constants.empty();
  return answer->second;
}

std::vector<std::string> CodeFinder::describe(const core::Queue& queue, const core::Mesh& mesh,
                                              const Plan& plan) const {
  std::vector<std::string> descriptions;
  for (std::size_t s = 0; s < plan.code.size(); ++s) {
    const Step& step = plan.steps.all[s];
    if (!step.runs())
      descriptions.emplace_back();
    else if (plan.code[s].compiled == nullptr)
      descriptions.push_back(describe_host(queue.records()[step.record], mesh, step.args));
    else if (step.order == Order::any)
      descriptions.push_back(describe_code(*plan.code[s].compiled));
    else
      descriptions.emplace_back(step.order == Order::by_rows ? "jit, by rows" : "jit, in order");
  }
  return descriptions;
}

/// Why a loop runs as a host function.
std::string CodeFinder::describe_host(const core::LoopRecord& loop, const core::Mesh& mesh,
                                      std::span<const core::LoopArg> args) const {
  const std::string ordered = has_payload(args) ? ", in order" : "";
  if (const auto failed = fallen_back_.find(loop.kernel); failed != fallen_back_.end())
    return fmt::format("{}{}){}", core::fell_back, failed->second, ordered);
  const core::Dat* opaque = opaque_dat(args);
  const core::FunctionKernel* function = mesh.function_of(loop.kernel);
  if (function != nullptr && !function->why_no_source.empty())
    return fmt::format("host: {}{}", function->why_no_source, ordered);
  if (opaque == nullptr) return (keeps_off_device() ? "host: OP2_JIT=off" : "host") + ordered;
  return fmt::format("host: the rows of dat '{}' are opaque{}", opaque->name_storage, ordered);
}

}  // namespace op2::sched
