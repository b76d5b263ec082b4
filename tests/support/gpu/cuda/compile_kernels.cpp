// SPDX-License-Identifier: BSD-3-Clause
#include "compile_kernels.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>
#include <stdexcept>

#include "compiler_log.hpp"
#include "elf_file.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "kernels_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("a folder cannot be made: " + path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& name, const std::string& text) {
  fs::create_directories(fs::path(name).parent_path());
  std::ofstream(name, std::ios::binary) << text;
}

std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
  return text;
}

const std::regex& kernel_head() {
  static const std::regex head(
      R"(__global__\s+void\s+(?:__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)?(\w+)\s*\()");
  return head;
}

/// What the library finds a module's parts by.
std::string entries(const std::string& source) {
  std::string text = R"(
extern "C" {
__constant__ char op2_emu_constant = 0;
extern char __start_op2_constant[] __attribute__((visibility("hidden"))), __stop_op2_constant[] __attribute__((visibility("hidden")));
char* op2_emu_constants[] = {__start_op2_constant, __stop_op2_constant};
alignas(16) thread_local char op2_emu_shared_end[16];
void* op2_emu_shared() { return op2_emu_shared_end; }
)";
  for (std::sregex_iterator k(source.begin(), source.end(), kernel_head()), end; k != end; ++k) {
    const std::string threads = (*k)[1].matched ? (*k)[1].str() : "1024";
    text += fmt::format(
        "void op2_emu_call_{0}(void** values) {{ op2_emu::call(&{0}, values); }}\n"
        "const int* op2_emu_sizes_{0}() {{ return op2_emu::sizes(&{0}); }}\n"
        "int op2_emu_threads_{0}() {{ return {1}; }}\n",
        (*k)[2].str(), threads);
  }
  return text + "}\n";
}

std::string this_library() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&compile_kernels), &info);
  return fs::absolute(info.dli_fname).string();
}

std::string commands(const TemporaryFolder& folder, int architecture,
                     const std::vector<std::string>& definitions, bool contracts) {
  std::string macros = fmt::format("-DOP2_EMU_ARCHITECTURE={}0", architecture);
  for (const std::string& definition : definitions) macros += " '-D" + definition + "'";
  return fmt::format(
      "{{ LC_ALL=C g++ -x c++ -std=c++20 -O1 -gdwarf-4 -g1 -w -fPIC -fno-exceptions -fno-rtti "
      "{3} -fno-tree-vectorize -fno-extern-tls-init -fsanitize=thread "
      "--param tsan-instrument-func-entry-exit=0 -fno-diagnostics-show-caret -nostdinc {1} "
      "-include '" OP2_EMU_DEVICE_HEADER
      "' -I '{0}' '{0}/kernels.cpp' -S -o '{0}/kernels.s' && "
      "sed -i 's/__tsan_/op2_emu_/g' '{0}/kernels.s' && "
      "g++ -shared -nostdlib -Wl,-z,defs,--no-demangle '{0}/kernels.s' '{2}' -lm -lc -lgcc "
      "-o '{0}/kernels.so'; }} 2> '{0}/log'",
      folder.file("."), macros, this_library(),
      contracts ? "-mfma -ffp-contract=fast -fexpensive-optimizations" : "-ffp-contract=off");
}

/// What ptxas refuses. Empty: nothing.
std::string beyond_limits(std::span<const std::byte> image) {
  const std::size_t shared = thread_local_bytes(image);
  const std::size_t constants = section_bytes(image, "op2_constant");
  if (shared > (std::size_t{48} << 10) + 16)
    return fmt::format(
        "ptxas error   : Entry function uses too much shared data ({:#x} bytes, 0xc000 max)\n",
        shared);
  if (constants > (std::size_t{64} << 10) + 16)
    return fmt::format(
        "ptxas error   : File uses too much global constant data ({:#x} bytes, 0x10000 max)\n",
        constants);
  return {};
}

Compiled compile(const Program& program, int architecture,
                 const std::vector<std::string>& definitions, bool contracts) {
  const TemporaryFolder folder;
  for (const Header& header : program.headers) write_file(folder.file(header.name), header.text);
  write_file(folder.file("kernels.cpp"),
             fmt::format("#line 1 \"{}\"\n{}\n#line 1 \"entries\"\n{}", program.name,
                         program.source, entries(program.source)));
  const int status = std::system(commands(folder, architecture, definitions, contracts).c_str());
  Compiled compiled;
  const std::string said = without(read_file(folder.file("log")), folder.file("./"));
  compiled.log = nvrtc_log(said, program);
  if (status != 0 && compiled.log.empty())
    compiled.log = said + "the compiler of the host has failed\n";
  if (status != 0) return compiled;
  const std::string image = read_file(folder.file("kernels.so"));
  const auto bytes = std::as_bytes(std::span(image));
  compiled.log += beyond_limits(bytes);
  compiled.ok = compiled.log.empty();
  if (compiled.ok) compiled.image.assign(bytes.begin(), bytes.end());
  return compiled;
}

/// All that the result follows from.
std::string key_of(const Program& program, int architecture,
                   const std::vector<std::string>& definitions, bool contracts) {
  std::string key = fmt::format("{} {} {} {} ", architecture, contracts, program.headers.size(),
                                definitions.size());
  const auto add = [&key](const std::string& field) {
    key += fmt::format("{}:{}", field.size(), field);
  };
  add(program.name);
  add(program.source);
  for (const Header& header : program.headers) {
    add(header.name);
    add(header.text);
  }
  for (const std::string& definition : definitions) add(definition);
  return key;
}

/// What this process has compiled without a finding.
struct Known {
  std::mutex mutex;
  std::map<std::string, Compiled> programs;
};

Known& known() {
  static Known all;
  return all;
}

}  // namespace

std::vector<std::string> kernels_of(const std::string& source) {
  std::vector<std::string> names;
  for (std::sregex_iterator k(source.begin(), source.end(), kernel_head()), end; k != end; ++k)
    names.push_back((*k)[2]);
  return names;
}

Compiled compile_kernels(const Program& program, int architecture,
                         const std::vector<std::string>& definitions, bool contracts) {
  const std::string key = key_of(program, architecture, definitions, contracts);
  {
    const std::lock_guard lock(known().mutex);
    if (const auto found = known().programs.find(key); found != known().programs.end())
      return found->second;
  }
  const Compiled compiled = compile(program, architecture, definitions, contracts);
  const std::lock_guard lock(known().mutex);
  if (compiled.ok) known().programs.emplace(key, compiled);
  return compiled;
}

}  // namespace op2::test::gpu::cuda
