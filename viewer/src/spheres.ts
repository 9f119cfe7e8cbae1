// The squares that shaders make spheres of, four corners for each particle. Without instances: software GL draws each
// instance as a draw call of its own, and takes ten times as long.
import * as THREE from 'three';

type Values = Float32Array | Uint8Array | Int8Array;
const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
const triangles = [0, 1, 2, 0, 2, 3];

export class Spheres {
  readonly geometry = new THREE.BufferGeometry();

  // `body` and `crust`: of each particle, the other values follow.
  resize(body: Float32Array, crust: Int8Array) {
    const n = body.length;
    const position = new Float32Array(12 * n);
    const index = new Uint32Array(6 * n);
    for (let i = 0; i < n; ++i) {
      position.set(corners, 12 * i);
      for (let k = 0; k < 6; ++k) index[6 * i + k] = 4 * i + triangles[k];
    }
    this.geometry.dispose();
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    this.geometry.setAttribute('body', new THREE.BufferAttribute(new Float32Array(4 * n), 1));
    this.geometry.setAttribute('center', new THREE.BufferAttribute(new Float32Array(12 * n), 3));
    this.geometry.setAttribute('value', new THREE.BufferAttribute(new Uint8Array(4 * n), 1, true));
    this.geometry.setAttribute('crust', new THREE.BufferAttribute(new Int8Array(16 * n), 4, true));
    this.set('body', body);
    this.set('crust', crust);
  }

  // One value of each particle, at its four corners.
  set(name: 'body' | 'center' | 'value' | 'crust', values: Values) {
    const attribute = this.geometry.getAttribute(name) as THREE.BufferAttribute;
    const to = attribute.array as Values;
    const size = attribute.itemSize;
    for (let from = 0, at = 0; from < values.length; from += size)
      for (let corner = 0; corner < 4; ++corner)
        for (let k = 0; k < size; ++k) to[at++] = values[from + k];
    attribute.needsUpdate = true;
  }
}
