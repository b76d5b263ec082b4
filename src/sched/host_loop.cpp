// SPDX-License-Identifier: BSD-3-Clause
#include <sched/host_loop.hpp>

#include <vector>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

char* row_of(const core::LoopArg& arg, const core::ArgBinding& binding, std::int64_t element) {
  if (arg.kind == OP_ARG_GBL) return static_cast<char*>(binding.base);
  const std::int64_t row =
      binding.index == nullptr ? element : binding.index[element * binding.index_stride];
  return static_cast<char*>(binding.base) + row * arg.dat->size;
}

std::int32_t index_of(const core::ArgBinding& binding, std::int64_t element) {
  return binding.index == nullptr ? static_cast<std::int32_t>(element)
                                  : binding.index[element * binding.index_stride];
}

}  // namespace

void run_host_loop(op_kernel kernel, std::span<const core::LoopArg> args, std::int64_t begin,
                   std::int64_t end, const core::ArgBinding* bindings) {
  std::vector<char*> pointers(args.size());
  std::vector<std::int32_t> indices(args.size());
  for (std::int64_t element = begin; element < end; ++element) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (!args[k].active) continue;
      if (args[k].kind == OP_ARG_IDX) {
        indices[k] = index_of(bindings[k], element);
        pointers[k] = reinterpret_cast<char*>(&indices[k]);
      } else {
        pointers[k] = row_of(args[k], bindings[k], element);
      }
    }
    kernel->call(kernel->host, pointers.data());
  }
}

}  // namespace op2::sched
