// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <core/error.hpp>
#include <core/exact_sum.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

/// Calls visit(row * dim + component, value) for each value of an owned row that is not finite.
template <class Visit>
void visit_faults(Runtime& runtime, const core::Dat& dat, const Visit& visit) {
  if (!core::is_rounded(dat.value_type)) return;
  const std::byte* const rows = runtime.host_copy(dat.rows);
  const std::int64_t count = std::int64_t{dat.on().layout->owned()} * dat.dim;
  core::with_rounded(dat.value_type, [&]<class T>() {
    const auto* values = reinterpret_cast<const T*>(rows);
    for (std::int64_t k = 0; k < count; ++k)
      if (!std::isfinite(values[k])) visit(k, static_cast<double>(values[k]));
  });
}

class FiniteCheck : public core::Listener {
 public:
  explicit FiniteCheck(Runtime& runtime) : runtime_(runtime) {}

  void loop_called(const op_loop_name& loop, std::span<const op_arg> args) override;
  void loop_returns(const op_loop_name& loop, std::span<const op_arg> args, bool forced) override;

 private:
  /// A value of an owned row.
  struct Fault {
    std::size_t arg;
    std::int64_t element;  ///< global index
    int component;
    double value;
    std::int64_t count;  ///< of such values in the dat on this rank
  };
  using Values = std::unordered_set<std::int64_t>;  ///< row * dim + component
  /// The call that is checked.
  struct Call {
    const op_loop_name& loop;
    std::span<const op_arg> args;
  };
  static bool is_compared(const op_arg& arg);
  std::optional<Fault> find(const Call& call, std::size_t arg, const Values& known) const;
  void throw_first(const Call& call, const std::optional<Fault>& mine, const char* when,
                   const char* advice);

  Runtime& runtime_;
  std::vector<Values> before_;  ///< per argument of the loop that runs
};

void FiniteCheck::loop_called(const op_loop_name& loop, std::span<const op_arg> args) {
  const Call call{loop, args};
  before_.assign(args.size(), {});
  runtime_.enter("loop '{}' with OP2_CHECK=finite", loop.name);
  runtime_.settle();
  std::optional<Fault> first;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!is_compared(args[k])) continue;
    if (args[k].acc != OP_WRITE) {
      if (!first) first = find(call, k, {});
    } else {
      visit_faults(runtime_, *core::record_of(args[k].dat),
                   [&](std::int64_t at, double) { before_[k].insert(at); });
    }
  }
  throw_first(call, first, "before the loop",
              "declare finite values, or see what has changed them");
}

void FiniteCheck::loop_returns(const op_loop_name& loop, std::span<const op_arg> args, bool) {
  const Call call{loop, args};
  std::optional<Fault> first;
  for (std::size_t k = 0; k < args.size() && !first; ++k)
    if (is_compared(args[k]) && args[k].acc != OP_READ) first = find(call, k, before_[k]);
  throw_first(call, first, "after the loop", "see what its kernel computes for that element");
}

bool FiniteCheck::is_compared(const op_arg& arg) {
  return arg.argtype == OP_ARG_DAT && arg.opt != 0 && !core::is_opaque(arg);
}

/// The value at the lowest global index.
/// @param known  values to pass over
std::optional<FiniteCheck::Fault> FiniteCheck::find(const Call& call, std::size_t arg,
                                                    const Values& known) const {
  const core::Dat& dat = *core::record_of(call.args[arg].dat);
  std::optional<Fault> first;
  std::int64_t count = 0;
  visit_faults(runtime_, dat, [&](std::int64_t at, double value) {
    if (known.contains(at)) return;
    ++count;
    const std::int64_t element = dat.on().global_index(at / dat.dim);
    if (!first || element < first->element)
      first = Fault{arg, element, static_cast<int>(at % dat.dim), value, 0};
  });
  if (first) first->count = count;
  return first;
}

/// Of the faults of all ranks, that of the first argument and the lowest global index.
void FiniteCheck::throw_first(const Call& call, const std::optional<Fault>& mine, const char* when,
                              const char* advice) {
  std::optional<ElementPosition> position;
  if (mine) position = {mine->arg, mine->element};
  runtime_.enter("comparing values {} '{}'", when, call.loop.name);
  const FirstOfRanks first = first_of_ranks(runtime_.ranks(), position);
  if (!first.any) return;
  runtime_.check_together([&] {
    if (!first.is_mine) return;
    const core::Dat& dat = *core::record_of(call.args[mine->arg].dat);
    core::fail(
        ErrorCode::not_finite,
        "a value is not finite {}: {}, dat '{}' on set '{}', element {}, component {} is {}; "
        "such values of the dat on this rank: {}; {}",
        when, core::argument_site(call.loop, static_cast<int>(mine->arg)), dat.name_storage,
        dat.on().name_storage, mine->element, mine->component, mine->value, mine->count, advice);
  });
}

}  // namespace

std::unique_ptr<core::Listener> make_finite_check(Runtime& runtime) {
  return std::make_unique<FiniteCheck>(runtime);
}

}  // namespace op2::api
