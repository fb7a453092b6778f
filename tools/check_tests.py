#!/usr/bin/env python3
"""Lists sources that no test file mirrors. For information: it never fails.

src/nn/layers/dense.cpp is covered by tests/nn/layers/dense_test.cpp, by a test file of the same name anywhere
below tests/nn, or by one named for the file's folder (tests/nn/layers/layers_test.cpp, tests/nn/layers_test.cpp).
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    tests = {}
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        name = path.stem.removesuffix("_test").removesuffix("_slow")
        tests.setdefault(path.relative_to(ROOT / "tests").parts[0], set()).add(name)
    missing, count = [], 0
    for path in sorted((ROOT / "src").rglob("*.cpp")):
        count += 1
        relative = path.relative_to(ROOT / "src")
        names = tests.get(relative.parts[0], set())
        if not names & {relative.stem, relative.parent.name}:
            missing.append(relative)
    for relative in missing:
        print(f"src/{relative}: no test file of its own")
    print(f"check_tests: {count} sources, {len(missing)} without a test file of their own")


if __name__ == "__main__":
    main()
