#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What page_style.py finds in a page, and what it leaves alone."""

import unittest

from page_style import faults

LONG_LINE = "x " * 61
LONG_SENTENCE = "\n".join(["a b c d e"] * 8)  # 40 words


def numbers(text):
    return [number for number, _ in faults(text.splitlines())]


class PageStyle(unittest.TestCase):
    def test_a_long_line_and_a_long_sentence_are_found(self):
        self.assertEqual([2], numbers("short\n" + "x" * 121))
        self.assertEqual([3], numbers("Title.\n\n" + LONG_SENTENCE))

    def test_a_sentence_ends_with_its_stop_its_paragraph_or_its_item(self):
        half = "a b c d e\n" * 4
        for joint in (". ", "\n\n", "\n* ", "\n## heading\n", "? "):
            self.assertEqual([], numbers(half.strip() + joint + half), joint)
        self.assertEqual([1], numbers(half + half))

    def test_a_full_stop_in_a_name_or_in_code_ends_nothing(self):
        half = "a b c d e\n" * 4
        for joint in ("a.hpp ", "`x. y` "):
            self.assertEqual([1], numbers(half + joint + half), joint)

    def test_tables_and_code_are_left_alone(self):
        for text in ("| " + LONG_LINE, "```\n" + LONG_LINE + "\n```", "    " + LONG_LINE, "* item\n\n      " + LONG_LINE):
            self.assertEqual([], numbers(text), text)

    def test_the_second_paragraph_of_an_item_is_no_code(self):
        self.assertEqual([3], numbers("* item\n\n    " + LONG_SENTENCE.replace("\n", "\n    ")))

    def test_code_is_one_word_and_targets_of_links_are_none(self):
        self.assertEqual([], numbers("`" + "x " * 40 + "`\n" + "[a b\nc](d.md#e) " * 11))


if __name__ == "__main__":
    unittest.main()
