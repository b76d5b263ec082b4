// SPDX-License-Identifier: BSD-3-Clause
#include <deque>

#include <core/arithmetic.hpp>
#include <core/value_type.hpp>
#include <gpu/module.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <unit/jit_cuda/loop_data.hpp>

namespace op2::test {
namespace {

using jit::KernelParameter;
using Kind = KernelParameter::Kind;

std::vector<int> column_of(const LoopData::Map& map, int column) {
  std::vector<int> entries(map.entries.size() / map.arity);
  for (std::size_t e = 0; e < entries.size(); ++e) entries[e] = map.entries[e * map.arity + column];
  return entries;
}

/// Memory of the device for one loop, and the values of parameters.
class DeviceCopy {
 public:
  DeviceCopy(core::MemorySpace& space, const jit::LoopNest& nest, LoopData& data)
      : space_(space), stream_(space.main_stream()), nest_(nest), data_(data) {}

  void upload(std::int64_t chunks) {
    for (const KernelParameter& parameter : jit::kernel_parameters(nest_.args))
      values_.push_back(value_of(parameter, chunks));
  }

  void launch(const jit::CudaLoop& loop, std::int64_t chunks) {
    const std::int64_t count = data_.end - data_.begin, threads = jit::block_threads;
    const bool reduces = static_cast<bool>(loop.fold);
    const std::int64_t blocks = reduces ? chunks : (count + threads - 1) / threads;
    std::vector<void*> parameters = {&data_.begin, &data_.end, &data_.counted};
    for (long long& value : values_) parameters.push_back(&value);
    run(loop.loop, blocks, parameters);
    if (!reduces) return;
    const auto all = jit::kernel_parameters(nest_.args);
    parameters = {&chunks};
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].kind == Kind::result || all[k].kind == Kind::partials)
        parameters.push_back(&values_[k]);
    run(loop.fold, 1, parameters);
  }

  void download() {
    for (const auto& [to, from] : results_) stream_.download_and_wait(to->data(), from, to->size());
  }

  core::DeviceAddress put(const std::byte* bytes, std::size_t size) {
    buffers_.push_back(core::allocate_on(space_, size));
    if (bytes != nullptr) stream_.upload_and_wait(buffers_.back().get(), bytes, size);
    return buffers_.back().get();
  }

 private:
  void run(const gpu::Function& function, std::int64_t blocks, const std::vector<void*>& values) {
    gpu::launch(stream_, function,
                {.blocks = static_cast<unsigned>(blocks), .threads = jit::block_threads}, values);
  }

  long long number(core::DeviceAddress address) const {
    return reinterpret_cast<long long>(address.value);
  }

  long long shared(Bytes& bytes) {
    results_.emplace_back(&bytes, put(bytes.data(), bytes.size()));
    return number(results_.back().second);
  }

  long long value_of(const KernelParameter& parameter, std::int64_t chunks) {
    const jit::ArgShape& arg = nest_.args[parameter.arg];
    switch (parameter.kind) {
      case Kind::dat:
        return shared(data_.dats.at(arg.dat));
      case Kind::column: {
        const std::vector<int> entries = column_of(data_.maps.at(arg.map), arg.column);
        return number(put(std::as_bytes(std::span(entries)).data(), 4 * entries.size()));
      }
      case Kind::row_numbers: {
        const auto found = data_.numbers.find(parameter.arg);
        if (found == data_.numbers.end()) return 0;
        return number(
            put(std::as_bytes(std::span(found->second)).data(), 4 * found->second.size()));
      }
      case Kind::global:
      case Kind::result:
        return shared(data_.globals.at(parameter.arg));
      case Kind::partials:
        return number(put(nullptr, chunks * std::ssize(data_.globals.at(parameter.arg))));
      case Kind::order:
        return 0;  // the rows themselves
      case Kind::second:
      case Kind::parts:
      case Kind::pull_rows:
      case Kind::pull_start:
      case Kind::pull_elements:
        break;  // not of op2_loop
    }
    return 0;
  }

  core::MemorySpace& space_;
  core::Stream& stream_;
  const jit::LoopNest& nest_;
  LoopData& data_;
  std::deque<core::DeviceBuffer> buffers_;
  std::vector<std::pair<Bytes*, core::DeviceAddress>> results_;
  std::vector<long long> values_;
};

}  // namespace

void run_on_device(gpu::Device& device, const jit::CudaLoop& loop, const jit::LoopNest& nest,
                   LoopData& data) {
  const std::int64_t chunks = core::pieces_for(data.end - data.begin, jit::chunk_elements(false));
  for (const jit::CudaConstant& constant : loop.constants)
    device.space().main_stream().upload_and_wait(
        constant.on_device, static_cast<const std::byte*>(constant.on_host), constant.bytes);
  DeviceCopy copy(device.space(), nest, data);
  copy.upload(chunks);
  copy.launch(loop, chunks);
  copy.download();
}

}  // namespace op2::test
