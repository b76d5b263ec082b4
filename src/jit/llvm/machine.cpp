// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <sys/prctl.h>

#include <jit/llvm/math_libraries.hpp>
#include <jit/llvm/versions.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

/// The build id that the static linker wrote into a file; empty if it has none or cannot be read.
std::string build_id_of(const std::string& path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (file) return llvm::toHex(llvm::object::getBuildID(file->getBinary()), true);
  llvm::consumeError(file.takeError());
  return {};
}

/// The file of a loaded library; empty if there is none.
std::string file_of(void* library) {
  link_map* place = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &place) != 0) return {};
  return place->l_name;
}

/// That of the LLVM that compiles, in hexadecimal; "unknown" if it has none. Distinguishes builds
/// of one version. Reads the file that libop2 was built with, or libop2_clang, which may contain
/// it; if the file is elsewhere now, loads it, which takes 10 ms.
std::string build_id_of_llvm() {
  const auto folder = library_folder(reinterpret_cast<const void*>(&build_id_of_llvm));
  std::string id = build_id_of(folder / OP2_LLVM_LIBRARY);
  if (id.empty()) id = build_id_of(file_of(dlopen(OP2_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL)));
  return id.empty() ? "unknown" : id;
}

/// Of AArch64, where LLVM names only features that are there. A virtual machine may lack what its
/// processor has.
constexpr const char* features_of_arm[] = {"lse", "sve", "sve2"};

/// Features of the running machine; LLVM's map has no order. Without AVX10, which stands for
/// features that are listed, too: Clang warns of it in every compilation.
std::vector<std::pair<std::string, bool>> host_features(const TargetInfo& target) {
  auto found = features_of_host();
  if (is_arm(target))
    for (const char* feature : features_of_arm) found.try_emplace(feature, false);
  std::vector<std::pair<std::string, bool>> features;
  for (const auto& feature : found) {
    if (!feature.getKey().starts_with("avx10."))
      features.emplace_back(feature.getKey().str(), feature.getValue());
  }
  std::ranges::sort(features);
  return features;
}

/// Of a CPU that the user named: what it has, as far as the running machine can tell; of the
/// running machine also what it lacks.
/// @return false if the running machine lacks something of another CPU; `message` lists it
bool add_features(const llvm::Target& target, Machine& machine, bool is_host,
                  std::string& message) {
  const std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target.createMCSubtargetInfo(TargetTriple(machine.info.triple), machine.info.cpu, ""));
  std::vector<std::string> present, lacking, all;
  for (const auto& [feature, in_host] : host_features(machine.info)) {
    if (!is_host && !cpu->checkFeatures("+" + feature)) continue;
    (in_host ? present : lacking).push_back("+" + feature);
    all.push_back((in_host ? "+" : "-") + feature);
  }
  machine.info.features = fmt::format("{}", fmt::join(present, ","));
  machine.features = fmt::format("{}", fmt::join(all, ","));
  if (is_host || lacking.empty()) return true;
  message = fmt::format("this machine lacks what CPU '{}' has: {}", machine.info.cpu,
                        fmt::join(lacking, ","));
  return false;
}

/// Zen executes a gather or scatter as slowly as single loads and stores, and more besides.
void prefer_single_loads(Machine& machine) {
  if (!machine.info.cpu.starts_with("znver")) return;
  for (std::string* list : {&machine.info.features, &machine.features}) {
    *list += ",+prefer-no-gather,+prefer-no-scatter";
  }
}

/// Whether LLVM's tuning prefers 256 bits on a CPU with 512: on Intel's (Airfoil on Cascade Lake
/// takes 0.78 of the time). A level, x86-64-v4, stands for CPUs of others, too.
bool prefers_half(const llvm::Target& target, const TargetInfo& info) {
  if (info.cpu.starts_with("x86-64")) return false;
  const std::unique_ptr<llvm::MCSubtargetInfo> tuned(
      target.createMCSubtargetInfo(TargetTriple(info.triple), info.cpu, ""));
  return tuned->checkFeatures("+prefer-256-bit");
}

/// The length of SVE's registers in this process, which the kernel or whoever started the process
/// has chosen; 0: it has none.
int bytes_of_sve() {
  return std::max(prctl(PR_SVE_GET_VL), 0) & PR_SVE_VL_LEN_MASK;
}

/// On AArch64: registers of SVE if they are as long as those of Neoverse V1 or A64FX, else pairs of
/// NEON's, which every processor has. (The vectoriser makes no vectors of two doubles.)
/// @return  and names the length of SVE's registers, which code is for then
int vector_bytes_of_arm(std::string& features) {
  const int bytes = has_feature(features, "sve") ? bytes_of_sve() : 0;
  if (bytes != 32 && bytes != 64) return 2 * 16;
  features += fmt::format(",sve-bits={}", 8 * bytes);
  return bytes;
}

/// Of the registers that arithmetic on doubles is to use: the widest, or half of them.
int vector_bytes_of(const llvm::Target& target, TargetInfo& info) {
  if (is_arm(info)) return vector_bytes_of_arm(info.features);
  if (has_feature(info.features, "avx512f")) return prefers_half(target, info) ? 32 : 64;
  if (has_feature(info.features, "avx")) return 32;
  return has_feature(info.features, "sse2") ? 16 : 0;
}

/// LLVM's version, its build (packagers patch), and what we hand to it.
std::string compiler_name() {
  return fmt::format("LLVM {} build {} toolchain {}", LLVM_VERSION_STRING, build_id_of_llvm(),
                     toolchain_fingerprint());
}

}  // namespace

std::optional<Machine> find_machine(const std::string& cpu, std::string& message) {
  LLVM_NATIVE_TARGETINFO();
  LLVM_NATIVE_TARGETMC();
  Machine machine;
  machine.info.triple = llvm::sys::getProcessTriple();
  machine.info.compiler = compiler_name();
  machine.info.cpu = cpu.empty() ? llvm::sys::getHostCPUName().str() : cpu;
  const auto* target =
      llvm::TargetRegistry::lookupTarget(TargetTriple(machine.info.triple), message);
  if (target == nullptr) return std::nullopt;
  const std::unique_ptr<llvm::MCSubtargetInfo> generic(
      target->createMCSubtargetInfo(TargetTriple(machine.info.triple), "", ""));
  if (!generic->isCPUStringValid(machine.info.cpu)) {
    message = fmt::format("LLVM knows no CPU '{}' for {}", machine.info.cpu, machine.info.triple);
    return std::nullopt;
  }
  if (!add_features(*target, machine, cpu.empty(), message)) return std::nullopt;
  prefer_single_loads(machine);
  machine.info.vector_bytes = vector_bytes_of(*target, machine.info);
  machine.info.vector_math = vector_math_of(machine.info);
  return machine;
}

std::string build_of_consistent_library() {
  const std::string file = file_of(loaded_consistent_library());
  if (file.empty()) return {};
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(file, ignored);
  const std::string id = build_id_of(file);
  return id.empty() ? real.string() : real.filename().string() + " " + id;
}

}  // namespace op2::jit
