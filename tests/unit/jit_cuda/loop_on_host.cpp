// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <core/value_type.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/ways.hpp>
#include <jit/target/emit_parts.hpp>
#include <unit/jit_cuda/loop_data.hpp>

namespace op2::test {
namespace {

using jit::ArgShape;

/// Joins a part of a reduction, or an increment, to a value.
void join(const ArgShape& arg, const std::byte* part, std::byte* value) {
  core::with_type(arg.type, [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(part);
    T* to = reinterpret_cast<T*>(value);
    for (int k = 0; k < arg.dim; ++k)
      to[k] = arg.access == OP_WRITE ? from[k]
              : arg.access == OP_MIN ? std::min(to[k], from[k])
              : arg.access == OP_MAX ? std::max(to[k], from[k])
                                     : static_cast<T>(to[k] + from[k]);
  });
}

/// The arguments of one element.
class Element {
 public:
  Element(const jit::LoopNest& nest, LoopData& data, std::map<std::size_t, Bytes>& parts,
          std::int64_t element)
      : nest_(nest), data_(data), parts_(parts), element_(element) {
    const auto ways = jit::ways_of(nest.args);
    for (std::size_t i = 0; i < nest.args.size(); ++i) pointers_.push_back(pointer_to(i, ways[i]));
  }

  void call(std::size_t n, const HostKernel& kernel) {
    std::vector<char*> arguments;
    std::vector<std::vector<char*>> vectors(nest_.calls[n].args.size());
    for (std::size_t k = 0; k < nest_.calls[n].args.size(); ++k) {
      const jit::CallArg& arg = nest_.calls[n].args[k];
      if (arg.members == 0) continue;
      for (int m = 0; m < arg.members; ++m)
        vectors[k].push_back(pointers_[nest_.calls[n].args[k + m].position]);
      arguments.push_back(arg.members > 1 ? reinterpret_cast<char*>(vectors[k].data())
                                          : vectors[k][0]);
    }
    kernel(arguments.data());
  }

  void finish() {
    for (const auto& [i, added] : added_) join(nest_.args[i], added.data(), row_in_memory(i));
    if (element_ >= data_.counted) return;
    for (auto& [i, part] : own_parts_) parts_[i] = part;
  }

 private:
  std::int64_t row_of(const ArgShape& arg) const {
    if (arg.map < 0) return element_;
    const LoopData::Map& map = data_.maps.at(arg.map);
    return map.entries[element_ * map.arity + arg.column];
  }

  std::byte* row_in_memory(std::size_t i) {
    const ArgShape& arg = nest_.args[i];
    return data_.dats.at(arg.dat).data() + row_of(arg) * core::size_of(arg.type, arg.dim);
  }

  char* pointer_to(std::size_t i, jit::ArgumentWay way) {
    const ArgShape& arg = nest_.args[i];
    std::byte* bytes = nullptr;
    switch (way) {
      case jit::ArgumentWay::off:
        return nullptr;
      case jit::ArgumentWay::number: {
        const auto row = row_of(arg);
        numbers_[i] = data_.numbers.contains(i) ? data_.numbers[i][row] : static_cast<int>(row);
        return reinterpret_cast<char*>(&numbers_[i]);
      }
      case jit::ArgumentWay::global:
        bytes = data_.globals.at(i).data();
        break;
      case jit::ArgumentWay::reduced:
      case jit::ArgumentWay::best:
      case jit::ArgumentWay::payload:
        bytes = (own_parts_[i] = parts_.at(i)).data();
        break;
      case jit::ArgumentWay::added:
        added_[i].resize(core::size_of(arg.type, arg.dim));
        bytes = added_[i].data();
        break;
      case jit::ArgumentWay::loaded:
      case jit::ArgumentWay::stored:
      case jit::ArgumentWay::extreme:
      case jit::ArgumentWay::in_place:
        bytes = row_in_memory(i);
        break;
      case jit::ArgumentWay::term:
      case jit::ArgumentWay::compared:
      case jit::ArgumentWay::summed:
      case jit::ArgumentWay::kept:
      case jit::ArgumentWay::once:
        break;  // not of op2_loop
    }
    return reinterpret_cast<char*>(bytes);
  }

  const jit::LoopNest& nest_;
  LoopData& data_;
  std::map<std::size_t, Bytes>& parts_;
  const std::int64_t element_;
  std::map<std::size_t, int> numbers_;
  std::map<std::size_t, Bytes> added_, own_parts_;
  std::vector<char*> pointers_;
};

}  // namespace

void run_on_host(const jit::LoopNest& nest, const std::vector<HostKernel>& kernels,
                 LoopData& data) {
  std::map<std::size_t, Bytes> parts;
  for (std::size_t i = 0; i < nest.args.size(); ++i) {
    if (!jit::is_reduction(nest.args[i])) continue;
    parts[i] = data.globals.at(i);
    if (nest.args[i].access == OP_INC) std::ranges::fill(parts[i], std::byte{0});
  }
  for (std::int64_t e = data.begin; e < data.end; ++e) {
    Element element(nest, data, parts, e);
    for (std::size_t n = 0; n < kernels.size(); ++n) element.call(n, kernels[n]);
    element.finish();
  }
  for (const auto& [i, part] : parts) join(nest.args[i], part.data(), data.globals[i].data());
}

}  // namespace op2::test
