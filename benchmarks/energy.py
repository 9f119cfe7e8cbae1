#!/usr/bin/env python3
"""Measures by how much implicit runs of bundled scenes create energy.

  energy.py --pliant BINARY --into FOLDER            runs all scenes of the table below and prints a table in Markdown
  energy.py --pliant BINARY --into FOLDER pile ...   some of them
  energy.py --into FOLDER --read [NAME ...]          prints the table from runs that are there
  --set KEY=VALUE                                    changes all scenes, e.g. solver.integrator=bdf2

E is the sum of kinetic, elastic and potential energy (stats.csv). The growth of a frame is the change of E since the
frame before, less the work of handles that pull: their force times the mean displacement of their particles, from the
particles' frames. Frames in which a handle or a collider moves are left out, since their work is not known. The energy
present at a frame is its kinetic and elastic energy, and its potential energy above the lowest of the run.

Plastic flow, friction and the damping of the integrator lower E, so what is measured is what was created less what was
lost in the same frame: the median change shows how much may be hidden. bdf2 loses less than euler.
"""
import argparse
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tomllib

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")

# Scenes in the order of the table, and what of them is changed so that each takes less than a minute on one core.
# Those of gerszewski are run with implicit at its default step and without the options that only gerszewski has.
IMPLICIT = ["method=implicit", "dt=0.002"]
CHANGES = {
    "cube-drop": [],
    "cubes-plastic": [],
    "incline": ["duration=1"],
    "cantilever": ["bodies.0.spacing=0.05"],
    "stretch-and-release": ["bodies.0.spacing=0.04", "handles.0.region.box.max=[-0.32,0.1,0.1]",
                            "handles.1.region.box.min=[0.32,-0.1,-0.1]"],
    "armadillo-soft": ["bodies.0.particles=3000", "duration=1.5"],
    "armadillo-medium": ["bodies.0.particles=3000", "duration=1.5"],
    "armadillo-stiff": ["bodies.0.particles=3000", "duration=1.5"],
    "bunny-soft": ["bodies.0.particles=3000", "duration=1.5"],
    "bunny-medium": ["bodies.0.particles=3000", "duration=1.5"],
    "bunny-stiff": ["bodies.0.particles=3000", "duration=1.5"],
    "pile": [f"bodies.{k}.particles=150" for k in range(5)] + ["duration=1.5"],
    "slingshot": ["duration=0.6"],
    "armadillo-cornstarch": IMPLICIT + ["bodies.0.particles=3000", "duration=1.5"],
    "boxes-hyperelastic": IMPLICIT + [f"materials.{m}.stretches=linear" for m in ("stiff", "soft")],
    "boxes-plastic": IMPLICIT + [f"bodies.{k}.spacing=0.05" for k in range(6)] + ["duration=1"],
    "bunny-on-sphere": IMPLICIT + ["bodies.0.particles=3000", "duration=1.2"],
    "compress-and-release": IMPLICIT,
    "dough-star": IMPLICIT + ["bodies.0.spacing=0.01", "duration=1"],
    "pile-of-two-shapes": IMPLICIT + [f"bodies.{k}.spacing=0.025" for k in range(2)] + ["duration=1.5"],
    "three-cylinders": IMPLICIT + [f"bodies.{k}.particles=1500" for k in range(3)] + ["duration=1.2"],
}
GERSZEWSKI_OPTIONS = ("neighbors", "radius")


def scene_file(name, folder):
    """The scene to run: the bundled one, or a copy without options that implicit does not have."""
    path = os.path.join(SCENES, name + ".toml")
    with open(path) as file:
        lines = file.readlines()
    if not CHANGES[name][:1] == IMPLICIT[:1]:
        return path
    copy = os.path.join(folder, name + ".toml")
    with open(copy, "w") as file:
        file.writelines(line for line in lines if line.split("=")[0].strip() not in GERSZEWSKI_OPTIONS)
    return copy


def run(pliant, name, folder, more):
    command = [pliant, "run", scene_file(name, folder), "-o", os.path.join(folder, name), "--threads", "1",
               "--device", "cpu", "--quiet", "--set", "output.surface=none", "--set", "output.particles=[\"ply\"]"]
    for change in CHANGES[name] + more:
        command += ["--set", change]
    return subprocess.run(command).returncode


def settings(name):
    """The scene as tables, with the changes of its regions; other changes do not matter here."""
    with open(os.path.join(SCENES, name + ".toml"), "rb") as file:
        scene = tomllib.load(file)
    for change in CHANGES[name]:
        key, _, value = change.partition("=")
        if key.startswith("handles."):
            *way, last = key.split(".")
            at = scene
            for step in way:
                at = at[int(step)] if isinstance(at, list) else at[step]
            at[last] = json.loads(value)
    return scene


def read_ply(path):
    """Positions and bodies of a frame."""
    codes = {"float": "f", "double": "d", "uint": "I", "int": "i", "uchar": "B", "char": "b", "ushort": "H"}
    with open(path, "rb") as file:
        names, layout, count = [], "<", 0
        while (line := file.readline().split()) != [b"end_header"]:
            if line[:2] == [b"element", b"vertex"]:
                count = int(line[2])
            if line[:1] == [b"property"]:
                layout += codes[line[1].decode()]
                names.append(line[2].decode())
        rows = struct.iter_unpack(layout, file.read(count * struct.calcsize(layout)))
    x, body = names.index("x"), names.index("body")
    return [(row[x:x + 3], row[body]) for row in rows]


class Pull:
    """A handle that pulls: its force and its particles."""

    def __init__(self, handle, bodies, start):
        box = handle["region"]["box"]
        number = bodies.index(handle["body"])
        self.force = handle["force"]
        self.times = handle.get("from", 0.0), handle.get("until", math.inf)
        self.particles = [i for i, (x, body) in enumerate(start) if body == number and
                          all(lo <= c <= hi for lo, c, hi in zip(box["min"], x, box["max"]))]

    def work(self, before, after, times):
        share = max(0.0, min(times[1], self.times[1]) - max(times[0], self.times[0])) / (times[1] - times[0])
        total = sum(f * (after[i][0][c] - before[i][0][c]) for i in self.particles for c, f in enumerate(self.force))
        return share * total / len(self.particles)


def motions(scene):
    """Intervals in which a handle or a collider moves."""
    for thing in scene.get("handles", []) + scene.get("colliders", []):
        motion = thing.get("motion")
        if isinstance(motion, dict):
            yield (max(motion.get("from", 0.0), thing.get("from", 0.0)),
                   min(motion.get("until", math.inf), thing.get("until", math.inf)))


def works(name, folder, times):
    """Work of the handles that pull, per frame."""
    scene = settings(name)
    pulling = [h for h in scene.get("handles", []) if "force" in h]
    if not pulling:
        return [0.0] * len(times)
    frame = lambda k: read_ply(os.path.join(folder, name, "particles", f"{k:05}.ply"))
    last = frame(0)
    bodies = [b["name"] for b in scene["bodies"]]
    pulls = [Pull(h, bodies, last) for h in pulling]
    result = [0.0]
    for k in range(1, len(times)):
        now = frame(k)
        result.append(sum(p.work(last, now, times[k - 1:k + 1]) for p in pulls))
        last = now
    return result


def measure(name, folder):
    with open(os.path.join(folder, name, "stats.csv")) as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    with open(os.path.join(folder, name, "summary.json")) as file:
        summary = json.load(file)
    times = [row["time"] for row in rows]
    lowest = min(row["potential_energy"] for row in rows)
    present = [row["kinetic_energy"] + row["elastic_energy"] + row["potential_energy"] - lowest for row in rows]
    work = works(name, folder, times)
    moving = list(motions(settings(name)))
    shares, created = [], 0.0
    for k in range(1, len(rows)):
        if any(start < times[k] - 1e-9 and times[k - 1] < end - 1e-9 for start, end in moving):
            continue
        growth = present[k] - present[k - 1] - work[k]
        created += max(growth, 0.0)
        # Where nothing is there yet, as before a handle first pulls, its work counts as present.
        shares.append((growth / max(present[k - 1], work[k], 1e-300), times[k]))
    return {"largest": max(shares), "median": sorted(shares)[len(shares) // 2][0], "frames": len(shares),
            "created": created / max(present), "particles": summary["particles"], "steps": summary["steps"],
            "iterations": summary["cg_iterations"] / summary["steps"], "solves": summary["solves"] - summary["steps"],
            "backtracks": summary["backtracks"], "halvings": summary["halvings"], "finished": summary["finished"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", help="the program")
    parser.add_argument("--into", required=True, help="folder of the runs")
    parser.add_argument("--read", action="store_true", help="read runs that are there")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all scenes")
    parser.add_argument("scenes", nargs="*", help="default: all")
    given = parser.parse_args()
    if not given.read and not given.pliant:
        parser.error("--pliant or --read")
    os.makedirs(given.into, exist_ok=True)
    print("| scene | particles | frames | steps | largest change in a frame | at [s] | median change | all growth |"
          " iterations per step | further solves | backtracks | halvings |")
    print("| --- " * 12 + "|", flush=True)
    above = []
    for name in given.scenes or CHANGES:
        code = 0 if given.read else run(given.pliant, name, given.into, given.set)
        if code != 0:
            above.append(name)
            print(f"| `{name}` | ended with exit code {code} |", flush=True)
            continue
        m = measure(name, given.into)
        share, time = m["largest"]
        if share > 0.01 or not m["finished"]:
            above.append(name)
        print(f"| `{name}` | {m['particles']} | {m['frames']} | {m['steps']} | {share:+.3%} | {time:.2f} |"
              f" {m['median']:+.2%} | {m['created']:.3%} | {m['iterations']:.1f} | {m['solves']} | {m['backtracks']} |"
              f" {m['halvings']} |" + ("" if m["finished"] else " not finished"), flush=True)
    print("\nabove 1%, failed or not finished:", ", ".join(above) or "none")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
