// SPDX-License-Identifier: BSD-3-Clause
// The program's compiler has expanded `assert` in an OP_KERNEL: glibc's has `__extension__`.
#undef assert
#undef __assert_fail
#undef __extension__
#define __extension__
#define __assert_fail(condition, file, line, function) __assertfail(condition, file, line, function, 1)
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
