#!/usr/bin/env python3
"""Each room may include only the rooms that the table below allows (CONTRIBUTING.md, "The rooms"). Installed headers
may not include libraries that users of the package need not have."""
import pathlib
import re
import sys

FOR_ALL = {"data/error.hpp"}  # includes nothing itself
LAW = {"math", "materials", "data"}
STATE = LAW | {"exec", "neighbors", "contact", "physics", "state"}
ALLOWED = {
    "math": set(),
    "exec": {"math"},
    "materials": {"math"},
    "data": {"math", "materials"},
    "formats": {"math", "data"},
    "neighbors": {"math", "exec", "data"},
    "contact": {"math", "exec", "data", "neighbors"},
    "physics": LAW | {"exec", "neighbors", "contact"},
    "state": STATE,
    "solvers": STATE,
    "scene": LAW | {"exec", "formats", "neighbors"},
    "surface": {"math", "exec", "data", "neighbors"},
    "render": {"math", "exec", "data"},
    "io": {"math", "data", "formats"},
    "serve": {"math", "data", "io", "render"},
    "setup": LAW | {"exec", "neighbors", "contact", "solvers", "scene", "surface"},
    "stability": LAW | {"scene"},
    "run": LAW | {"exec", "contact", "solvers", "scene", "setup", "surface"},
    "simulation": STATE | {"solvers", "scene", "setup", "stability", "run"},
    "compare": {"math", "data", "scene", "stability", "simulation"},
}
OF_SOURCES_ALONE = re.compile(r"\s*#include\s*<(assimp|cairo|embree3|fontconfig|nlohmann|openvdb|toml\+\+)/")
NOT_INSTALLED = {"io/json.hpp"}

root = pathlib.Path(sys.argv[1])
faults = []
for path in sorted((root / "src/pliant").rglob("*.?pp")):
    parts = path.relative_to(root / "src/pliant").parts
    room = parts[0] if len(parts) > 1 else path.stem  # the facade is a room of one file
    if room not in ALLOWED:
        faults.append(f"{path}: '{room}' is not a room of the table in tests/house/check_includes.py")
        continue
    installed = path.suffix == ".hpp" and "/".join(parts) not in NOT_INSTALLED
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if installed and (library := OF_SOURCES_ALONE.match(line)):
            faults.append(f"{path}:{number}: {library.group(1)} is for .cpp files: this header is installed")
        match = re.match(r'\s*#include\s*[<"]pliant/([^>"]+)[>"]', line)
        if not match:
            if re.match(r'\s*#include\s*"', line):
                faults.append(f"{path}:{number}: include as <pliant/room/file.hpp>")
            continue
        if match.group(1) in FOR_ALL:
            continue
        target = match.group(1).split("/")[0].removesuffix(".hpp")
        if target != room and target not in ALLOWED[room]:
            faults.append(f"{path}:{number}: room '{room}' must not include room '{target}'")


def cycle_in(graph):
    """A cycle in a graph given as sets, or None."""
    done, way = set(), []

    def visit(node):
        if node in way:
            return way[way.index(node):] + [node]
        if node in done:
            return None
        way.append(node)
        found = next((round_trip for to in sorted(graph.get(node, ())) if (round_trip := visit(to))), None)
        way.pop()
        done.add(node)
        return found

    return next((round_trip for node in sorted(graph) if (round_trip := visit(node))), None)


if round_trip := cycle_in({room: allowed - {room} for room, allowed in ALLOWED.items()}):
    faults.append("the table of tests/house/check_includes.py goes round in circles: " + " -> ".join(round_trip))
print("\n".join(faults) if faults else "include directions hold")
sys.exit(1 if faults else 0)
