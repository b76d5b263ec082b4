// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/shared_library.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <core/error.hpp>
#include <core/hash.hpp>

namespace op2::gpu {
namespace {

/// Null if the loader does not know it.
const link_map* entry_of(void* handle) {
  link_map* entry = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0 ? entry : nullptr;
}

std::string path_of(void* handle, const std::string& file) {
  const link_map* entry = entry_of(handle);
  return entry == nullptr || entry->l_name[0] == '\0' ? file : entry->l_name;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The content of the note NT_GNU_BUILD_ID; empty if there is none.
std::span<const std::uint8_t> build_id_in(const std::uint8_t* notes, std::size_t bytes) {
  const std::uint8_t* const end = notes + bytes;
  while (end - notes >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::uint8_t* const name = notes + sizeof note;
    const std::uint8_t* const content = name + aligned(note.n_namesz);
    if (content + note.n_descsz > end) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return {content, note.n_descsz};
    notes = content + aligned(note.n_descsz);
  }
  return {};
}

/// A loaded library, and what its notes say.
struct Sought {
  ElfW(Addr) address;
  std::span<const std::uint8_t> build_id;
};

int look_at(dl_phdr_info* library, std::size_t, void* data) {
  auto& sought = *static_cast<Sought*>(data);
  if (library->dlpi_addr != sought.address) return 0;
  for (const ElfW(Phdr) & part : std::span(library->dlpi_phdr, library->dlpi_phnum))
    if (part.p_type == PT_NOTE && sought.build_id.empty())
      sought.build_id = build_id_in(
          reinterpret_cast<const std::uint8_t*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  return 1;
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

constexpr const char* absent = ": no such folder";

const char* why_empty(const fs::path& folder) {
  std::error_code none;
  return fs::is_directory(folder, none) ? ": no libnvrtc.so.13 or .12 in it" : absent;
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
  if (toolkits.empty()) search.empty_folders.push_back((parent / "cuda*").string() + absent);
}

void add_given(NvrtcSearch& search, const fs::path& given) {
  std::error_code none;
  if (fs::is_directory(given, none)) return add_folder(search, given);
  search.candidates.push_back({given.string(), 0, fs::exists(given, none)});
}

}  // namespace

SharedLibrary::SharedLibrary(void* handle, std::string path)
    : handle_(handle), path_(std::move(path)) {}

std::optional<SharedLibrary> SharedLibrary::open(const std::string& file, std::string& why) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why = dlerror();
    return std::nullopt;
  }
  return SharedLibrary(handle, path_of(handle, file));
}

std::string SharedLibrary::build_id() const {
  const link_map* entry = entry_of(handle_);
  if (entry == nullptr) return "unknown";
  Sought sought{entry->l_addr, {}};
  dl_iterate_phdr(look_at, &sought);
  return sought.build_id.empty() ? "unknown" : core::to_hex(sought.build_id);
}

void* SharedLibrary::find(const char* name) {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) missing_.append(" ").append(name);
  return address;
}

std::string file_or_in_folder(const std::string& path, const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  return (std::filesystem::path(path) / name).string();
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

}  // namespace op2::gpu
