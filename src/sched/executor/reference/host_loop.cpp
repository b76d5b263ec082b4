// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/reference/host_loop.hpp>

#include <cstring>

namespace op2::sched {
namespace {

std::int64_t row_of(const core::ArgBinding& binding, std::int64_t element) {
  return binding.index == nullptr ? element : binding.index[element * binding.index_stride];
}

std::int32_t number_of(const core::ArgBinding& binding, std::int64_t row) {
  return binding.base == nullptr ? static_cast<std::int32_t>(row)
                                 : static_cast<const std::int32_t*>(binding.base)[row];
}

/// The kernel's argument for a vector argument that is on; null for any other.
char* vector_of(const core::LoopArg& arg, char** pointers) {
  return arg.active && arg.members > 1 ? reinterpret_cast<char*>(pointers) : nullptr;
}

void* memory_of(const core::Variable& variable) {
  return const_cast<void*>(variable.origin);
}

}  // namespace

QueuedValues::QueuedValues(std::span<const core::NamedVariable> variables) {
  for (const core::NamedVariable& named : variables) {
    const core::Variable& variable = *named.variable;
    if (!variable.has_changed()) continue;
    const auto* now = static_cast<const std::byte*>(variable.origin);
    changed_.push_back({&variable, {now, now + variable.bytes}});
    std::memcpy(memory_of(variable), variable.value.get(), variable.bytes);
  }
}

QueuedValues::~QueuedValues() {
  for (const Changed& each : changed_)
    std::memcpy(memory_of(*each.variable), each.now.data(), each.now.size());
}

void run_host_loop(op_kernel kernel, std::span<const core::LoopArg> args, std::int64_t begin,
                   std::int64_t end, const core::ArgBinding* bindings) {
  std::vector<char*> pointers(args.size());
  std::vector<char*> parameters;  // of vector arguments: the address of their first pointer
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k].members > 0) parameters.push_back(vector_of(args[k], pointers.data() + k));
  std::vector<std::int32_t> numbers(args.size());
  for (std::int64_t element = begin; element < end; ++element) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (!args[k].active) continue;
      const std::int64_t row = row_of(bindings[k], element);
      pointers[k] = static_cast<char*>(bindings[k].base);
      if (args[k].kind == OP_ARG_DAT) pointers[k] += row * args[k].dat->size;
      if (args[k].kind == OP_ARG_IDX) {
        numbers[k] = number_of(bindings[k], row);
        pointers[k] = reinterpret_cast<char*>(&numbers[k]);
      }
    }
    for (std::size_t k = 0, p = 0; k < args.size(); ++k)
      if (args[k].members == 1)
        parameters[p++] = pointers[k];
      else if (args[k].members > 1)
        ++p;
    kernel->call(kernel->host, parameters.data());
  }
}

void run_host_step(const Step& step, IndexRange rows, const core::ArgBinding* bindings) {
  run_host_loop(step.kernels.front().kernel, step.args, rows.begin, rows.end, bindings);
}

}  // namespace op2::sched
