# SPDX-License-Identifier: BSD-3-Clause
"""One file for each format."""
