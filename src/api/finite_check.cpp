// SPDX-License-Identifier: BSD-3-Clause
#include <api/finite_check.hpp>

#include <cmath>

#include <api/first_of_ranks.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

/// Calls visit(row * dim + component, value) for each value of an owned row that is not finite.
template <class Value, class Visit>
void visit_faults(const core::Dat& dat, const std::byte* rows, const Visit& visit) {
  const auto* values = reinterpret_cast<const Value*>(rows);
  const std::int64_t count = std::int64_t{dat.on().layout->owned()} * dat.dim;
  for (std::int64_t k = 0; k < count; ++k)
    if (!std::isfinite(values[k])) visit(k, static_cast<double>(values[k]));
}

template <class Visit>
void visit_faults(Runtime& runtime, const core::Dat& dat, const Visit& visit) {
  if (dat.value_type != Type::f64 && dat.value_type != Type::f32) return;
  const std::byte* const rows = runtime.host_copy(dat.rows);
  if (dat.value_type == Type::f64) visit_faults<double>(dat, rows, visit);
  if (dat.value_type == Type::f32) visit_faults<float>(dat, rows, visit);
}

}  // namespace

FiniteCheck::FiniteCheck(Runtime& runtime, const op_loop_name& loop, std::span<const op_arg> args)
    : runtime_(runtime), loop_(loop), args_(args), before_(args.size()) {
  runtime_.enter("loop '{}' with OP2_CHECK=finite", loop.name);
  runtime_.settle();
  std::optional<Fault> first;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!is_compared(args[k])) continue;
    if (args[k].acc != OP_WRITE) {
      if (!first) first = find(k, {});
    } else {
      visit_faults(runtime_, *core::record_of(args[k].dat),
                   [&](std::int64_t at, double) { before_[k].insert(at); });
    }
  }
  throw_first(first, "before the loop", "declare finite values, or see what has changed them");
}

void FiniteCheck::check_results() {
  std::optional<Fault> first;
  for (std::size_t k = 0; k < args_.size() && !first; ++k)
    if (is_compared(args_[k]) && args_[k].acc != OP_READ) first = find(k, before_[k]);
  throw_first(first, "after the loop", "see what its kernel computes for that element");
}

bool FiniteCheck::is_compared(const op_arg& arg) const {
  return arg.argtype == OP_ARG_DAT && arg.opt != 0 && !core::is_opaque(arg);
}

/// The value at the lowest global index.
/// @param known  values to pass over
std::optional<FiniteCheck::Fault> FiniteCheck::find(std::size_t arg, const Values& known) const {
  const core::Dat& dat = *core::record_of(args_[arg].dat);
  std::optional<Fault> first;
  std::int64_t count = 0;
  visit_faults(runtime_, dat, [&](std::int64_t at, double value) {
    if (known.contains(at)) return;
    ++count;
    const std::int64_t element = dat.on().element_at(at / dat.dim);
    if (!first || element < first->element)
      first = Fault{arg, element, static_cast<int>(at % dat.dim), value, 0};
  });
  if (first) first->count = count;
  return first;
}

/// Of the faults of all ranks, that of the first argument and the lowest global index.
void FiniteCheck::throw_first(const std::optional<Fault>& mine, const char* when,
                              const char* advice) {
  std::optional<ElementPlace> place;
  if (mine) place = {mine->arg, mine->element};
  runtime_.enter("comparing values {} '{}'", when, loop_.name);
  const FirstOfRanks first = first_of_ranks(runtime_.ranks(), place);
  if (!first.any) return;
  runtime_.check_together([&] {
    if (!first.is_mine) return;
    const core::Dat& dat = *core::record_of(args_[mine->arg].dat);
    core::fail(
        ErrorCode::not_finite,
        "a value is not finite {}: {}, dat '{}' on set '{}', element {}, component {} is {}; "
        "such values of the dat on this rank: {}; {}",
        when, core::text_of_place(loop_, static_cast<int>(mine->arg)), dat.name_storage,
        dat.on().name_storage, mine->element, mine->component, mine->value, mine->count, advice);
  });
}

}  // namespace op2::api
