// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: a file from which a program goes on where another run of it has ended, on any number
// of ranks (docs/files.md). It holds all dats (except temporary dats), all lazy globals, and the
// values that the program names. All functions are collective; an error on one rank is an error on
// all.
//
//     op_decl_...                                  // the same mesh and data as ever
//     int step = 0;
//     op_keep("step", &step);
//     op_restore("flow.ckpt");                     // nothing happens if there is no such file
//     op_checkpoint_at("flow.ckpt", {.every_seconds = 1800, .signal = SIGUSR1});
//     while (step < steps) {
//       ...
//       ++step;
//       if (op_checkpoint_step()) break;           // the signal came: all is written
//     }
#pragma once

#include <cstdint>

#include <op2/types.hpp>

namespace op2::detail {
OP2_API void keep(const char* name, int count, Type value_type, void* values);
}  // namespace op2::detail

/// Values of the program that belong to a checkpoint, under a name: the number of the step, the
/// time, a random state. To be called on all ranks. Those of the root are written; `op_restore`
/// sets them on all ranks.
/// @param values  shape [count]; read and written until `op_exit`
/// @throws op2::Error bad_name (empty, or kept already), bad_size, null_data
template <op2::Value T>
void op_keep(const char* name, T* values, int count = 1) {
  op2::detail::keep(name, count, op2::type_of<T>(), values);
}

/// Executes pending loops, finishes results that are written in the background (OP2_ASYNC_IO), and
/// writes the checkpoint. An earlier file of this name is replaced when
/// the new one is complete and on the disk: a program that is killed at any time leaves one of
/// them. Each rank writes its rows. Cost: the time to write all dats, checksums included; memory:
/// those rows of one dat that other ranks own.
/// @throws op2::Error bad_name (an empty path), io_failure (the disk, also for earlier results),
/// what executing loops may throw
OP2_API void op_checkpoint(const char* file);

/// Executes pending loops and sets everything that the checkpoint holds. The program must have
/// declared and kept the same before, in the same order: sets, maps with the same entries, dats,
/// lazy globals, values. The number of ranks and the partition may be others. Everything is checked
/// before anything is changed. Cost: the file is read twice; memory: one dat.
/// @return false, and nothing is changed, if there is no such file
/// @throws op2::Error bad_checkpoint (of another program, mesh or version, or damaged; the message
/// names the first difference), io_failure
OP2_API bool op_restore(const char* file);

/// When `op_checkpoint_step` writes: what is 0 does not count.
struct op_checkpoint_times {
  std::int64_t every_steps = 0;  ///< calls of op_checkpoint_step
  double every_seconds = 0;      ///< of wall clock time since the last one, on the slowest rank
  int signal = 0;  ///< one that a batch system sends before it ends the job, e.g. SIGUSR1; the
                   ///< library handles it until `op_exit`
};

/// Sets where and when `op_checkpoint_step` writes; a later call replaces an earlier one.
/// @throws op2::Error bad_name (an empty path), bad_range (negative, or a signal that cannot be
/// handled)
OP2_API void op_checkpoint_at(const char* file, const op_checkpoint_times& times);

/// To be called once in each time step. Writes a checkpoint if it is time; otherwise pending loops
/// stay pending. Ranks agree about once in half a second, and at every 16th call at the latest, by
/// one reduction, unless only steps are counted.
/// @return whether the signal has come to any rank: then the checkpoint is written, and the program
/// should end
/// @throws op2::Error bad_range (op_checkpoint_at was not called), and as op_checkpoint
OP2_API bool op_checkpoint_step();
