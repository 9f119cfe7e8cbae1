// The canvas: runs side by side, seen by one camera.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { RunView } from './run_view';

export interface Hit {
  run: number;
  particle: number;
}

// A computer without a fast GPU draws fewer pixels while things move, and all of them once they stand still.
const scales = [1, 0.7, 0.5, 0.4];
const slow = 20; // milliseconds for a drawing, from which fewer pixels are drawn
const quick = 7;

// Where the processor draws, smooth edges would take as long as the rest of the picture: they are left for pictures
// that stand still, which have four times the pixels.
function drawnByProcessor(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 100);
  controls: OrbitControls;
  readonly views: RunView[] = [];
  frames = 0; // drawn so far
  drawn: (() => void)[] = []; // called after each drawing
  private framed = false; // nobody has turned the view since
  private wanted = false;
  private level = 0; // of `scales`
  private usual = 0; // milliseconds that the last drawings took
  private scale = 1; // of the pixels that are drawn
  private still = 0; // timer
  private readonly sharpest: number; // scale

  constructor(readonly canvas: HTMLCanvasElement) {
    const slowly = drawnByProcessor();
    this.sharpest = slowly ? 2 : 1;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !slowly, preserveDrawingBuffer: true });
    this.renderer.autoClear = false;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.controls = this.newControls();
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    this.fit();
  }

  add(view: RunView) {
    this.views.push(view);
    if (this.views.length > 1) return;
    this.camera.up.copy(view.up);
    this.controls.dispose();
    this.controls = this.newControls();
  }

  // They turn about the direction that is up when they are made; from below, the ground would hide everything.
  private newControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.addEventListener('change', () => this.redraw());
    controls.addEventListener('start', () => (this.framed = false));
    controls.zoomToCursor = true;
    if (this.views[0]?.info.colliders.some((c) => c.shape === 'plane')) controls.maxPolarAngle = 0.495 * Math.PI;
    return controls;
  }
  replace(k: number, view: RunView) {
    this.views[k].dispose();
    this.views[k] = view;
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.draw();
    });
  }

  // Something has come into the picture that may lie outside it.
  grown() {
    if (this.framed) this.frame();
    this.redraw();
  }

  private fit() {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth < 1 || clientHeight < 1) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.redraw();
  }

  // In CSS pixels, from the left of the canvas.
  column(k: number): { left: number; width: number; height: number } {
    const width = this.canvas.clientWidth / Math.max(this.views.length, 1);
    return { left: k * width, width, height: this.canvas.clientHeight };
  }

  private aim(k: number) {
    const { width, height } = this.column(k);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  // `finished` is called when the picture is there, which is later than the return.
  draw(finished: () => void = () => {}) {
    window.clearTimeout(this.still);
    this.render(scales[this.level]);
    this.time(finished);
  }

  // In all its pixels, at once.
  drawSharp() {
    window.clearTimeout(this.still);
    this.render(this.sharpest);
  }

  private time(finished: () => void) {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const begun = performance.now();
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = () => {
      if (fence && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED && !gl.isContextLost()) {
        setTimeout(look, 1);
        return;
      }
      gl.deleteSync(fence);
      this.pace(performance.now() - begun);
      finished();
    };
    setTimeout(look, 0);
  }

  private pace(took: number) {
    if (this.frames < 4) return; // the first ones compile shaders
    this.usual = this.usual === 0 ? took : 0.8 * this.usual + 0.2 * took;
    const level = this.level + (this.usual > slow ? 1 : this.usual < quick ? -1 : 0);
    if (level !== this.level && level >= 0 && level < scales.length) {
      this.level = level;
      this.usual = 0;
    }
    window.clearTimeout(this.still);
    if (this.scale < this.sharpest) this.still = window.setTimeout(() => this.drawSharp(), 400);
  }

  private render(scale: number) {
    if (scale !== this.scale) {
      this.scale = scale;
      this.renderer.setPixelRatio(scale * Math.min(window.devicePixelRatio, 2));
    }
    const nearest = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = nearest / 200;
    this.camera.far = nearest * 60;
    this.renderer.setScissorTest(false);
    this.views.forEach((view) => {
      view.hurry(scale < 1);
      view.castShadow(this.renderer);
    });
    this.renderer.setScissorTest(true);
    this.views.forEach((view, k) => {
      const { left, width, height } = this.column(k);
      this.aim(k);
      this.renderer.setViewport(left, 0, width, height);
      this.renderer.setScissor(left, 0, width, height);
      this.renderer.clear();
      view.draw(this.renderer, this.camera);
    });
    ++this.frames;
    this.drawn.forEach((call) => call());
  }

  // All runs in view, from the front and a little above; at the start, and with F. `now`: as they are, not over their
  // whole course.
  frame(keepDirection = false, now = false) {
    const box = new THREE.Box3();
    for (const view of this.views) box.union(view.bounds(now));
    if (box.isEmpty()) return;
    this.framed = true;
    const middle = box.getCenter(new THREE.Vector3());
    const up = this.camera.up;
    const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
    const front = side.clone().cross(up).normalize();
    let away = front.clone().addScaledVector(side, 0.35).addScaledVector(up, 0.42).normalize();
    if (keepDirection) away = this.camera.position.clone().sub(this.controls.target).normalize();
    const size = box.getSize(new THREE.Vector3()).length();
    this.controls.minDistance = 0.02 * size;
    this.controls.maxDistance = 20 * size;
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(away, this.distanceToSee(box, middle, away));
    this.controls.update();
    this.redraw();
  }

  // From where all corners of the box are within the picture, with a margin.
  private distanceToSee(box: THREE.Box3, middle: THREE.Vector3, away: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, away).normalize();
    const upward = new THREE.Vector3().crossVectors(away, right);
    const { width, height } = this.column(0);
    const tall = 0.84 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = (tall * width) / height;
    let distance = 1e-6;
    for (let k = 0; k < 8; ++k) {
      const corner = new THREE.Vector3(
        k & 1 ? box.max.x : box.min.x,
        k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z
      ).sub(middle);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(upward)) / tall);
      distance = Math.max(distance, corner.dot(away) + across);
    }
    return distance;
  }

  // The ray of a place on the canvas, in CSS pixels, and the run that it belongs to.
  ray(x: number, y: number): { run: number; ray: THREE.Ray } {
    const run = Math.max(0, Math.min(this.views.length - 1, Math.floor(x / this.column(0).width)));
    const { left, width, height } = this.column(run);
    this.aim(run);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * (x - left)) / width - 1, 1 - (2 * y) / height), this.camera);
    return { run, ray: caster.ray };
  }

  pick(x: number, y: number): Hit | null {
    if (this.views.length === 0) return null;
    const { run, ray } = this.ray(x, y);
    const particle = this.views[run].pick(ray);
    return particle < 0 ? null : { run, particle };
  }

  // The same, or what is a few pixels away: bodies move while one aims.
  pickNear(x: number, y: number): Hit | null {
    for (const r of [0, 5, 10])
      for (let k = 0; k < (r === 0 ? 1 : 8); ++k) {
        const hit = this.pick(x + r * Math.cos((k * Math.PI) / 4), y + r * Math.sin((k * Math.PI) / 4));
        if (hit) return hit;
      }
    return null;
  }

  // Where a point is on the canvas, in CSS pixels.
  project(run: number, point: THREE.Vector3): { x: number; y: number; scale: number } {
    const { left, width, height } = this.column(run);
    this.aim(run);
    const distance = -point.clone().applyMatrix4(this.camera.matrixWorldInverse).z;
    const p = point.clone().project(this.camera);
    const scale = height / (2 * distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)));
    return { x: left + ((p.x + 1) * width) / 2, y: ((1 - p.y) * height) / 2, scale };
  }
}
