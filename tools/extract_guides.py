#!/usr/bin/env python3
"""Turns the C++ blocks of guides (docs/guides/*.md) into programs, runs them, and compares their output with the guides.

    extract_guides.py write GUIDE.md OUTPUT.cpp       the blocks of a guide as a function
    extract_guides.py main NAME... OUTPUT.cpp         a program that runs the functions of these guides
    extract_guides.py check GUIDE.md PROGRAM          runs a guide, and compares; numbers may differ
    extract_guides.py update GUIDE.md PROGRAM         writes what the guide prints into its output blocks
    extract_guides.py format GUIDE.md                 formats the C++ blocks by clang-format

In a guide,

- ```cpp blocks are statements, in order. A block that begins with a class, a function, a template, an alias, or #include is at
  namespace scope; so is one marked ```cpp global. ```cpp fragment is not compiled.
- Each section (##) is a scope, in which the names declared above the first section are visible. <!-- continued --> after its heading
  makes it part of the previous section. A block that redeclares a name of its section begins a new scope.
- ```text output shows the output of the blocks since the last output block. A line "..." stands for any lines. ```text output machine
  depends on the machine, and is not compared.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "@@guide "
OUTPUTS = ("output", "machine")
INCLUDES = ["algorithm", "antler/antler.h", "cmath", "cstdio", "filesystem", "fstream", "iostream", "memory", "random", "string",
            "thread", "vector"]
FENCE = re.compile(r"^```(.*)$")
GLOBAL = re.compile(r"(class|struct|enum|template|namespace|using|#include|inline|static)\b|#include")
FUNCTION = re.compile(r"(?!(?:for|if|while|switch|do|else|return|try)\b)(?:[\w:<>,&*]+\s+)+[&*]?\w+\([^=;]*\)\s*(?:const\s*)?\{")
DECLARATION = re.compile(r"(?:const )?(?:auto&? |[A-Z]\w*(?:<[^>]*>)? |[\w:]+::\w+(?:<[^>]*>)? )(\w+|\[[\w, ]+\])\s*[=({;]")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?(?:(?:[mu]?s|min|h)?\b)", re.IGNORECASE)


class Block:
    def __init__(self, kind, line, lines, section, number):
        self.kind = kind          # "cpp", "global", "output", "machine"
        self.line = line          # its first line in the guide, counted from 1
        self.lines = lines
        self.section = section    # 0: above the first ##
        self.number = number      # in the guide


def blocks_of(path):
    result = []
    section = 0
    heading = False  # directly after one
    lines = path.read_text(encoding="utf-8").splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        fence = FENCE.match(line)
        if fence:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == "```"), None)
            if end is None:
                raise SystemExit(f"{path}:{i + 1}: this block has no end")
            body = lines[i + 1 : end]
            kind = fence.group(1).split()
            if kind[:1] == ["cpp"] and kind[1:] != ["fragment"]:
                if kind[1:] not in ([], ["global"]):
                    raise SystemExit(f"{path}:{i + 1}: unknown kind of block: {' '.join(kind)}")
                first = next((l for l in body if l.strip() and not l.startswith("//")), "")
                is_global = kind[1:] == ["global"] or GLOBAL.match(first) or FUNCTION.match("".join(body[body.index(first) :][:3]))
                result.append(Block("global" if is_global else "cpp", i + 2, body, section, len(result)))
            elif kind[:2] == ["text", "output"]:
                if kind[2:] not in ([], ["machine"]):
                    raise SystemExit(f"{path}:{i + 1}: unknown kind of output: {' '.join(kind)}")
                result.append(Block("output" if len(kind) == 2 else "machine", i + 2, body, section, len(result)))
            i = end + 1
            heading = False
            continue
        if line.startswith("## "):
            section += 1
            heading = True
        elif heading and line.strip() == "<!-- continued -->":
            section -= 1
        elif line.strip():
            heading = False
        i += 1
    return result


def write(guide, output):
    name = guide.stem
    includes = {f"#include <{header}>" for header in INCLUDES}
    outside, inside = [], []
    opened = 0
    declared = set()  # in this scope
    where = guide.as_posix()
    if "docs/" in where:
        where = where[where.index("docs/") :]
    for block in blocks_of(guide):
        if block.section != opened:
            if opened:
                inside.append("}")
            inside.append("{")
            opened = block.section
            declared = set()
        if block.kind == "cpp":
            found = [DECLARATION.match(line) for line in block.lines]
            new = {name for match in found if match for name in re.findall(r"\w+", match.group(1))}
            if opened and new & declared:
                inside.append("}\n{")
                declared = set()
            declared |= new
        if block.kind in OUTPUTS:
            inside.append(f'guides::mark("{name}", {block.number});')
            continue
        code = []
        for line in block.lines:
            if line.startswith("#include"):
                includes.add(line)
                line = ""
            code.append(re.sub(r"^int main\(.*\) \{", f"void program_{block.line}() {{", line))
        text = "\n".join([f'#line {block.line} "{where}"', *code])
        if block.kind == "global":
            outside.append(text)
            if f"program_{block.line}()" in text:
                inside.append(f"program_{block.line}();")
        else:
            inside.append(text)
    if opened:
        inside.append("}")
    parts = [
        f"// Made from {where} by tools/extract_guides.py.",
        "\n".join(sorted(includes)),
        "namespace guides { void mark(const char* guide, int block); }",
        f"namespace guide_{name} {{",
        "using namespace antler;",
        *outside,
        "void run() {",
        *inside,
        "}",
        f"}}  // namespace guide_{name}",
        f"void run_guide_{name}() {{ guide_{name}::run(); }}",
    ]
    replace(output, "\n".join(parts) + "\n")


def write_main(names, output):
    declarations = "\n".join(f"void run_guide_{name}();" for name in names)
    cases = "\n".join(f'  if (name == "{name}") return run_guide_{name}();' for name in names)
    replace(output, f"""// Made by tools/extract_guides.py. usage: antler_guides GUIDE
#include <cstdio>
#include <exception>
#include <string>

#include <antler/antler.h>

{declarations}

namespace guides {{
void mark(const char* guide, int block) {{
  std::fflush(stdout);
  std::printf("\\n{MARK}%s %d\\n", guide, block);
  std::fflush(stdout);
}}
}}  // namespace guides

namespace {{
void run(const std::string& name) {{
{cases}
  throw antler::ValueError("There is no guide {{}}.", name);
}}
}}  // namespace

int main(int argc, char** argv) {{
  try {{
    antler::set_random_seed(1);
    run(argc > 1 ? argv[1] : "");
    return 0;
  }} catch (const std::exception& error) {{
    std::fprintf(stderr, "%s\\n", error.what());
    return 1;
  }}
}}
""")


def replace(path, text):
    """Writes a file unless it already has this text, so that nothing is recompiled needlessly."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def shown(text):
    """The lines as a terminal shows them, after progress bars have overwritten theirs; without empty lines at either end."""
    lines = []
    for line in text.split("\n"):
        line = line.rsplit("\r", 1)[-1]
        line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
        if "\b" in line:
            line = line[line.rindex("\b") + 1 :]
        lines.append(line.rstrip())
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def run(guide, program):
    """The lines that were printed before each output block, by the block's number."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program.resolve(), guide.stem], cwd=folder, capture_output=True, timeout=300, check=False,
                              env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        raise SystemExit(f"{text}\n{done.stderr.decode('utf-8', 'replace')}\n{guide}: exit code {done.returncode}")
    parts = re.split(rf"\n{MARK}\w+ (\d+)\n", text)
    result = {int(number): shown(printed) for printed, number in zip(parts[0::2], parts[1::2])}
    if set(result) != {block.number for block in blocks_of(guide) if block.kind in OUTPUTS}:
        raise SystemExit(f"{guide}: the program is older than the guide; build antler_guides")
    return result


def without_numbers(line):
    return re.sub(r" +", " ", NUMBER.sub("#", line)).strip()


def matches(expected, actual):
    """Whether the lines are equal up to numbers; "..." matches any lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and without_numbers(expected[0]) == without_numbers(actual[0]) and matches(expected[1:], actual[1:])


def check(guide, program):
    printed = run(guide, program)
    bad = 0
    for block in blocks_of(guide):
        if block.kind != "output" or matches(block.lines, printed[block.number]):
            continue
        bad += 1
        print(f"{guide}:{block.line}: the program prints something else:")
        print("\n".join(difflib.unified_diff(block.lines, printed[block.number], "guide", "program", lineterm="")))
    print(f"{guide.stem}: {sum(b.kind not in OUTPUTS for b in blocks_of(guide))} blocks ran, {bad} outputs differ")
    return 1 if bad else 0


def update(guide, program):
    printed = run(guide, program)
    lines = guide.read_text(encoding="utf-8").splitlines()
    for block in reversed([b for b in blocks_of(guide) if b.kind in OUTPUTS]):
        lines[block.line - 1 : block.line - 1 + len(block.lines)] = printed[block.number]
    guide.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def format_blocks(guide):
    lines = guide.read_text(encoding="utf-8").splitlines()
    for block in reversed([b for b in blocks_of(guide) if b.kind not in OUTPUTS]):
        done = subprocess.run(["clang-format", "--assume-filename=guide.cpp"], input="\n".join(block.lines) + "\n", capture_output=True,
                              text=True, check=True)
        lines[block.line - 1 : block.line - 1 + len(block.lines)] = done.stdout.splitlines()
    guide.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments):
    commands = {"write": (write, 2), "check": (check, 2), "update": (update, 2), "format": (format_blocks, 1)}
    if arguments[:1] == ["main"] and len(arguments) > 2:
        write_main(arguments[1:-1], pathlib.Path(arguments[-1]))
        return 0
    if not arguments or arguments[0] not in commands or len(arguments) != 1 + commands[arguments[0]][1]:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[arguments[0]][0](*map(pathlib.Path, arguments[1:])) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
