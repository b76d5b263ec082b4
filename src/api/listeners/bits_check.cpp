// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>
#include <sched/loop_requests.hpp>
#include <sched/reductions.hpp>

namespace op2::api {
namespace {

/// What OP2_TARGET=reference means for the reproducible mode, with the same local rows.
core::Options plain_way(core::Options options) {
  options.target = core::Target::cpu;
  options.threads = 1;
  options.simd = core::SimdMode::off;
  options.tile.mode = core::TileMode::off;
  options.chain = core::ChainMode::off;
  options.fuse = false;
  options.eliminate_dead_loops = false;
  options.dump = {};
  return options;
}

using Bytes = std::vector<std::byte>;

/// A dat, a global or a variable of the program that the loops of a queue may change, and its
/// value.
struct SavedValue {
  core::Dat* dat = nullptr;
  core::Global* global = nullptr;
  std::byte* variable = nullptr;  ///< that a loop reduces
  std::uint32_t arg = 0;          ///< by this argument, the last one that does
  Type type{};
  Bytes bytes;            ///< of a dat: shape [local rows x dim]; later there may be more rows
  bool is_freed = false;  ///< a dat by the program: its values are not defined after the queue
  Bytes partial{};        ///< of a global: empty: it has none
  op_access partial_access{};
  bool partial_is_exact = false, nan_wins = false;

  /// "dat 'q' on set 'cells', element 3", "global 'rms'" or "arg 2".
  std::string name(std::int64_t element) const {
    if (dat != nullptr)
      return fmt::format("dat '{}' on set '{}', element {}", dat->name_storage,
                         dat->on().name_storage, element);
    return global != nullptr ? fmt::format("global '{}'", global->name_storage)
                             : fmt::format("arg {}", arg);
  }
};

/// Dats, then globals, then variables, each in the order in which the queue names them: the same on
/// all ranks.
using SavedValues = std::vector<SavedValue>;

Bytes copy_of(const core::Array& array) {
  const std::byte* const begin = array.host_read();
  return {begin, begin + array.bytes()};
}

/// Of dats that the program has freed, too: loops of the queue may still read what they have.
/// Local.
SavedValues save_values(const core::Queue& queue, const core::Mesh& mesh) {
  SavedValues dats, globals, variables;
  const auto save_dat = [&](core::Dat* dat) {
    if (std::ranges::find(dats, dat, &SavedValue::dat) == dats.end())
      dats.push_back({.dat = dat,
                      .type = dat->value_type,
                      .bytes = copy_of(dat->rows),
                      .is_freed = !mesh.knows(dat)});
  };
  const auto save_global = [&](core::Global* global) {
    if (std::ranges::find(globals, global, &SavedValue::global) == globals.end())
      globals.push_back({.global = global,
                         .type = global->value_type,
                         .bytes = copy_of(global->value),
                         .partial = global->has_partial ? copy_of(global->partial) : Bytes(),
                         .partial_access = global->partial_access,
                         .partial_is_exact = global->partial_is_exact,
                         .nan_wins = global->nan_wins});
  };
  for (const core::LoopRecord& record : queue.records()) {
    if (record.is_assignment()) save_global(record.target);
    const std::span<const core::LoopArg> args = queue.args_of(record);
    for (std::uint32_t k = 0; k < args.size(); ++k) {
      const core::LoopArg& arg = args[k];
      if (arg.modifies_dat()) save_dat(arg.dat);
      if (!arg.is_reduction()) continue;
      if (arg.global != nullptr) {
        save_global(arg.global);
        continue;
      }
      auto* const address = static_cast<std::byte*>(queue.values_of(record)[k].user);
      std::erase_if(variables, [&](const SavedValue& known) { return known.variable == address; });
      variables.push_back({.variable = address,
                           .arg = k,
                           .type = arg.type,
                           .bytes = {address, address + core::size_of(arg.type, arg.dim)}});
    }
  }
  for (SavedValues* const more : {&globals, &variables})
    std::ranges::move(*more, std::back_inserter(dats));
  return dats;
}

void restore_partial(const SavedValue& saved, core::Global& global) {
  global.has_partial = !saved.partial.empty();
  if (global.has_partial) global.partial.replace(core::bytes_of(saved.partial));
  global.partial_access = saved.partial_access;
  global.partial_is_exact = saved.partial_is_exact;
  global.nan_wins = saved.nan_wins;
}

/// Puts the values back. Rows that were added since keep theirs.
void restore(const SavedValues& values) {
  for (const SavedValue& saved : values) {
    if (saved.bytes.empty()) continue;
    std::byte* to = saved.variable;
    if (saved.dat != nullptr) to = saved.dat->rows.host_write().get();
    if (saved.global != nullptr) to = saved.global->value.host_write().get();
    std::memcpy(to, saved.bytes.data(), saved.bytes.size());
    if (saved.global != nullptr) restore_partial(saved, *saved.global);
  }
}

/// The values of the globals, in their order, as a program would get them now. Collective.
std::vector<Bytes> values_of_globals(const SavedValues& values, comm::Communicator& ranks) {
  std::deque<core::Global> globals;
  std::vector<core::Global*> wanted;
  for (const SavedValue& saved : values) {
    if (saved.global == nullptr) continue;
    core::Global& global = globals.emplace_back();
    static_cast<op_global_core&>(global) = *saved.global;
    global.value_type = saved.type;
    global.value.replace(core::bytes_of(saved.bytes));
    restore_partial(saved, global);
    if (global.has_partial) wanted.push_back(&global);
  }
  sched::combine(wanted, ranks);
  std::vector<Bytes> combined;
  for (const core::Global& global : globals) combined.push_back(copy_of(global.value));
  return combined;
}

/// A value that is not the same, of this rank.
struct Difference {
  std::size_t position = 0;  ///< in SavedValues
  std::int64_t element = 0;  ///< global index, of a dat
  int component = 0;
  std::string one, other;
  std::int64_t count = 0;  ///< of such values at this position, on this rank
};

/// Whether two values are the same for the guarantee of the reproducible mode.
template <class T>
bool same(const T& one, const T& other) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(one) && std::isnan(other)) return true;
  return std::memcmp(&one, &other, sizeof(T)) == 0;
}

/// The difference of the lowest element. Rows that this rank does not own and dats that are freed
/// are not compared; all NaN are the same.
std::optional<Difference> difference_of(const SavedValue& saved, const Bytes& one,
                                        const Bytes& other) {
  if (saved.is_freed) return {};
  std::size_t bytes = std::min(one.size(), other.size()), row_bytes = bytes;
  if (saved.dat != nullptr) {
    row_bytes = static_cast<std::size_t>(saved.dat->size);
    bytes = static_cast<std::size_t>(saved.dat->on().layout->owned()) * row_bytes;
  }
  std::optional<Difference> first;
  std::int64_t count = 0;
  core::with_type(saved.type, [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, one.data() + at, sizeof(T));
      std::memcpy(&b, other.data() + at, sizeof(T));
      if (same(a, b)) continue;
      ++count;
      const auto row = static_cast<std::int64_t>(at / row_bytes);
      const std::int64_t element = saved.dat != nullptr ? saved.dat->on().global_index(row) : 0;
      if (!first || element < first->element)
        first = Difference{.element = element,
                           .component = static_cast<int>(at % row_bytes / sizeof(T)),
                           .one = fmt::format("{}", a),
                           .other = fmt::format("{}", b)};
    }
  });
  if (first) first->count = count;
  return first;
}

/// The first difference: of the lowest position. Collective: it gives globals their values, in
/// copies.
std::optional<Difference> find_difference(const SavedValues& one, const SavedValues& other,
                                          comm::Communicator& ranks) {
  const std::vector<Bytes> globals = values_of_globals(one, ranks);
  const std::vector<Bytes> other_globals = values_of_globals(other, ranks);
  std::size_t global = 0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const bool is_global = one[k].global != nullptr;
    auto difference = is_global ? difference_of(one[k], globals[global], other_globals[global])
                                : difference_of(one[k], one[k].bytes, other[k].bytes);
    if (is_global) ++global;
    if (!difference) continue;
    difference->position = k;
    return difference;
  }
  return {};
}

/// "loop 'flux' (flow.cpp:12)".
std::string text_of(const core::LoopRecord& record) {
  if (record.is_assignment()) return "op_set_global";
  return sched::named_with_site(record);
}

/// Owns what executes loops in the plain way. Results are those of the session's engine, which
/// executes after it from the same values.
class BitsCheck : public core::Listener {
 public:
  explicit BitsCheck(Runtime& runtime);

  void flush_begins() override;
  void flush_ends() override;

 private:
  /// A difference after the first `loops` of a queue.
  struct Finding {
    std::size_t loops;
    std::optional<Difference> mine;  ///< only on the rank that has the first one
    SavedValues saved;
  };
  core::Progress report_progress(std::size_t calls) const {
    return {runtime_.log, "OP2_CHECK=bits for " + core::counted(calls, "queued call")};
  }
  SavedValues run_plainly(std::size_t loops);
  std::optional<Finding> compare(std::size_t loops, const SavedValues& expected);
  Finding first_loop(Finding whole);
  void fail(const Finding& finding);

  Runtime& runtime_;
  const core::Options options_;
  core::Log log_;
  core::Measurements measurements_;
  core::ThreadPool pool_;
  jit::Jit jit_;
  sched::Engine plain_;
  core::Queue calls_;  ///< of the flush
  SavedValues before_, expected_;
};

BitsCheck::BitsCheck(Runtime& runtime)
    : runtime_(runtime),
      options_(plain_way(runtime.options)),
      log_(core::LogLevel::off),  // the engine says the same
      pool_(1, runtime.topology),
      jit_(jit_options(options_, runtime.mesh, measurements_.listeners), log_),
      plain_({options_, runtime.topology, pool_, runtime.rows, jit_, nullptr, nullptr,
              measurements_, log_, sched::prover_of(options_, jit_, nullptr)}) {
  runtime_.also_executes(jit_, plain_);
}

void BitsCheck::flush_begins() {
  const core::Progress progress = report_progress(runtime_.queue.size());
  runtime_.rows.ensure_rows(0);
  calls_ = runtime_.queue.first(runtime_.queue.size());
  before_ = save_values(calls_, runtime_.mesh);
  expected_ = run_plainly(calls_.size());
}

void BitsCheck::flush_ends() {
  const core::Progress progress = report_progress(calls_.size());
  std::optional<Finding> whole = compare(calls_.size(), expected_);
  if (whole) fail(first_loop(std::move(*whole)));
}

/// Executes the first `loops` calls in the plain way. Leaves the values of before.
/// @return those of after
SavedValues BitsCheck::run_plainly(std::size_t loops) {
  core::Queue queue = calls_.first(loops);
  for (const auto& dat : runtime_.mesh.dats()) {
    plain_.forget_halo(*dat);
    static_cast<void>(dat->rows.host_write());  // its executor knows of no device
  }
  plain_.flush(queue, runtime_.mesh);
  SavedValues values = save_values(calls_.first(loops), runtime_.mesh);
  restore(before_);
  return values;
}

/// @param expected  after the first `loops` calls, which the session's engine has executed
std::optional<BitsCheck::Finding> BitsCheck::compare(std::size_t loops,
                                                     const SavedValues& expected) {
  Finding found{loops, {}, save_values(calls_.first(loops), runtime_.mesh)};
  runtime_.enter("OP2_CHECK=bits");
  auto mine = find_difference(found.saved, expected, runtime_.ranks());
  std::optional<ElementPosition> position;
  if (mine) position = {mine->position, mine->element};
  const FirstOfRanks first = first_of_ranks(runtime_.ranks(), position);
  if (!first.any) return {};
  if (first.is_mine) found.mine = std::move(mine);
  return found;
}

/// The shortest beginning of the queue after which values differ; the whole, if shorter ones do
/// not.
BitsCheck::Finding BitsCheck::first_loop(Finding whole) {
  for (std::size_t loops = 1; loops < calls_.size(); ++loops) {
    restore(before_);
    for (const auto& dat : runtime_.mesh.dats()) runtime_.engine.forget_halo(*dat);
    const SavedValues expected = run_plainly(loops);
    core::Queue again = calls_.first(loops);
    runtime_.engine.flush(again, runtime_.mesh);
    if (auto found = compare(loops, expected)) return std::move(*found);
  }
  return whole;
}

void BitsCheck::fail(const Finding& finding) {
  runtime_.enter("OP2_CHECK=bits has found a difference");
  runtime_.check_together([&] {
    if (!finding.mine) return;
    const Difference& found = *finding.mine;
    core::fail(
        ErrorCode::bits_differ,
        "bits differ with OP2_CHECK=bits: {}, {} of {} queued calls: {}, component {} "
        "is {}, but {} if one thread executes one element after the other; values of it that "
        "differ on this rank: {}; see whether the kernel uses other rows than its arguments name, "
        "otherwise report it",
        text_of(calls_.records()[finding.loops - 1]), finding.loops, calls_.size(),
        finding.saved[found.position].name(found.element), found.component, found.one, found.other,
        found.count);
  });
}

}  // namespace

std::unique_ptr<core::Listener> make_bits_check(Runtime& runtime) {
  return std::make_unique<BitsCheck>(runtime);
}

}  // namespace op2::api
