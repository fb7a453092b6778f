#!/usr/bin/env python3
"""Fails if a folder includes a header of a layer above it.

ALLOWED is the table in ARCHITECTURE.md: the folders of include/antler and src that each folder may include directly. A
folder may also include everything that those may include.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": [],
    "core": ["base"],
    "ir": ["core"],
    "ops": ["ir"],
    "autodiff": ["ops"],
    "compiler": ["ops"],
    "runtime": ["compiler"],
    "nn": ["autodiff"],
    "io": ["core"],
    "data": ["io"],
    "saving": ["io", "nn"],
    "distribute": ["nn", "data", "runtime"],
    "training": ["nn", "data", "distribute", "saving", "runtime"],
    "applications": ["nn", "training"],
    "cluster": ["training"],
    "mpi": ["cluster"],
    "estimator": ["training"],
    "pjrt": ["training"],
}
# The same for the folders of apps/antler.
ROOMS = {
    "common": [],
    "command_line": [],
    "input": ["common", "command_line"],
    "models": ["input"],
    "evaluation": ["input"],
    "processes": ["common"],
    "curves": [],
    "search": ["models", "processes", "curves"],
    "comparison": ["search"],
    "dashboard": ["evaluation", "curves"],
    "training_run": ["models", "processes", "dashboard"],
    "help": ["input"],
    "commands": ["comparison", "training_run", "help"],
}
# Private folders: only the folder itself and its owner's files outside other private folders may include them.
PRIVATE = {"runtime/cpu": "runtime"}
# Packages that only one folder may include, by the prefix of the header's path.
PACKAGES = {
    "llvm/": "runtime",
    "oneapi/": "runtime",
    "dnnl": "runtime",
    "omp.h": "runtime",
    "zlib.h": "io",
    "zip.h": "io",
    "hdf5.h": "io",
    "png.h": "io",
    "curl/": "data",
    "Eigen/": "ops",
    "gloo/": "cluster",
    "mpi.h": "mpi",
    "grpc": "cluster",
    "google/protobuf/": "cluster",
}
# Not allowed in public headers, because they slow down every user's compilation. LIGHT is exempt: json_fwd.hpp has only
# declarations.
LIGHT = ("nlohmann/json_fwd.hpp",)
HEAVY = ("fmt/", "nlohmann/", "llvm/", "oneapi/", "dnnl", "zip.h", "hdf5.h", "zlib.h", "curl/", "omp.h", "Eigen/", "gloo/", "mpi.h", "grpc",
         "google/protobuf/")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parent.parent


def reach(folder, table=ALLOWED, seen=None):
    seen = set() if seen is None else seen
    if folder not in seen:
        seen.add(folder)
        for below in table[folder]:
            reach(below, table, seen)
    return seen


def folder_of(path):
    """"core" for `core/shape.h` or `antler/core/shape.h`; None for headers of other projects."""
    parts = pathlib.PurePosixPath(path).parts
    if parts and parts[0] == "antler":
        parts = parts[1:]
    return parts[0] if len(parts) > 1 and parts[0] in ALLOWED else None


def may_see(inner, private, owner):
    """Whether the file `inner` may include the private folder."""
    name = "/".join(inner)
    if name.startswith(private + "/"):
        return True
    return inner[0] == owner and not any(name.startswith(other + "/") for other in PRIVATE)


def bad_includes(path, text):
    """Yields (line, reason) for each bad include of one file, `path` relative to the repository."""
    public = path.parts[0] == "include"
    inner = path.parts[2:] if public else path.parts[1:]
    if not inner or inner[0] not in ALLOWED:
        return  # antler.h includes all layers
    mine, allowed = inner[0], reach(inner[0])
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        quote, header = match.groups()
        target = folder_of(header)
        if header in ("antler.h", "antler/antler.h"):
            yield line, f"`{mine}` includes {header}, which includes all layers"
        elif target is None and quote == '"':
            yield line, f'"{header}" is not a path below src/ or include/'
        elif target is not None and target not in allowed:
            yield line, f"`{mine}` may not include `{target}` ({header}); allowed: {', '.join(sorted(allowed))}"
        elif target is not None and public and not header.startswith("antler/"):
            yield line, f"a public header includes the private {header}"
        for package, owner in PACKAGES.items():
            if header.startswith(package) and mine != owner:
                yield line, f"only `{owner}` includes {package}, not `{mine}`"
        if public and header.startswith(HEAVY) and header not in LIGHT:
            yield line, f"<{header}> in a public header"
        for private, owner in PRIVATE.items():
            if header.removeprefix("antler/").startswith(private + "/") and not may_see(inner, private, owner):
                yield line, f"{private} is private; {'/'.join(inner)} may not include it"


def bad_room_includes(path, text):
    """The same for apps/antler/FOLDER/FILE. Files directly in apps/antler may include everything."""
    if len(path.parts) < 4:
        return
    mine = path.parts[2]
    if mine not in ROOMS:
        yield 1, f"`{mine}` is not in the table of rooms"
        return
    allowed = reach(mine, ROOMS)
    for match in INCLUDE.finditer(text):
        room = match.group(2).split("/")[0]
        if match.group(1) == '"' and room in ROOMS and room not in allowed:
            yield text.count("\n", 0, match.start()) + 1, f"`{mine}` may not include `{room}`; allowed: {', '.join(sorted(allowed))}"


def main():
    count = bad = 0
    for top, check in (("include/antler", bad_includes), ("src", bad_includes), ("apps/antler", bad_room_includes)):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            count += 1
            relative = path.relative_to(ROOT)
            for line, reason in check(relative, path.read_text(encoding="utf-8")):
                print(f"{relative}:{line}: {reason}")
                bad += 1
    print(f"check_layers: {count} files, {bad} bad includes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
