// SPDX-License-Identifier: BSD-3-Clause
#include <api/session.hpp>

#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <op2/version.hpp>

#include <core/error.hpp>
#include <core/text.hpp>

namespace op2::api {
namespace {

/// Versions of one interface replace each other: "0.1" of 0.1.2, "1" of 1.2.3.
constexpr std::string_view interface_of(std::string_view version) {
  const auto point = version.find('.');
  return version.substr(0, version.front() == '0' ? version.find('.', point + 1) : point);
}
static_assert(interface_of("0.10.2") == "0.10" && interface_of("12.0.1") == "12");
static_assert(interface_of(OP2_VERSION_STRING) == OP2_INTERFACE,
              "the build was configured for another version than that of the headers");

struct OtherVersions {
  ElfW(Addr) own;     ///< where this library is loaded
  std::string paths;  ///< of the others, separated by commas
};

/// For dl_iterate_phdr, with an OtherVersions. It must not call the loader, whose locks are held.
int add_other_version(dl_phdr_info* loaded, std::size_t, void* found) {
  auto& others = *static_cast<OtherVersions*>(found);
  const std::string_view path = loaded->dlpi_name;
  if (loaded->dlpi_addr == others.own) return 0;
  if (path.substr(path.rfind('/') + 1).starts_with("libop2.so"))
    others.paths.append(others.paths.empty() ? "" : ", ").append(path);
  return 0;
}

/// The parts of OP2_BUILT_IN, "  HDF5      1.10.8, parallel\n" or "  MPI       no\n", and what
/// needs nothing to be built.
std::map<std::string, bool> parts() {
  std::map<std::string, bool> found{{"cuda", true}};
  std::istringstream lines(OP2_BUILT_IN);
  for (std::string name, version; lines >> name && std::getline(lines >> std::ws, version);) {
    const bool is_built = version != "no";
    found[core::lower_case(name)] = is_built;
    if (name == "HDF5") found["parallel_hdf5"] = is_built && version.ends_with("parallel");
  }
  return found;
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "libop2 {} (interface {}), compiled by {}\n"
      "{}"
      "  at run time: NVIDIA's driver and NVRTC for OP2_TARGET=cuda, libsleef for "
      "OP2_REPRODUCIBLE=on, where they are found\n",
      OP2_VERSION_STRING, OP2_INTERFACE, OP2_COMPILER, OP2_BUILT_IN);
}

std::string other_versions() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&add_other_version), &own);
  OtherVersions others{reinterpret_cast<ElfW(Addr)>(own.dli_fbase), {}};
  dl_iterate_phdr(add_other_version, &others);
  return others.paths;
}

}  // namespace op2::api

const char* op2_version() {
  return OP2_VERSION_STRING;
}

bool op_has(const char* part) {
  const std::map<std::string, bool> known = op2::api::parts();
  const auto found = known.find(op2::core::lower_case(part == nullptr ? "" : part));
  if (found != known.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, is_built] : known) names.push_back(name);
  op2::core::fail(op2::ErrorCode::bad_option,
                  "unknown part of the library: op_has(\"{}\"); use one of {}",
                  part == nullptr ? "" : part, fmt::format("{}", fmt::join(names, ", ")));
}
