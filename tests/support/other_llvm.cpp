// SPDX-License-Identifier: BSD-3-Clause
// For LD_PRELOAD: a library of a version of LLVM that libop2 is never built with.

extern "C" __attribute__((visibility("default"))) void LLVMGetVersion(unsigned* major,
                                                                      unsigned* minor,
                                                                      unsigned* patch) {
  *major = 12;
  *minor = 3;
  *patch = 4;
}
