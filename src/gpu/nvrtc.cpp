// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/nvrtc.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include <core/error.hpp>

namespace op2::gpu {
namespace {

[[noreturn]] void fail(const NvrtcApi& api, const char* call, int result,
                       const std::string& details) {
  if (result == NvrtcResult::out_of_memory) throw std::bad_alloc();
  core::fail(
      ErrorCode::device_compiler,
      "NVRTC fails: library {}, {} returned {} ({}); install another one, or set OP2_NVRTC to "
      "it{}",
      api.library.path(), call, result, api.error_string(result), details);
}

template <class Function, class... Arguments>
void call(const NvrtcApi& api, Function NvrtcApi::*function, Arguments... arguments) {
  const int result = (api.*function)(arguments...);
  if (result != NvrtcResult::success) fail(api, (api.*function).name(), result, "");
}

/// A program of NVRTC, which ends with it.
struct Program {
  explicit Program(const NvrtcApi& its_api) : api(its_api) {}
  ~Program() {
    if (handle != nullptr) api.destroy(&handle);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const NvrtcApi& api;
  ProgramHandle handle = nullptr;
};

/// A result of variable size of a program.
template <class Bytes, class Size, class Get>
Bytes result_of(const Program& program, Size size, Get get) {
  std::size_t bytes = 0;
  call(program.api, size, program.handle, &bytes);
  Bytes result(bytes, {});
  if (bytes > 0) call(program.api, get, program.handle, reinterpret_cast<char*>(result.data()));
  return result;
}

/// Without the zero at its end, and what may follow it.
template <class Size, class Get>
std::string text_of(const Program& program, Size size, Get get) {
  auto text = result_of<std::string>(program, size, get);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

/// NVRTC takes some 6 MB for a program and frees all of it. glibc gives that back to the system,
/// and each compilation would begin with new pages: 3000 page faults, a tenth of its time. Of a
/// block that is freed glibc learns to keep twice its size (mallopt(3), M_MMAP_THRESHOLD), unless
/// the program or its environment has set what is kept.
void let_memory_stay() {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  void* volatile block = std::malloc(bytes);  // volatile: compilers remove a pair of calls
  std::free(block);
}

void create(Program& program, const std::string& source, const std::string& name,
            std::span<const SourceHeader> headers) {
  std::vector<const char*> texts, names;
  for (const SourceHeader& header : headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  call(program.api, &NvrtcApi::create, &program.handle, source.c_str(), name.c_str(),
       static_cast<int>(headers.size()), texts.data(), names.data());
}

}  // namespace

Nvrtc::Nvrtc(std::shared_ptr<const NvrtcApi> api)
    : api_(std::move(api)), build_(api_->library.build_id()) {
  let_memory_stay();
  call(*api_, &NvrtcApi::version, &major_, &minor_);
  int count = 0;
  call(*api_, &NvrtcApi::architecture_count, &count);
  architectures_.resize(static_cast<std::size_t>(count));
  if (count > 0) call(*api_, &NvrtcApi::architectures, architectures_.data());
  std::ranges::sort(architectures_);
}

Architecture Nvrtc::architecture_for(int device) const {
  const auto later = std::ranges::upper_bound(architectures_, device);
  if (later == architectures_.begin())
    core::fail(ErrorCode::device_compiler,
               "the device is older than what NVRTC compiles for: sm_{}, library {} of version {} "
               "begins with sm_{}; install an older one, or set OP2_NVRTC to it",
               device, path(), version(), oldest_architecture());
  const int newest = *std::prev(later);
  return {newest, newest != device};
}

std::string Nvrtc::version() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

Compiled Nvrtc::compile(const std::string& source, const std::string& name,
                        std::span<const SourceHeader> headers,
                        const std::vector<std::string>& options) const {
  const std::lock_guard lock(one_at_a_time_);
  Program program(*api_);
  create(program, source, name, headers);
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const int result = api_->compile(program.handle, static_cast<int>(texts.size()), texts.data());

  Compiled compiled;
  compiled.log = text_of(program, &NvrtcApi::log_bytes, &NvrtcApi::log);
  if (result == NvrtcResult::rejected) return compiled;
  if (result != NvrtcResult::success)
    fail(*api_, api_->compile.name(), result, ". It reports:\n" + compiled.log);
  compiled.ok = true;
  compiled.ptx = text_of(program, &NvrtcApi::ptx_bytes, &NvrtcApi::ptx);
  compiled.cubin =
      result_of<std::vector<std::byte>>(program, &NvrtcApi::cubin_bytes, &NvrtcApi::cubin);
  return compiled;
}

}  // namespace op2::gpu
