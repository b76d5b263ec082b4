// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/nvrtc.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include <core/error.hpp>
#include <gpu/driver_api.hpp>

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
void call(const NvrtcApi& api, Function NvrtcApi::* function, Arguments... arguments) {
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

constexpr int oldest_major = 12;

/// What became of the candidates.
struct Choice {
  int driver_version = 0, device = 0;  // 0: none, so all fit
  std::shared_ptr<const Nvrtc> nvrtc;  // of the one that fits
  bool too_new = false, too_old = false, broken = false, later_devices_only = false;
  std::string tried;  // a line for each

  int newest_major() const { return driver_version / 1000; }
  bool is_above_driver(int major) const { return driver_version != 0 && major > newest_major(); }
  void note(const std::string& file, const std::string& what) {
    tried.append("\n  ");
    if (!what.starts_with(file)) tried.append(file).append(": ");
    tried.append(what);
  }
  void note_version(const std::string& file, const std::string& version, bool above) {
    (above ? too_new : too_old) = true;
    note(file, "version " + version + (above ? " is newer than the driver" : " is too old"));
  }
  void note_devices(const Nvrtc& candidate) {
    later_devices_only = true;
    note(candidate.path(), "version " + candidate.version() + " begins with sm_" +
                               std::to_string(candidate.oldest_architecture()));
  }
};

/// @param exists  whether there is a file that is not what it should be
void note_failure(Choice& choice, const std::string& file, bool exists, const std::string& why) {
  choice.broken |= exists;
  choice.note(file, why);
}

/// Whether the loader has found a file: it begins its message with what it was asked for if not.
bool was_found(const NvrtcCandidate& candidate, const std::string& why) {
  return candidate.exists || !why.starts_with(candidate.file + ":");
}

/// Loads a candidate and compares its version and its devices. @return whether it fits
bool take(Choice& choice, const NvrtcCandidate& candidate) {
  std::string why;
  auto library = SharedLibrary::open(candidate.file, why);
  if (!library) return note_failure(choice, candidate.file, was_found(candidate, why), why), false;
  const auto api = std::make_shared<const NvrtcApi>(*std::move(library));
  const std::string& missing = api->library.missing();
  const bool old = candidate.major != 0 && candidate.major < oldest_major;
  if (!missing.empty() && !old)
    return note_failure(choice, candidate.file, true, "lacks" + missing), false;
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = std::make_shared<const Nvrtc>(api);
  } catch (const Error& error) {
    return note_failure(choice, candidate.file, true, error.what()), false;
  }
  const bool above = choice.is_above_driver(nvrtc->major());
  if (above || nvrtc->major() < oldest_major)
    return choice.note_version(api->library.path(), nvrtc->version(), above), false;
  if (choice.device != 0 && nvrtc->oldest_architecture() > choice.device)
    return choice.note_devices(*nvrtc), false;
  choice.nvrtc = std::move(nvrtc);
  return true;
}

/// The libraries are large: one that is too new by its name is not loaded.
bool consider(Choice& choice, const NvrtcCandidate& candidate) {
  if (!choice.is_above_driver(candidate.major)) return take(choice, candidate);
  if (candidate.exists)
    choice.note_version(candidate.file, std::to_string(candidate.major), true);
  else
    choice.note(candidate.file, "newer than the driver, not tried");
  return false;
}

std::string headline(const Choice& choice) {
  if (choice.later_devices_only)
    return "the device is older than what NVRTC compiles for: sm_" + std::to_string(choice.device);
  if (choice.too_new) return "NVRTC is too new for the driver";
  if (choice.too_old) return "NVRTC is too old";
  return choice.broken ? "NVRTC cannot be loaded" : "NVRTC is not found";
}

std::string needed(const Choice& choice) {
  std::string text = "library libnvrtc.so.12, version 12.0 or newer";
  if (choice.driver_version == 0 || choice.newest_major() > oldest_major)
    text.insert(text.find("libnvrtc"), "libnvrtc.so.13 or ");
  if (choice.driver_version != 0)
    text += ", of major version at most " + std::to_string(choice.newest_major()) +
            ", as the driver's " + cuda_version(choice.driver_version);
  return text + (choice.later_devices_only ? "; install an older one" : "; install it");
}

[[noreturn]] void fail(const Choice& choice, const NvrtcSearch& search) {
  std::string tried = choice.tried;
  for (const std::string& folder : search.empty_folders) tried.append("\n  ").append(folder);
  core::fail(ErrorCode::device_compiler,
             "{}: {} as share/doc/op2/docs/gpu.md shows, or set OP2_NVRTC to the library or its "
             "folder. Tried:{}",
             headline(choice), needed(choice), tried);
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

// Which of the NVRTC libraries that are found is taken.

std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version, int device,
                                        const SearchRoots& roots) {
  NvrtcSearch search = find_nvrtc(paths.nvrtc, roots);
  std::stable_sort(search.candidates.begin(), search.candidates.end(),
                   [](const auto& a, const auto& b) { return a.major > b.major; });
  Choice choice;
  choice.driver_version = driver_version;
  choice.device = device;
  for (const NvrtcCandidate& candidate : search.candidates)
    if (consider(choice, candidate)) return choice.nvrtc;
  fail(choice, search);
}

std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version, int device) {
  return load_nvrtc(paths, driver_version, device, search_roots_of_environment());
}

}  // namespace op2::gpu
