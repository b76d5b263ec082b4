// SPDX-License-Identifier: BSD-3-Clause
// A library with NVRTC's functions, of version OP2_STUB_NVRTC_MAJOR.OP2_STUB_NVRTC_MINOR. A source
// says what becomes of it: "reject", "crash" (with that as the log) or "memory"; of others, the
// "PTX" lists all that was passed.
#include <cstddef>
#include <cstring>
#include <string>

namespace {

struct Program {
  std::string source, input, log, ptx, cubin;
};

int give(const std::string& bytes, char* to) {
  std::memcpy(to, bytes.data(), bytes.size());
  return 0;
}

int give_size(const std::string& bytes, std::size_t* size) {
  *size = bytes.size();
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = OP2_STUB_NVRTC_MAJOR;
  *minor = OP2_STUB_NVRTC_MINOR;
  return 0;
}
const char* nvrtcGetErrorString(int) {
  return "NVRTC_ERROR_OF_STUB";
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = OP2_STUB_NVRTC_MAJOR < 13 ? 50 : 75;
  architectures[1] = 121;
  architectures[2] = 90;
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char* name, int count,
                       const char* const* headers, const char* const* names) {
  if (std::strcmp(source, "memory") == 0) return 1;
  *program = new Program{source, std::string(name) + ": " + source, "", "", ""};
  for (int k = 0; k < count; ++k)
    (*program)->input.append(" <").append(names[k]).append("=").append(headers[k]).append(">");
  return 0;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  for (int k = 0; k < count; ++k) program->input.append(" ").append(options[k]);
  const auto with_zero = [](const std::string& text) { return text + '\0'; };
  program->log = with_zero("log of " + program->source);
  if (program->source == "reject") return 6;
  if (program->source == "crash") return 11;
  program->ptx = with_zero(program->input);
  program->cubin = std::string(
      "\x7f"
      "ELF",
      4);
  return 0;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
  return give_size(program->log, size);
}
int nvrtcGetProgramLog(Program* program, char* log) {
  return give(program->log, log);
}
int nvrtcGetPTXSize(Program* program, std::size_t* size) {
  return give_size(program->ptx, size);
}
int nvrtcGetPTX(Program* program, char* ptx) {
  return give(program->ptx, ptx);
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  return give_size(program->cubin, size);
}
int nvrtcGetCUBIN(Program* program, char* cubin) {
  return give(program->cubin, cubin);
}
}
