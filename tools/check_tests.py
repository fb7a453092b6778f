#!/usr/bin/env python3
"""Fails if a document names a test that does not exist, such as `Fit.NoSuchTest` in docs/keras_coverage.md."""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")
REFERENCE = re.compile(r"`([A-Z]\w*\.(?:[A-Z]\w*\*?|\*))`")


def main():
    tests = set()
    for path in (ROOT / "tests").rglob("*.cpp"):
        tests.update(f"{suite}.{name}" for suite, name in TEST.findall(path.read_text(encoding="utf-8")))
    count = bad = 0
    for path in sorted((ROOT / "docs").glob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for pattern in REFERENCE.findall(line):
                count += 1
                if not fnmatch.filter(tests, pattern):
                    print(f"{path.relative_to(ROOT)}:{number}: there is no test {pattern}")
                    bad += 1
    print(f"check_tests: {count} references to {len(tests)} tests, {bad} to missing ones")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
