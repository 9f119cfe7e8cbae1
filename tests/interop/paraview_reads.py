"""Run by pvpython: checks what ParaView finds in the files of a run. Arguments: particles|surface RUN EXPECTATION."""
import json
import sys

from paraview.simple import PLYReader, PVDReader, UpdatePipeline, XMLPolyDataReader

what, run, expectation = sys.argv[1:4]
expected = json.load(open(expectation))
last = len(expected["times"]) - 1


def check(name, found, wanted, tolerance=0.0):
    flat = lambda value: [value] if not isinstance(value, (list, tuple)) else [x for v in value for x in flat(v)]
    a, b = flat(found), flat(wanted)
    same = len(a) == len(b) and all(
        x == y if isinstance(x, str) else abs(x - y) <= tolerance for x, y in zip(a, b))
    if not same:
        sys.exit(f"{name}: found {found}, expected {wanted}")


def check_frame(reader, frame, cells):
    data = reader.GetDataInformation()
    check("points", data.GetNumberOfPoints(), expected["vertices"])
    check("cells", data.GetNumberOfCells(), cells)
    low, high = expected["bounds"][frame]
    check("bounds", list(data.GetBounds()), [low[0], high[0], low[1], high[1], low[2], high[2]], 1e-6)


def check_attributes(reader, names):
    check("attributes", sorted(reader.PointData.keys()), sorted(names))
    speed = expected["velocity"]
    if "velocity" in names:
        check("velocity", [reader.PointData["velocity"].GetRange(k)[0] for k in range(3)], speed)
        check("components of velocity", reader.PointData["velocity"].GetNumberOfComponents(), 3)
    check("von_mises", list(reader.PointData["von_mises"].GetRange()), expected["von_mises"])
    check("plastic_strain", list(reader.PointData["plastic_strain"].GetRange()), [0.125, 0.125])
    check("body", list(reader.PointData["body"].GetRange()), [1, 1])


cells = expected["polygons"] if what == "surface" else expected["vertices"]
names = ["body", "velocity", "von_mises", "plastic_strain"] + (["id"] if what == "particles" else [])

series = PVDReader(FileName=f"{run}/{what}.pvd")
check("times", list(series.TimestepValues), expected["times"])
for frame in (0, last):
    UpdatePipeline(time=expected["times"][frame], proxy=series)
    check_frame(series, frame, cells)
    check_attributes(series, names)

single = XMLPolyDataReader(FileName=[f"{run}/{what}/{last:05}.vtp"])
single.UpdatePipeline()
check_frame(single, last, cells)
check("time of a single file", list(single.TimestepValues), [expected["times"][last]])

# ParaView's PLY reader reads positions and faces, and only attributes whose names it knows.
ply = PLYReader(FileNames=[f"{run}/{what}/{frame:05}.ply" for frame in range(last + 1)])
ply.UpdatePipeline()
check_frame(ply, 0, cells if what == "surface" else 0)
print(f"read as expected: {what}")
