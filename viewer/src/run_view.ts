// One run in three dimensions: particles or surface, colliders and ground, and the shadow that they throw.
import * as THREE from 'three';
import { bodiesOf, type Field, type Mesh, type Points, type RunInfo, valueAt } from './data';
import { Occlusion, shadeBelow } from './occlusion';
import * as glsl from './shaders';
import { Spheres } from './spheres';
import { Sun } from './sun';

const shadeSize = 96; // of the shade beneath particles
const colliderColor = new THREE.Color('#b9bcc2');

// The alpha of a sphere's edge is its coverage alone: the picture is opaque.
const opaque = {
  blending: THREE.CustomBlending,
  blendSrc: THREE.OneFactor,
  blendDst: THREE.ZeroFactor,
  blendSrcAlpha: THREE.ZeroFactor,
  blendDstAlpha: THREE.OneFactor,
};

type Uniforms = Record<string, THREE.IUniform>;

function material(vertexShader: string, fragmentShader: string, uniforms: Uniforms, more = {}) {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader,
    fragmentShader,
    uniforms,
    ...more,
  });
}

function colorsTexture(colors: string[]): THREE.DataTexture {
  const data = new Float32Array(4 * colors.length);
  colors.forEach((name, k) => new THREE.Color(name).toArray(data, 4 * k)); // linear
  const texture = new THREE.DataTexture(data, colors.length, 1, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
}

// In full light, facing nowhere.
const plainCrust = (count: number) => new Int8Array(4 * count).map((_, k) => (k % 4 === 3 ? 127 : 0));

export class RunView {
  readonly scene = new THREE.Scene();
  points: Points | null = null;
  body: Float32Array = new Float32Array();
  field: Field | null = null;
  range: [number, number] = [0, 1];
  readonly up: THREE.Vector3;
  private readonly bodies: THREE.DataTexture;
  private readonly light: Uniforms;
  private readonly paint: Uniforms;
  private readonly spheres = new Spheres();
  private readonly sphereMesh: THREE.Mesh;
  private readonly sphereShadow: THREE.Material;
  private surface: THREE.Mesh | null = null;
  private readonly colliders: (THREE.Object3D | null)[] = [];
  private readonly ball: THREE.Mesh;
  private readonly sun: Sun;
  private ground: THREE.Mesh | null = null; // the first
  private shadeHalf = 1;
  private readonly shade = new THREE.DataTexture(
    new Uint8Array(shadeSize * shadeSize),
    shadeSize,
    shadeSize,
    THREE.RedFormat
  );
  private occlusion: Occlusion | null = null;

  constructor(
    readonly info: RunInfo,
    collider: (n: number) => Promise<Mesh>,
    changed: () => void
  ) {
    const g = new THREE.Vector3(...info.gravity);
    this.up = g.length() > 0 ? g.clone().normalize().negate() : new THREE.Vector3(0, 1, 0);
    this.bodies = colorsTexture(info.bodies.map((b) => b.color));
    const grown = Math.cbrt(info.every ?? 1);
    info.bodies.forEach((b, k) => ((this.bodies.image.data as Float32Array)[4 * k + 3] = 0.56 * b.spacing * grown));
    this.sun = new Sun(this.up, Math.max(...info.bodies.map((b) => b.spacing)));
    this.light = { ...this.sun.uniforms, up: { value: this.up }, eye: { value: new THREE.Vector3() } };
    this.paint = {
      bodies: { value: this.bodies },
      colors: { value: colorsTexture(['#000', '#fff']) },
      valueRange: { value: new THREE.Vector2(0, 1) },
      colorRange: { value: new THREE.Vector2(0, 1) },
      byValue: { value: false },
      radiusScale: { value: 1 },
    };
    this.sphereMesh = new THREE.Mesh(
      this.spheres.geometry,
      material(
        glsl.sphereVertex,
        glsl.sphereFragment,
        { ...this.light, ...this.paint, viewInverse: { value: new THREE.Matrix4() } },
        { alphaToCoverage: true, ...opaque }
      )
    );
    this.sphereShadow = material(glsl.sphereShadowVertex, glsl.sphereShadowFragment, {
      ...this.paint,
      hurry: this.light.hurry,
      sun: this.light.sun,
    });
    this.sphereMesh.frustumCulled = false;
    this.scene.add(this.sphereMesh);
    this.sun.place(this.middle, this.size);
    this.addBackdrop();
    this.ball = new THREE.Mesh(new THREE.IcosahedronGeometry(1, 5), this.plainMaterial('#f4f4f2', true));
    this.ball.visible = false;
    this.scene.add(this.ball);
    info.colliders.forEach((c, n) => {
      this.colliders.push(null);
      if (c.shape === 'plane') this.addGround(n);
      else if (c.mesh)
        collider(n).then(
          (mesh) => {
            const geometry = this.geometryOf(mesh);
            geometry.computeVertexNormals();
            this.addCollider(n, new THREE.Mesh(geometry, this.plainMaterial(colliderColor, false)));
            changed();
          },
          () => {}
        );
    });
  }

  get size(): number {
    return Math.max(new THREE.Vector3(...this.info.high).distanceTo(new THREE.Vector3(...this.info.low)), 1e-6);
  }
  get middle(): THREE.Vector3 {
    return new THREE.Vector3(...this.info.low).add(new THREE.Vector3(...this.info.high)).multiplyScalar(0.5);
  }

  private plainMaterial(color: THREE.ColorRepresentation, smooth: boolean) {
    return material(
      glsl.meshVertex,
      glsl.meshFragment,
      {
        ...this.light,
        ...this.paint,
        smoothNormals: { value: smooth },
        plain: { value: true },
        plainColor: { value: new THREE.Color(color) },
        opacity: { value: 1 },
      },
      { side: THREE.DoubleSide }
    );
  }

  private addCollider(n: number, object: THREE.Object3D) {
    object.matrixAutoUpdate = false;
    this.colliders[n] = object;
    this.scene.add(object);
    this.poseColliders(0);
  }

  private addGround(n: number) {
    const p = this.info.colliders[n].poses[0];
    const normal = new THREE.Vector3(p[4], p[7], p[10]);
    if (normal.dot(this.up) < 0.5) return; // walls would hide what they enclose
    const reach = 9 * this.size;
    const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    plane.rotateX(-Math.PI / 2);
    this.shadeHalf = 0.75 * this.size;
    const tile = 10 ** Math.round(Math.log10(this.size) - 0.5) * 0.5;
    const ground = new THREE.Mesh(
      plane,
      material(
        glsl.groundVertex,
        glsl.groundFragment,
        {
          ...this.light,
          normal: { value: normal },
          tile: { value: tile },
          reach: { value: 0.8 * reach },
          focus: { value: this.middle },
          shade: { value: this.shade },
          shadeMiddle: { value: new THREE.Vector2() },
          shadeHalf: { value: this.shadeHalf },
        },
        { transparent: true, depthWrite: true }
      )
    );
    ground.renderOrder = 1;
    ground.userData.ground = true;
    this.ground ??= ground;
    this.addCollider(n, ground);
  }

  private addBackdrop() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const backdrop = new THREE.Mesh(
      geometry,
      material(glsl.backdropVertex, glsl.backdropFragment, {}, { depthWrite: false, depthTest: false })
    );
    backdrop.frustumCulled = false;
    backdrop.renderOrder = -1;
    backdrop.userData.ground = true;
    this.scene.add(backdrop);
  }

  // What should be in view: bodies over the whole run, or as they are `now`; the ground beneath them; colliders, unless
  // they are much larger.
  bounds(now: boolean): THREE.Box3 {
    const box = new THREE.Box3(new THREE.Vector3(...this.info.low), new THREE.Vector3(...this.info.high));
    if (now && this.points) box.setFromArray(this.points.position);
    const size = box.getSize(new THREE.Vector3()).length();
    const all = box.clone();
    this.colliders.forEach((object) => {
      if (!object || object === this.ground || object.userData.ground) return;
      object.updateMatrixWorld(true);
      const own = new THREE.Box3().setFromObject(object);
      if (own.getSize(new THREE.Vector3()).length() < 3 * size) all.union(own);
    });
    if (now && this.ground) {
      const m = this.ground.matrix.elements;
      const foot = box.getCenter(new THREE.Vector3());
      const normal = new THREE.Vector3(m[4], m[5], m[6]);
      const height = foot.clone().sub(new THREE.Vector3(m[12], m[13], m[14])).dot(normal);
      if (height > 0 && height < 3 * size) all.expandByPoint(foot.addScaledVector(normal, -height));
    }
    return all;
  }

  dispose() {
    this.sun.dispose();
    for (const texture of [this.bodies, this.shade, ...this.maps.values()]) texture.dispose();
    this.scene.traverse((object) => {
      if (!(object instanceof THREE.Mesh)) return;
      (object.geometry as THREE.BufferGeometry).dispose();
      (object.material as THREE.Material).dispose();
    });
    this.sphereShadow.dispose();
  }

  // A picture that has to be ready soon: coarse shadows, and no spheres that the body in front of them hides.
  hurry(on: boolean) {
    this.sun.hurry(on);
  }

  poseColliders(k: number) {
    this.info.colliders.forEach((c, n) => {
      const p = c.poses[Math.min(k, c.poses.length - 1)];
      this.colliders[n]?.matrix.set(p[3], p[4], p[5], p[0], p[6], p[7], p[8], p[1], p[9], p[10], p[11], p[2], 0, 0, 0, 1);
      if (this.colliders[n]) this.colliders[n]!.matrixWorldNeedsUpdate = true;
    });
    this.sun.shadowIsOld = true;
  }

  showBall(center: THREE.Vector3 | null, radius = 1) {
    this.ball.visible = center !== null;
    if (center) this.ball.position.copy(center);
    this.ball.scale.setScalar(radius);
    this.sun.shadowIsOld = true;
  }

  show(points: Points) {
    if (this.body.length !== points.count) {
      this.body = bodiesOf(this.info, points.count);
      this.spheres.resize(this.body, plainCrust(points.count));
    }
    this.points = points;
    this.followBodies(points);
    this.spheres.set('center', points.position);
    this.occlude(points);
    this.recolor();
    this.sun.shadowIsOld = true;
  }

  // The shadows of a run whose course nobody knows yet reach as far as its bodies have come.
  private followBodies(points: Points) {
    if (this.info.frames.length > 0) return;
    const reach = new THREE.Box3(new THREE.Vector3(...this.info.low), new THREE.Vector3(...this.info.high));
    const now = new THREE.Box3().setFromArray(points.position);
    if (reach.containsBox(now) || now.getSize(new THREE.Vector3()).length() > 8 * this.size) return;
    reach.union(now.expandByScalar(0.1 * this.size));
    this.info.low = reach.min.toArray();
    this.info.high = reach.max.toArray();
    this.shadeHalf = 0.75 * this.size;
    const uniforms = (this.ground?.material as THREE.RawShaderMaterial | undefined)?.uniforms;
    if (uniforms) uniforms.shadeHalf.value = this.shadeHalf;
    this.sun.place(this.middle, this.size);
  }

  private get spacing(): number {
    const { bodies, every } = this.info;
    return Math.cbrt(every ?? 1) * Math.max(...bodies.map((b) => b.spacing));
  }

  private occlude(points: Points) {
    this.occlusion = Occlusion.of(points.position, this.spacing);
    if (!this.occlusion) return;
    this.spheres.set('crust', this.occlusion.crust(points.position));
    if (this.ground) this.shadeGround(this.ground, points.position);
  }

  private shadeGround(ground: THREE.Mesh, position: Float32Array) {
    const m = ground.matrix.elements; // rotation and place: its axes are the columns
    const middle = this.middle.applyMatrix4(ground.matrix.clone().invert());
    const along = (p: number, axis: number) =>
      m[4 * axis] * (position[p] - m[12]) +
      m[4 * axis + 1] * (position[p + 1] - m[13]) +
      m[4 * axis + 2] * (position[p + 2] - m[14]);
    const place = (p: number): [number, number, number] => [along(p, 0) - middle.x, along(p, 1), along(p, 2) - middle.z];
    (this.shade.image.data as Uint8Array).set(shadeBelow(position, this.spacing, place, this.shadeHalf, shadeSize));
    this.shade.magFilter = this.shade.minFilter = THREE.LinearFilter;
    this.shade.needsUpdate = true;
    const { shadeMiddle } = (ground.material as THREE.RawShaderMaterial).uniforms;
    (shadeMiddle.value as THREE.Vector2).set(middle.x, middle.z);
  }

  private geometryOf(mesh: Mesh): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(mesh.position, 3));
    geometry.setAttribute('body', new THREE.BufferAttribute(Float32Array.from(mesh.body), 1));
    geometry.setAttribute('value', new THREE.BufferAttribute(new Uint8Array(mesh.count), 1, true));
    geometry.setAttribute('crust', new THREE.BufferAttribute(plainCrust(mesh.count), 4, true));
    geometry.setIndex(new THREE.BufferAttribute(mesh.index, 1));
    return geometry;
  }

  // null: particles.
  showSurface(mesh: Mesh | null) {
    if (this.surface) {
      this.scene.remove(this.surface);
      this.surface.geometry.dispose();
      (this.surface.material as THREE.Material).dispose();
    }
    this.surface = null;
    this.sphereMesh.visible = mesh === null;
    this.sun.shadowIsOld = true;
    if (!mesh) return;
    const geometry = this.geometryOf(mesh);
    if (this.info.smooth) geometry.computeVertexNormals();
    // It is made for bodies with an inside.
    if (this.occlusion && this.info.method !== 'cloth')
      (geometry.getAttribute('crust').array as Int8Array).set(this.occlusion.crust(mesh.position));
    const uniforms = {
      ...this.light,
      ...this.paint,
      valueRange: { value: new THREE.Vector2() },
      byValue: { value: false },
      smoothNormals: { value: this.info.smooth },
      plain: { value: false },
      plainColor: { value: new THREE.Color() },
      opacity: { value: 1 },
    };
    this.surface = new THREE.Mesh(
      geometry,
      material(glsl.meshVertex, glsl.meshFragment, uniforms, { side: THREE.DoubleSide })
    );
    this.surface.frustumCulled = false;
    this.surface.userData.mesh = mesh;
    this.scene.add(this.surface);
    this.recolor();
  }

  colorBy(field: Field | null, range: [number, number]) {
    this.field = field;
    this.range = range;
    if (field) this.paint.colors.value = this.mapOf(field);
    this.recolor();
  }

  private readonly maps = new Map<Field, THREE.DataTexture>();
  private mapOf(field: Field): THREE.DataTexture {
    let map = this.maps.get(field);
    if (!map) {
      map = colorsTexture(field.colors);
      this.maps.set(field, map);
    }
    return map;
  }

  private recolor() {
    (this.paint.colorRange.value as THREE.Vector2).set(...this.range);
    const values = this.field ? this.points?.fields.get(this.field.name) : undefined;
    this.paint.byValue.value = values !== undefined;
    if (values) {
      (this.paint.valueRange.value as THREE.Vector2).set(values.low, values.high);
      this.spheres.set('value', values.data);
    }
    if (!this.surface) return;
    const onMesh = this.field ? (this.surface.userData.mesh as Mesh).fields.get(this.field.name) : undefined;
    const uniforms = (this.surface.material as THREE.RawShaderMaterial).uniforms;
    uniforms.byValue.value = onMesh !== undefined;
    uniforms.colors.value = this.paint.colors.value;
    if (!onMesh) return;
    (uniforms.valueRange.value as THREE.Vector2).set(onMesh.low, onMesh.high);
    const attribute = this.surface.geometry.getAttribute('value') as THREE.BufferAttribute;
    attribute.array.set(onMesh.data);
    attribute.needsUpdate = true;
  }

  radiusOf(i: number): number {
    return (this.bodies.image.data as Float32Array)[4 * this.body[i] + 3];
  }

  // The first particle on a ray, or -1.
  pick(ray: THREE.Ray): number {
    if (!this.points) return -1;
    const { position, count } = this.points;
    let best = -1;
    let nearest = Infinity;
    const o = ray.origin;
    const d = ray.direction;
    for (let i = 0; i < count; ++i) {
      const x = position[3 * i] - o.x;
      const y = position[3 * i + 1] - o.y;
      const z = position[3 * i + 2] - o.z;
      const along = x * d.x + y * d.y + z * d.z;
      if (along <= 0 || along - 1 > nearest + this.size) continue;
      const r = this.radiusOf(i);
      const inside = r * r - (x * x + y * y + z * z - along * along);
      if (inside < 0) continue;
      const hit = along - Math.sqrt(inside);
      if (hit >= nearest) continue;
      nearest = hit;
      best = i;
    }
    return best;
  }

  place(i: number): THREE.Vector3 {
    return new THREE.Vector3().fromArray(this.points!.position, 3 * i);
  }
  value(i: number): number | null {
    const values = this.field ? this.points?.fields.get(this.field.name) : undefined;
    return values ? valueAt(values, i) : null;
  }

  castShadow(renderer: THREE.WebGLRenderer) {
    this.sun.cast(renderer, this.scene, this.sphereMesh, this.sphereShadow);
  }

  draw(renderer: THREE.WebGLRenderer, camera: THREE.PerspectiveCamera) {
    (this.light.eye.value as THREE.Vector3).copy(camera.position);
    const inverse = (this.sphereMesh.material as THREE.RawShaderMaterial).uniforms.viewInverse;
    (inverse.value as THREE.Matrix4).copy(camera.matrixWorld);
    renderer.render(this.scene, camera);
  }
}
