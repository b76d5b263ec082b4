// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/nvrtc.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>
#include <utility>

#include <fmt/format.h>

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

namespace fs = std::filesystem;

/// Newest first. The last is Debian's, too old, and recognised to say so.
constexpr std::array library_names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
constexpr std::string_view prefix = "libnvrtc.so.";

std::string environment(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

int major_of(const fs::path& file) {
  const std::string name = file.filename().string();
  int major = 0;
  if (name.starts_with(prefix))
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), major);
  return major;
}

/// The entries of a folder whose names begin with `start`, sorted, newest versions first.
std::vector<fs::path> entries(const fs::path& folder, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with(start)) found.push_back(entry.path());
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return strverscmp(a.c_str(), b.c_str()) > 0;  // 3.11 is newer than 3.9
  });
  return found;
}

void add_toolkit(std::vector<fs::path>& folders, const fs::path& toolkit) {
  folders.push_back(toolkit / "lib64");
  folders.push_back(toolkit / "lib");
}

/// The folders of the packages nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12; of an environment
/// that is not there, the one that messages name.
void add_environment(std::vector<fs::path>& folders, const fs::path& virtual_env) {
  const std::vector<fs::path> pythons = entries(virtual_env / "lib", "python3");
  if (pythons.empty()) folders.push_back(virtual_env / "lib");
  for (const auto& python : pythons) {
    folders.push_back(python / "site-packages" / "nvidia" / "cu13" / "lib");
    folders.push_back(python / "site-packages" / "nvidia" / "cuda_nvrtc" / "lib");
  }
}

constexpr const char* no_folder = ": no such folder";

const char* why_empty(const fs::path& folder) {
  std::error_code none;
  return fs::is_directory(folder, none) ? ": no libnvrtc.so.13 or .12 in it" : no_folder;
}

void add_folder(NvrtcSearch& search, const fs::path& folder) {
  bool any = false;
  for (const char* name : library_names) {
    std::error_code error;
    const fs::path file = fs::canonical(folder / name, error);
    if (error) continue;
    any = true;
    const auto same = [&](const NvrtcCandidate& other) { return other.file == file; };
    if (std::none_of(search.candidates.begin(), search.candidates.end(), same))
      search.candidates.push_back({file.string(), major_of(name), true});
  }
  if (!any) search.empty_folders.push_back(folder.string() + why_empty(folder));
}

/// The toolkits in a folder, the newest first.
void add_toolkits(NvrtcSearch& search, std::vector<fs::path>& folders, const fs::path& parent) {
  const std::vector<fs::path> toolkits = entries(parent, "cuda");
  for (const fs::path& toolkit : toolkits) add_toolkit(folders, toolkit);
  if (toolkits.empty()) search.empty_folders.push_back((parent / "cuda*").string() + no_folder);
}

void add_given(NvrtcSearch& search, const fs::path& given) {
  std::error_code none;
  if (fs::is_directory(given, none)) return add_folder(search, given);
  search.candidates.push_back({given.string(), 0, fs::exists(given, none)});
}

constexpr int oldest_major = 12;

/// Why a candidate is not taken; of several candidates the gravest reason heads the message.
enum class Refusal { absent, broken, too_old, too_new, for_later_devices };

struct Choice {
  int driver_version = 0, device = 0;  // 0: none, so all fit
  std::shared_ptr<const Nvrtc> nvrtc;  // of the one that fits
  Refusal gravest = Refusal::absent;
  std::string tried;  // a line for each

  int newest_major() const { return driver_version / 1000; }
  bool is_above_driver(int major) const { return driver_version != 0 && major > newest_major(); }
  /// @return false
  bool refuse(Refusal refusal, const std::string& file, const std::string& why) {
    gravest = std::max(gravest, refusal);
    tried.append("\n  ");
    if (!why.starts_with(file)) tried.append(file).append(": ");
    tried.append(why);
    return false;
  }
  bool refuse_version(const std::string& file, const std::string& version, bool above) {
    return refuse(above ? Refusal::too_new : Refusal::too_old, file,
                  "version " + version + (above ? " is newer than the driver" : " is too old"));
  }
};

/// Loads a candidate and compares its version and its devices. @return whether it fits
bool take(Choice& choice, const NvrtcCandidate& candidate) {
  std::string why;
  auto library = SharedLibrary::open(candidate.file, why);
  if (!library) {  // the loader begins its message with what it was asked for if there is none
    const bool is_absent = !candidate.exists && why.starts_with(candidate.file + ":");
    return choice.refuse(is_absent ? Refusal::absent : Refusal::broken, candidate.file, why);
  }
  const auto api = std::make_shared<const NvrtcApi>(*std::move(library));
  const std::string& missing = api->library.missing();
  const bool old = candidate.major != 0 && candidate.major < oldest_major;
  if (!missing.empty() && !old)
    return choice.refuse(Refusal::broken, candidate.file, "lacks" + missing);
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = std::make_shared<const Nvrtc>(api);
  } catch (const Error& error) {
    return choice.refuse(Refusal::broken, candidate.file, error.what());
  }
  const bool above = choice.is_above_driver(nvrtc->major());
  if (above || nvrtc->major() < oldest_major)
    return choice.refuse_version(nvrtc->path(), nvrtc->version(), above);
  if (choice.device != 0 && nvrtc->oldest_architecture() > choice.device)
    return choice.refuse(Refusal::for_later_devices, nvrtc->path(),
                         fmt::format("version {} begins with sm_{}", nvrtc->version(),
                                     nvrtc->oldest_architecture()));
  choice.nvrtc = std::move(nvrtc);
  return true;
}

/// The libraries are large: one that is too new by its name is not loaded.
bool consider(Choice& choice, const NvrtcCandidate& candidate) {
  if (!choice.is_above_driver(candidate.major)) return take(choice, candidate);
  if (candidate.exists)
    return choice.refuse_version(candidate.file, std::to_string(candidate.major), true);
  return choice.refuse(Refusal::absent, candidate.file, "newer than the driver, not tried");
}

std::string headline(const Choice& choice) {
  if (choice.gravest == Refusal::for_later_devices)
    return fmt::format("the device is older than what NVRTC compiles for: sm_{}", choice.device);
  constexpr std::array headlines{"NVRTC is not found", "NVRTC cannot be loaded", "NVRTC is too old",
                                 "NVRTC is too new for the driver"};
  return headlines.at(static_cast<std::size_t>(choice.gravest));
}

std::string needed(const Choice& choice) {
  const bool any_driver = choice.driver_version == 0;
  return fmt::format("library {}libnvrtc.so.12, version 12.0 or newer{}; install {}",
                     any_driver || choice.newest_major() > oldest_major ? "libnvrtc.so.13 or " : "",
                     any_driver
                         ? ""
                         : fmt::format(", of major version at most {}, as the driver's {}",
                                       choice.newest_major(), cuda_version(choice.driver_version)),
                     choice.gravest == Refusal::for_later_devices ? "an older one" : "it");
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

SearchRoots search_roots_of_environment() {
  return {.cuda_home = environment("CUDA_HOME"),
          .toolkits = "/usr/local",
          .home = environment("HOME"),
          .virtual_env = environment("VIRTUAL_ENV")};
}

NvrtcSearch find_nvrtc(const std::string& given, const SearchRoots& roots) {
  NvrtcSearch search;
  if (!given.empty()) {
    add_given(search, given);
    return search;
  }
  std::vector<fs::path> toolkits, environments;
  if (!roots.cuda_home.empty()) add_toolkit(toolkits, roots.cuda_home);
  if (!roots.toolkits.empty()) add_toolkits(search, toolkits, roots.toolkits);
  if (!roots.home.empty())
    add_environment(environments, fs::path(roots.home) / ".local" / "share" / "op2" / "cuda");
  if (!roots.virtual_env.empty()) add_environment(environments, roots.virtual_env);

  for (const auto& folder : toolkits) add_folder(search, folder);
  if (roots.loader_path)
    for (const char* name : library_names)
      search.candidates.push_back({name, major_of(name), false});
  for (const auto& folder : environments) add_folder(search, folder);
  return search;
}

void check_nvrtc_path(const std::string& given) {
  std::error_code none;
  if (given.empty()) return;
  std::string why;
  if (fs::is_directory(given, none)) {
    if (find_nvrtc(given, {}).candidates.empty()) why = why_empty(given);
  } else if (given.find('/') != given.npos && !fs::exists(given, none)) {
    why = ": no such file or folder";
  }
  if (!why.empty())
    core::fail(ErrorCode::device_compiler,
               "NVRTC is not found: OP2_NVRTC is {}{}; set it to libnvrtc.so.13, to libnvrtc.so.12 "
               "or to the folder of one, or do not set it",
               given, why);
}

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

}  // namespace op2::gpu
