"""Runs of the command line, and what they leave behind, as plain lists and dictionaries."""
import csv
import json
import math
import shutil
import struct
import subprocess
import threading
import time
from pathlib import Path


class RunFailed(Exception):
    pass


class Run:
    """One run of `pliant run`: stats.csv, probes.csv, forces.csv, summary.json and particle frames."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.summary = json.loads((self.directory / "summary.json").read_text())
        self.stats = self._rows("stats.csv")

    def _rows(self, name):
        with open(self.directory / name, newline="") as file:
            return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def body(self, name=None):
        bodies = self.summary["bodies"]
        return bodies[0] if name is None else next(b for b in bodies if b["name"] == name)

    def probe(self, name):
        """Rows of one probe, frame by frame."""
        return [r for r in self._rows("probes.csv") if r["name"] == name]

    def force(self, name):
        """Rows of the force on one collider or handle, all bodies together."""
        return [r for r in self._rows("forces.csv") if r["name"] == name and r["body"] == ""]

    def frame(self, number):
        """The particles of a frame (-1: the last): a list of dictionaries by attribute."""
        if number < 0:
            number += int(self.summary["frames"])
        return read_ply(self.directory / "particles" / f"{number:05d}.ply")


def _number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


_types = {"float": "f", "double": "d", "uchar": "B", "char": "b", "int": "i", "uint": "I", "short": "h", "ushort": "H",
          "float32": "f", "uint32": "I", "int32": "i"}


def read_ply(path):
    data = Path(path).read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    names, form, count = [], "<", 0
    for line in data[:end].decode("ascii").splitlines():
        words = line.split()
        if words[:2] == ["element", "vertex"]:
            count = int(words[2])
        elif words[:1] == ["property"]:
            names.append(words[2])
            form += _types[words[1]]
    rows = struct.iter_unpack(form, data[end:end + count * struct.calcsize(form)])
    return [dict(zip(names, row)) for row in rows]


class Runner:
    """Starts runs, equal ones once only. May be called by several threads, each of which waits for its own run."""

    def __init__(self, binary, scenes, work, threads, verbose):
        self.binary, self.scenes, self.work = binary, Path(scenes), Path(work)
        self.threads, self.verbose = threads, verbose
        self.done, self.locks, self.guard = {}, {}, threading.Lock()

    def __call__(self, scene, *overrides):
        key = (scene, *overrides)
        with self.guard:
            number, lock = self.locks.setdefault(key, (len(self.locks), threading.Lock()))
        with lock:
            if key not in self.done:
                self.done[key] = self._run(scene, overrides, self.work / f"{number:03d}-{scene}")
        result = self.done[key]
        if isinstance(result, RunFailed):
            raise result
        return result

    def _run(self, scene, overrides, directory):
        shutil.rmtree(directory, ignore_errors=True)
        command = [str(self.binary), "run", str(self.scenes / f"{scene}.toml"), "-o", str(directory), "--quiet",
                   "--device", "cpu", "--threads", str(self.threads)]
        for override in overrides:
            command += [override] if override.startswith("--") else ["--set", override]
        started = time.time()
        outcome = subprocess.run(command, capture_output=True, text=True)
        if self.verbose:
            print(f"  {time.time() - started:6.1f} s  {scene} {' '.join(overrides)}", flush=True)
        if outcome.returncode:
            message = (outcome.stderr.strip().splitlines() or [""])[0]
            return RunFailed(f"exit code {outcome.returncode}: {message}")
        return Run(directory)


# ---- what the cases compute with

def steady(rows, key, share=0.75):
    """The mean over the last `share` of the rows, with weights that fade in and out (Hann): what swings cancels out."""
    rows = rows[int(len(rows) * (1 - share)):]
    weights = [math.sin(math.pi * (k + 0.5) / len(rows)) ** 2 for k in range(len(rows))]
    return sum(w * r[key] for w, r in zip(weights, rows)) / sum(weights)


def acceleration(rows, position, since):
    """The second derivative of position(row) for time >= since, by least squares of a parabola."""
    points = [(r["time"], position(r)) for r in rows if r["time"] >= since]
    middle = sum(t for t, _ in points) / len(points)
    sums = [sum((t - middle) ** p for t, _ in points) for p in range(5)]
    right = [sum(x * (t - middle) ** p for t, x in points) for p in range(3)]
    a = [[sums[i + j] for j in range(3)] + [right[i]] for i in range(3)]
    for i in range(3):
        for k in range(i + 1, 3):
            factor = a[k][i] / a[i][i]
            a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    solution = [0.0] * 3
    for i in reversed(range(3)):
        solution[i] = (a[i][3] - sum(a[i][j] * solution[j] for j in range(i + 1, 3))) / a[i][i]
    return 2 * solution[2]


def crossings(rows, value):
    """Times at which value(row) changes its sign, by linear interpolation."""
    times = []
    for a, b in zip(rows, rows[1:]):
        x, y = value(a), value(b)
        if x * y < 0:
            times.append(a["time"] + (b["time"] - a["time"]) * x / (x - y))
    return times


def extremum(rows, key, sign):
    """Time and value of the largest sign * key, with the parabola through the three rows about it."""
    k = max(range(1, len(rows) - 1), key=lambda i: sign * rows[i][key])
    a, b, c = rows[k - 1][key], rows[k][key], rows[k + 1][key]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend else 0.0
    return rows[k]["time"] + shift * (rows[k + 1]["time"] - rows[k]["time"]), b - 0.25 * (a - c) * shift
