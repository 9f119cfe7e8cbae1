// The sun, and the map of what lies in its light.
import * as THREE from 'three';

const shadowSize = 2048;
const quickShadowSize = 384; // of pictures in a hurry

export class Sun {
  shadowIsOld = true;
  private readonly direction = new THREE.Vector3();
  private readonly shadow = new THREE.WebGLRenderTarget(shadowSize, shadowSize, {
    depthTexture: new THREE.DepthTexture(shadowSize, shadowSize),
  });
  private readonly camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly plainShadow = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
  readonly uniforms = {
    sun: { value: this.direction },
    shadowMatrix: { value: new THREE.Matrix4() },
    shadowMap: { value: this.shadow.depthTexture },
    shadowTexel: { value: 1 / shadowSize },
    shadowBias: { value: 0 },
    hurry: { value: false },
  };

  // `spacing`: the largest of particles.
  constructor(
    private readonly up: THREE.Vector3,
    private readonly spacing: number
  ) {}

  // High, behind the viewer's left shoulder at the start; its camera covers what the run spans.
  place(middle: THREE.Vector3, size: number) {
    const side = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
    const right = side.clone().cross(this.up).normalize();
    this.direction.copy(this.up).addScaledVector(side, -0.42).addScaledVector(right, 0.5).normalize();
    const { camera } = this;
    const r = 0.62 * size;
    camera.left = camera.bottom = -r;
    camera.right = camera.top = r;
    camera.near = 0;
    camera.far = 6 * r;
    camera.position.copy(middle).addScaledVector(this.direction, 3 * r);
    camera.up.copy(side);
    camera.lookAt(middle);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.uniforms.shadowMatrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.resize();
  }

  hurry(on: boolean) {
    if (this.uniforms.hurry.value === on) return;
    this.uniforms.hurry.value = on;
    this.resize();
  }

  private resize() {
    const pixels = this.uniforms.hurry.value ? quickShadowSize : shadowSize;
    this.shadow.setSize(pixels, pixels);
    this.uniforms.shadowTexel.value = 1 / pixels;
    this.uniforms.shadowBias.value = (2 * (this.camera.right - this.camera.left)) / pixels + 0.12 * this.spacing;
    this.shadowIsOld = true;
  }

  // Draws the map when something has moved. The ground and the backdrop throw no shadow.
  cast(renderer: THREE.WebGLRenderer, scene: THREE.Scene, spheres: THREE.Mesh, sphereShadow: THREE.Material) {
    if (!this.shadowIsOld) return;
    this.shadowIsOld = false;
    const hidden = scene.children.filter((o) => o.visible && (o.userData.ground as boolean));
    const shown = scene.children.filter((o): o is THREE.Mesh => o instanceof THREE.Mesh && o.visible);
    const usual = shown.map((o) => o.material);
    hidden.forEach((o) => (o.visible = false));
    shown.forEach((o) => (o.material = o === spheres ? sphereShadow : this.plainShadow));
    renderer.setRenderTarget(this.shadow);
    renderer.clear();
    renderer.render(scene, this.camera);
    renderer.setRenderTarget(null);
    shown.forEach((o, k) => (o.material = usual[k]));
    hidden.forEach((o) => (o.visible = true));
  }

  dispose() {
    this.shadow.dispose();
    this.shadow.depthTexture?.dispose();
    this.plainShadow.dispose();
  }
}
