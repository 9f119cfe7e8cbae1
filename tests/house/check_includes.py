#!/usr/bin/env python3
"""Each room may include only the rooms that the table below allows (CONTRIBUTING.md, "The rooms")."""
import pathlib
import re
import sys

PLAIN = {"error.hpp", "frame.hpp", "polygon_mesh.hpp", "stage.hpp", "surface_mesh.hpp"}  # plain types that any room may know
ALLOWED = {
    "math": set(),
    "exec": {"math"},
    "materials": {"math"},
    "neighbors": {"math", "exec"},
    "physics": {"math", "exec", "materials", "neighbors", "contact"},
    "contact": {"math"},
    "solvers": {"math", "exec", "materials", "neighbors", "physics", "contact"},
    "scene": {"math", "exec", "materials", "neighbors"},
    "surface": {"math", "exec", "neighbors"},
    "render": {"math", "exec"},
    "io": {"math"},
}

root = pathlib.Path(sys.argv[1])
faults = []
for path in sorted((root / "src/pliant").rglob("*.?pp")):
    parts = path.relative_to(root / "src/pliant").parts
    if len(parts) == 1:
        continue  # the facade may know every room
    room = parts[0]
    if room not in ALLOWED:
        faults.append(f"{path}: '{room}' is not a room of the table in tests/house/check_includes.py")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#include\s*[<"]pliant/([^>"]+)[>"]', line)
        if not match:
            if re.match(r'\s*#include\s*"', line):
                faults.append(f"{path}:{number}: include as <pliant/room/file.hpp>")
            continue
        target = match.group(1).split("/")
        if len(target) == 1:
            if target[0] not in PLAIN:
                faults.append(f"{path}:{number}: room '{room}' must not know the facade '{target[0]}'")
        elif target[0] != room and target[0] not in ALLOWED[room]:
            faults.append(f"{path}:{number}: room '{room}' must not include room '{target[0]}'")
print("\n".join(faults) if faults else "include directions hold")
sys.exit(1 if faults else 0)
