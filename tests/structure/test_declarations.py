#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What declarations.py finds in headers, one form of declaration after the other."""

import unittest
from collections import Counter

from declarations import declarations


def names(text):
    return sorted(declarations(text).elements())


class Declarations(unittest.TestCase):
    def test_functions_are_counted_with_their_overloads(self):
        self.assertEqual(declarations("OP2_API int f(int a);\ninline int f() {\n  return g();\n}\n\nvoid h();"), Counter(f=2, h=1))

    def test_templates_and_constraints(self):
        self.assertEqual(names("template <op2::Value T, class = std::array<T, 2>>\nvoid f(T* x);\n"
                               "template <class C>\nconcept Sized = std::ranges::sized_range<C> && g<C>();"), ["Sized", "f"])

    def test_types_and_their_other_names(self):
        self.assertEqual(names("struct F;\nstruct A {};\nenum class B : int { one };\nclass OP2_API C : public A {};\nusing D = int (*)(A);\n"
                               "typedef struct A* E;\nTAILQ_HEAD(list, A);"), ["A", "B", "C", "D", "E", "list"])

    def test_what_a_class_shows(self):
        self.assertEqual(names("class A {\n  int a_;\n  void hidden();\n public:\n  A(int a) : a_{a} { f(); }\n  ~A();\n"
                               "  A(const A&) = delete;\n  operator int() const { return a_; }\n private:\n  int b();\n};"),
                         ["A", "A", "operator int", "~A"])
        self.assertEqual(names("struct A {\n  int field = 0;\n  TAILQ_ENTRY(A) next;\n  void f();\n};"), ["A", "f"])

    def test_namespaces(self):
        self.assertEqual(names("namespace op2 {\nnamespace detail {\nvoid a();\n}\nnamespace {\nvoid b();\n}\nint c();\n}\n"
                               "namespace op2::detail {\nvoid d();\n}\nextern \"C\" {\nvoid e();\n}\nusing op2::c;"), ["c", "e"])

    def test_macros_and_variables(self):
        self.assertEqual(names("#ifndef OP2_X_H\n#define OP2_X_H\n# define A(x) \\\n  f(x);\n/* #define B */\n"
                               "constexpr int c = g();\n#endif"), ["A", "c"])

    def test_forms_that_refuse_arguments_do_not_count(self):
        self.assertEqual(names("template <op2::NoValues C>\nvoid f(C) {\n  refuse<C>();\n}"), [])

    def test_comments_and_texts_are_not_code(self):
        self.assertEqual(names("// void a();\n/* struct b; */\nvoid c(const char* d = \"}; void e();\");\n"
                               "/// @cond\nvoid f();\n/// @endcond\n"), ["c"])


if __name__ == "__main__":
    unittest.main()
