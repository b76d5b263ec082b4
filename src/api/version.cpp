// SPDX-License-Identifier: BSD-3-Clause
#include <api/version.hpp>

#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include <fmt/format.h>

#include <op2/version.hpp>

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
