# SPDX-License-Identifier: BSD-3-Clause
"""What a public header declares: macros, types, functions, also of classes, and variables of namespaces."""

import re
from collections import Counter

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)  # comments and texts
MACRO = re.compile(r"^# *define +(\w+)", re.MULTILINE)
TEMPLATE = re.compile(r"^template <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>\s*")
TYPE = re.compile(r"(?:class|struct|union|enum class|enum)\s+(?:OP2_\w*API\s+)?(\w+)|(?:concept|using)\s+(\w+)\s*="
                  r"|typedef\b[^()]*?(\w+)$|TAILQ_HEAD\((\w+)")
FUNCTION = re.compile(r"(operator\b[^(]+|~?\b\w+)\(")
VARIABLE = re.compile(r"(\w+)(?: =.*)?$", re.DOTALL)
FORWARD = re.compile(r"(?:class|struct|union|enum) \w+$")
LABEL = re.compile(r"\b(public|private|protected):(?!:)")


def name_of(statement, in_class):
    """What a statement declares, or None: fields, deleted functions, those that only refuse arguments, names of other scopes."""
    if re.search(r"= delete$|\bop2::No[A-Z]|^using [\w:]+$|^(?:friend|static_assert|TAILQ_ENTRY)\b", statement):
        return None
    code = TEMPLATE.sub("", statement)
    found = TYPE.match(code)
    if found:
        return next(filter(None, found.groups()))
    found = FUNCTION.search(code.split(" = ")[0]) or (not in_class and VARIABLE.search(code))
    return found.group(1).strip() if found else None


def scope_of(head):
    """What a brace after `head` opens: "open" (a namespace), "class", "struct" or "hidden" (a body, a private namespace)."""
    if re.match(r"namespace [\w:]*(?<!detail)$|extern$", head):
        return "open"
    found = re.match(r"(class|struct)\b[^(]*$", TEMPLATE.sub("", head))
    return found.group(1) if found else "hidden"


def statements(code):
    """Statements of namespaces and public ones of classes, without the bodies of functions, and whether they are of a class."""
    scopes, visible, statement = ["open"], [True], ""
    for token in re.findall(r"[{};]|[^{};]+", code):
        shown, in_class = all(visible), scopes[-1] in ("class", "struct")
        if token in "{;":
            head, statement = statement.strip(), ""
            scope = scope_of(head) if token == "{" else None
            forward = token == ";" and FORWARD.match(head)
            if head and shown and scope != "open" and not head.startswith("namespace") and not forward:
                yield head, in_class
            if scope:
                scopes.append(scope)
                visible.append(scope in ("open", "struct"))
        elif token == "}":
            scopes.pop()
            visible.pop()
            statement = ""
        else:
            labels = LABEL.findall(token) if in_class else []
            visible[-1] = labels[-1] == "public" if labels else visible[-1]
            statement = LABEL.sub("", token) if labels else statement + token


def declarations(text):
    """Number of declarations of each name; macros and what follows @cond count as in the reference."""
    code = IGNORED.sub("", re.sub(r"/// @cond.*?/// @endcond", "", text, flags=re.DOTALL)).replace("\\\n", "")
    macros = {name for name in MACRO.findall(code) if not name.endswith("_H")}
    code = re.sub(r"^#.*", "", code, flags=re.MULTILINE)
    names = filter(None, (name_of(statement, in_class) for statement, in_class in statements(code)))
    return Counter(names) + Counter(macros)
