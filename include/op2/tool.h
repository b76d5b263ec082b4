/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a tool may define: a library that OP2_TOOLS=libtool.so,... loads into a program and that is
 * told what the program does. All functions have C linkage and are optional, and are called by the
 * thread that called op_init. Names are those of the tables of OP2_TIMING; they are valid during
 * the call alone. Begin and end are nested. A tool must neither throw nor call the library. */
#ifndef OP2_TOOL_H
#define OP2_TOOL_H

#ifdef __cplusplus
extern "C" {
#endif

/** Found by dlsym, also in a library whose other functions are hidden. */
#define OP2_TOOL_API __attribute__((visibility("default")))

/** Changes if functions change their meaning; new ones may be added to it. */
#define OP2_TOOL_INTERFACE 1

/** First and last call of a session, in op_init (when all tools are loaded) and op_exit. */
OP2_TOOL_API void op2_tool_init(int interface_version, int rank, int ranks);
OP2_TOOL_API void op2_tool_finalize(void);

/** The library works: "loops" when queued loops are executed; inside that, or alone, "plans",
 * "code", "packing", "messages", "reductions"; "declarations", "partition", "files", "results". */
OP2_TOOL_API void op2_tool_begin_part(const char* part);
OP2_TOOL_API void op2_tool_end_part(const char* part);

/** A loop on a CPU, or loops that were fused ("a+b"); "tiles": several loops, tile by tile. On
 * several ranks a loop may run in two pieces. */
OP2_TOOL_API void op2_tool_begin_loop(const char* name);
OP2_TOOL_API void op2_tool_end_loop(const char* name);

/** A loop, or loops that were fused, ran on a GPU for so many seconds; inside "loops", after the
 * host has waited for it. If a tool has this function, the host waits for the GPU after each
 * group of loops that follow each other there, as with OP2_TIMING; otherwise it does not. */
OP2_TOOL_API void op2_tool_loop_on_device(const char* name, double seconds);

/** A region of the program (op2/region.hpp); its loops may run later. */
OP2_TOOL_API void op2_tool_begin_region(const char* name);
OP2_TOOL_API void op2_tool_end_region(const char* name);

#ifdef __cplusplus
}
#endif

#endif
