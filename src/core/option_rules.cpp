// SPDX-License-Identifier: BSD-3-Clause
#include <core/option_rules.hpp>

#include <sys/auxv.h>

#include <core/error.hpp>

namespace op2::core {
namespace {

/// The reference executes every loop as written, since others are compared with it.
void restrict_to_reference(Options& options) {
  options.eliminate_dead_loops = false;
  options.fuse = false;
  options.tile.mode = TileMode::off;
  if (!options.reproducible) options.renumber = RenumberMode::off;
}

[[noreturn]] void refuse_reproducible(const char* setting, const char* why) {
  fail(ErrorCode::bad_option,
       "two switches exclude each other: OP2_REPRODUCIBLE=on and {}, since {}; unset one of them",
       setting, why);
}

/// All loops run as compiled code, whose form alone decides the bits.
void restrict_to_reproducible(Options& options) {
  if (options.vector_math)
    refuse_reproducible("OP2_VECTOR_MATH=on",
                        "vector functions round in another way than those that scalar code calls");
  if (options.jit == JitMode::off)
    refuse_reproducible("OP2_JIT=off", "host functions have the arithmetic of another compiler");
  if (!options.jit_wait)
    refuse_reproducible("OP2_JIT_WAIT=off",
                        "host functions have the arithmetic of another compiler");
  if (options.target == Target::cuda && options.contraction == Contraction::on)
    refuse_reproducible("OP2_FP_CONTRACT=on and OP2_TARGET=cuda",
                        "compilers for GPUs contract by other rules");
  options.jit = JitMode::require;
  // The canonical order decides in which order is added, so any other one would need slots.
  if (options.renumber == RenumberMode::automatic) options.renumber = RenumberMode::canonical;
  if (options.target != Target::reference) return;
  if (options.renumber == RenumberMode::on) options.renumber = RenumberMode::canonical;
  options.target = Target::cpu;
  options.threads = 1;
  options.simd = SimdMode::off;
  options.chain = ChainMode::off;
}

}  // namespace

bool is_privileged() {
  return getauxval(AT_SECURE) != 0;
}

void apply_rules(Options& options) {
  if (options.check_bits && !options.reproducible)
    fail(ErrorCode::bad_option,
         "a switch needs another: OP2_CHECK=bits compares bits that are equal only with "
         "OP2_REPRODUCIBLE=on; set that too");
  if (options.target == Target::reference) restrict_to_reference(options);
  if (options.reproducible) restrict_to_reproducible(options);
}

}  // namespace op2::core
