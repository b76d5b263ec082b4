// SPDX-License-Identifier: BSD-3-Clause
// <assert.h> for kernels. Without a guard: NDEBUG may have changed since.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
extern "C" [[noreturn]] void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
