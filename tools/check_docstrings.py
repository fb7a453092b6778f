#!/usr/bin/env python3
"""Lists public classes, functions and option fields without a comment, from the XML that Doxygen writes (./dev docs).

    check_docstrings.py [XML]      default: build/docs/xml

Fails if there are any. Option fields with self-explanatory names (BASE below, Keras's base arguments) need no comment.
"""
import collections
import functools
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Fields that mean the same in every struct; docs/from_keras.md and LayerOptions describe them.
BASE = re.compile(r"name|dtype|trainable|seed|verbose|named_only|\w+_(?:initializer|regularizer|constraint)")
# Fields of an optimizer that OptimizerBaseOptions describes.
OPTIMIZER = re.compile("weight_decay|clipnorm|clipvalue|global_clipnorm|use_ema|ema_momentum|ema_overwrite_frequency|"
                       "loss_scale_factor|gradient_accumulation_steps")


def described(element):
    return any("".join(part.itertext()).strip() for part in (element.find("briefdescription"), element.find("detaileddescription"))
               if part is not None)


def place(element):
    location = element.find("location")
    if location is None:
        return "?"
    return f"{location.get('file')}:{location.get('line')}"


@functools.lru_cache(maxsize=None)
def lines_of(file):
    path = ROOT / "include" / file
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def in_described_group(element):
    """Whether there is a comment above the group of declarations, without empty lines, that this one belongs to."""
    location = element.find("location")
    lines = lines_of(location.get("file"))
    line = int(location.get("line")) - 1
    while 0 < line < len(lines) and lines[line].strip():
        line -= 1
        if lines[line].lstrip().startswith("///"):
            return True
    return False


def main(arguments):
    folder = pathlib.Path(arguments[0]) if arguments else ROOT / "build" / "docs" / "xml"
    if not (folder / "index.xml").exists():
        print(f"check_docstrings: there is no {folder}/index.xml; run ./dev docs", file=sys.stderr)
        return 2
    counts = collections.Counter()
    missing = []
    for path in sorted(folder.glob("*.xml")):
        if not path.name.startswith(("class", "struct", "namespace")):
            continue
        compound = ElementTree.parse(path).getroot().find("compounddef")
        if compound is None:
            continue
        name = compound.findtext("compoundname")
        if "internal" in name or "@" in name or "<" in name:
            continue
        if compound.get("kind") in ("class", "struct"):
            if compound.get("prot") != "public":
                continue
            counts["classes"] += 1
            own = described(compound)
            if not own:
                missing.append((place(compound), f"{compound.get('kind')} {name}"))
            if name.endswith(("Options", "Arguments", "Config")):
                for field in compound.iter("memberdef"):
                    if field.get("kind") != "variable" or field.get("prot") != "public":
                        continue
                    counts["fields"] += 1
                    known = BASE.fullmatch(field.findtext("name")) or (
                        name.startswith("antler::optimizers::") and OPTIMIZER.fullmatch(field.findtext("name")))
                    if not described(field) and not known:
                        missing.append((place(field), f"field {name}::{field.findtext('name')}"))
        else:
            functions = collections.defaultdict(list)
            for function in compound.iter("memberdef"):
                if function.get("kind") == "function":
                    functions[function.findtext("name")].append(function)
            for function, overloads in functions.items():
                counts["functions"] += 1
                if function.startswith("operator") or any(described(o) or in_described_group(o) for o in overloads):
                    continue
                missing.append((place(overloads[0]), f"function {name}::{function}"))
    for where, what in sorted(missing):
        print(f"{where}: {what} has no comment")
    print("check_docstrings: " + ", ".join(f"{counts[k]} {k}" for k in ("classes", "functions", "fields"))
          + f"; {len(missing)} listed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
