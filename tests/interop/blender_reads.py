"""Run by blender --background --python: checks what Blender finds in the files of a run.
Arguments after "--": obj|ply|vdb|pc2|usd RUN EXPECTATION. Exit code 77: this Blender was built without the format."""
import json
import os
import sys

import bpy
from mathutils import Vector

what, run, expectation = sys.argv[sys.argv.index("--") + 1:][:3]
run = os.path.abspath(run)
expected = json.load(open(expectation))
last = len(expected["times"]) - 1


def check(name, found, wanted):
    if found != wanted:
        raise SystemExit(f"{name}: found {found}, expected {wanted}")


def check_near(name, found, wanted, tolerance=1e-6):
    for k, (a, b) in enumerate(zip(found, wanted)):
        if (Vector(a) - Vector(b)).length > tolerance:
            raise SystemExit(f"{name}, entry {k}: found {tuple(a)}, expected {tuple(b)}")
    check(f"number of {name}", len(found), len(wanted))


def turned(point):
    """From Y up to Z up, as Blender's importers do it."""
    return (point[0], -point[2], point[1])


def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def only_object():
    check("objects", len(bpy.data.objects), 1)
    return bpy.data.objects[0]


def import_obj(file, **axes):
    empty_scene()
    if "obj_import" in dir(bpy.ops.wm):
        bpy.ops.wm.obj_import(filepath=file, **axes)
    else:
        bpy.ops.import_scene.obj(filepath=file)
    return only_object()


def check_counts(mesh):
    check("vertices", len(mesh.vertices), expected["vertices"])
    check("polygons", len(mesh.polygons), expected["polygons"])
    check("corners", len(mesh.loops), expected["corners"])


def world_points(thing):
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [shown.matrix_world @ v.co for v in shown.data.vertices]


def obj():
    thing = import_obj(f"{run}/surface/{last:05}.obj")
    check_counts(thing.data)
    check_near("positions", world_points(thing), [turned(x) for x in expected["positions"][last]])
    layer = thing.data.uv_layers.active.data
    check_near("texture coordinates", [corner.uv for corner in layer], expected["uv"])


def ply():
    empty_scene()
    file = f"{run}/surface/{last:05}.ply"
    if "ply_import" in dir(bpy.ops.wm):
        bpy.ops.wm.ply_import(filepath=file)
    else:
        bpy.ops.import_mesh.ply(filepath=file)
    thing = only_object()
    check_counts(thing.data)
    check_near("positions", [v.co for v in thing.data.vertices], expected["positions"][last])


def vdb():
    empty_scene()
    volume = bpy.data.volumes.new("surface")
    volume.filepath = f"{run}/surface/{last:05}.vdb"
    if not volume.grids.load():
        raise SystemExit(f"grids do not load: {volume.grids.error_message}")
    check("grids", sorted((g.name, g.data_type) for g in volume.grids),
          [("surface", "FLOAT"), ("velocity", "VECTOR_FLOAT")])
    check_near("cell", [volume.grids[0].matrix_object.to_scale()], [[expected["cell"]] * 3])
    source = bpy.data.objects.new("volume", volume)
    shell = bpy.data.objects.new("shell", bpy.data.meshes.new("shell"))
    for thing in (source, shell):
        bpy.context.scene.collection.objects.link(thing)
    modifier = shell.modifiers.new("shell", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = source, "surface", 0
    points = world_points(shell)
    if len(points) < 100:
        raise SystemExit(f"the level set gives a mesh of {len(points)} vertices")
    # OpenVDB's values belong to grid nodes. Blender treats them as values of cells that begin there, which shifts its
    # mesh by half a cell. No shift is accepted as well, in case a later Blender corrects this.
    half = 0.5 * expected["cell"]
    middle = sum(points, Vector()) / len(points)
    shift = round((middle - Vector(expected["center"])).x / half) * half
    check("shift in halves of a cell", shift / half in (0, 1), True)
    center, radius = Vector(expected["center"]) + Vector([shift] * 3), expected["radius"]
    worst = max(abs((x - center).length - radius) for x in points)
    if worst > 0.1 * expected["cell"]:  # the mesher interpolates linearly
        raise SystemExit(f"the level set is {worst} m off the ball of {radius} m")


def pc2():
    # Any axes work: the importer turns the object, not its vertices, and the cache sets the vertices.
    for axes in ({}, {"forward_axis": "Y", "up_axis": "Z"}):
        thing = import_obj(f"{run}/surface.obj", **axes)
        check_counts(thing.data)
        modifier = thing.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath = "PC2", f"{run}/surface.pc2"
        check("forward axis of the modifier", modifier.forward_axis, "POS_Y")
        check("up axis of the modifier", modifier.up_axis, "POS_Z")
        turn = (lambda x: x) if axes else turned
        for frame in (0, 1, last):
            bpy.context.scene.frame_set(frame)
            check_near(f"positions at frame {frame}", world_points(thing),
                       [turn(x) for x in expected["positions"][frame]])
        modifier.frame_start = 2
        bpy.context.scene.frame_set(3)
        check_near("positions of a cache that begins at frame 2", world_points(thing),
                   [turn(x) for x in expected["positions"][1]])


def usd():
    if not bpy.app.build_options.usd:
        print("this Blender was built without USD")
        os._exit(77)
    for name in ("surface", "particles"):
        empty_scene()
        bpy.ops.wm.usd_import(filepath=f"{run}/{name}.usda", set_frame_range=True)
        check("frames", (bpy.context.scene.frame_start, bpy.context.scene.frame_end), (0, last))
        things = [t for t in bpy.data.objects if t.type in ("MESH", "POINTCLOUD")]
        check("objects with vertices", len(things), 1)
        if things[0].type != "MESH":
            continue
        check_counts(things[0].data)
        for frame in (0, last):
            bpy.context.scene.frame_set(frame)
            check_near(f"positions at frame {frame}", world_points(things[0]),
                       [turned(x) for x in expected["positions"][frame]])


{"obj": obj, "ply": ply, "vdb": vdb, "pc2": pc2, "usd": usd}[what]()
print(f"read as expected: {what}")
