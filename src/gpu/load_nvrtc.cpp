// SPDX-License-Identifier: BSD-3-Clause
// Which of the NVRTC libraries that are found is taken.
#include <algorithm>

#include <core/error.hpp>
#include <gpu/driver_api.hpp>
#include <gpu/nvrtc.hpp>

namespace op2::gpu {
namespace {

constexpr int oldest_major = 12;

/// What became of the candidates.
struct Choice {
  int driver_version = 0;
  std::shared_ptr<const Nvrtc> nvrtc;  // of the one that fits
  bool too_new = false, too_old = false, broken = false;
  std::string tried;  // a line for each

  bool is_above_driver(int major) const {
    return driver_version != 0 && major > driver_version / 1000;
  }
  void note(const std::string& file, const std::string& what) {
    tried.append("\n  ");
    if (!what.starts_with(file)) tried.append(file).append(": ");
    tried.append(what);
  }
  void note_version(const std::string& file, const std::string& version, bool above) {
    (above ? too_new : too_old) = true;
    note(file, "version " + version + (above ? " is newer than the driver" : " is too old"));
  }
};

void note_failure(Choice& choice, const NvrtcCandidate& candidate, const std::string& why) {
  choice.broken |= candidate.exists;
  choice.note(candidate.file, why);
}

/// Loads a candidate and compares its version. @return whether it fits
bool take(Choice& choice, const NvrtcCandidate& candidate) {
  std::string why;
  auto library = SharedLibrary::open(candidate.file, why);
  if (!library) return note_failure(choice, candidate, why), false;
  const auto api = std::make_shared<const NvrtcApi>(*std::move(library));
  const std::string& missing = api->library.missing();
  const bool old = candidate.major != 0 && candidate.major < oldest_major;
  if (!missing.empty() && !old) return note_failure(choice, candidate, "lacks" + missing), false;
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = std::make_shared<const Nvrtc>(api);
  } catch (const Error& error) {
    return note_failure(choice, candidate, error.what()), false;
  }
  const bool above = choice.is_above_driver(nvrtc->major());
  if (above || nvrtc->major() < oldest_major)
    return choice.note_version(api->library.path(), nvrtc->version(), above), false;
  choice.nvrtc = std::move(nvrtc);
  return true;
}

/// The libraries are large: one that is too new by its name is not loaded.
bool consider(Choice& choice, const NvrtcCandidate& candidate) {
  if (!choice.is_above_driver(candidate.major)) return take(choice, candidate);
  if (candidate.exists) choice.note_version(candidate.file, std::to_string(candidate.major), true);
  return false;
}

const char* headline(const Choice& choice) {
  if (choice.too_new) return "NVRTC is too new for the driver";
  if (choice.too_old) return "NVRTC is too old";
  return choice.broken ? "NVRTC cannot be loaded" : "NVRTC is not found";
}

std::string needed(int driver_version) {
  if (driver_version == 0) return "version 12.0 or newer";
  return "version 12.0 or newer, not newer than the driver's " + cuda_version(driver_version);
}

[[noreturn]] void fail(const Choice& choice, const NvrtcSearch& search) {
  std::string tried = choice.tried;
  for (const std::string& folder : search.empty_folders) tried.append("\n  ").append(folder);
  core::fail(ErrorCode::device_compiler,
             "{}: library libnvrtc.so.13 or libnvrtc.so.12, {}; install it as "
             "share/doc/op2/docs/gpu.md shows, or set OP2_NVRTC to the library or its folder. "
             "Tried:{}",
             headline(choice), needed(choice.driver_version), tried);
}

}  // namespace

std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version,
                                        const SearchRoots& roots) {
  NvrtcSearch search = find_nvrtc(paths.nvrtc, roots);
  std::stable_sort(search.candidates.begin(), search.candidates.end(),
                   [](const auto& a, const auto& b) { return a.major > b.major; });
  Choice choice;
  choice.driver_version = driver_version;
  for (const NvrtcCandidate& candidate : search.candidates)
    if (consider(choice, candidate)) return choice.nvrtc;
  fail(choice, search);
}

std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version) {
  return load_nvrtc(paths, driver_version, search_roots_of_environment());
}

}  // namespace op2::gpu
