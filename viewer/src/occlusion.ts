// How much light of the sky reaches a place between particles, and which way their surface faces there. Particles are
// spread over a coarse grid and blurred: the density falls from 1 inside a body to 0 outside, its slope is the normal,
// and what there is in front of a surface takes light away. A few milliseconds for 20,000 particles.

const mostParticles = 300000; // beyond, the page would wait for it in every frame
const mostCells = 400000;

export class Occlusion {
  private readonly low: [number, number, number];
  private readonly cell: number;
  private readonly size: [number, number, number];
  private readonly density: Float32Array;

  static of(position: Float32Array, spacing: number): Occlusion | null {
    const count = position.length / 3;
    return count > 0 && count <= mostParticles && spacing > 0 ? new Occlusion(position, spacing) : null;
  }

  private constructor(position: Float32Array, spacing: number) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let p = 0; p < position.length; ++p) {
      const a = p % 3;
      if (position[p] < low[a]) low[a] = position[p];
      if (position[p] > high[a]) high[a] = position[p];
    }
    let cell = 1.7 * spacing;
    const cellsAt = (h: number) => high.map((x, a) => Math.ceil((x - low[a]) / h) + 7);
    while (cellsAt(cell).reduce((n, k) => n * k, 1) > mostCells) cell *= 1.25;
    this.cell = cell;
    this.size = cellsAt(cell) as [number, number, number];
    this.low = low.map((x) => x - 3 * cell) as [number, number, number];
    const [nx, ny, nz] = this.size;
    this.density = new Float32Array(nx * ny * nz);
    this.spread(position, (spacing / cell) ** 3);
    for (const step of [1, nx, nx * ny]) this.blur(step);
  }

  // Each particle among the eight corners of its cell.
  private spread(position: Float32Array, volume: number) {
    const [nx, ny] = this.size;
    const { density } = this;
    for (let p = 0; p < position.length; p += 3) {
      const { at, fx, fy, fz } = this.locate(position[p], position[p + 1], position[p + 2]);
      for (let c = 0; c < 8; ++c) {
        const x = c & 1;
        const y = (c >> 1) & 1;
        const z = c >> 2;
        const share = (x ? fx : 1 - fx) * (y ? fy : 1 - fy) * (z ? fz : 1 - fz);
        density[at + x + nx * (y + ny * z)] += volume * share;
      }
    }
  }

  // 1 2 1 along one axis. The outermost cells are empty, so that lines need no ends.
  private blur(step: number) {
    const { density } = this;
    let before = 0;
    for (let first = 0; first < step; ++first) {
      before = 0;
      for (let k = first; k + step < density.length; k += step) {
        const here = density[k];
        density[k] = 0.25 * (before + 2 * here + density[k + step]);
        before = here;
      }
    }
  }

  private locate(x: number, y: number, z: number) {
    const { low, cell, size } = this;
    const limited = (v: number, a: number) => Math.min(Math.max((v - low[a]) / cell, 0), size[a] - 1.001);
    const gx = limited(x, 0);
    const gy = limited(y, 1);
    const gz = limited(z, 2);
    const i = Math.floor(gx);
    const j = Math.floor(gy);
    const k = Math.floor(gz);
    return { at: i + size[0] * (j + size[1] * k), fx: gx - i, fy: gy - j, fz: gz - k };
  }

  private at(x: number, y: number, z: number): number {
    const { at, fx, fy, fz } = this.locate(x, y, z);
    const d = this.density;
    const [nx, ny] = this.size;
    const layer = nx * ny;
    const row = (k: number) => d[k] + fx * (d[k + 1] - d[k]);
    const sheet = (k: number) => row(k) + fy * (row(k + nx) - row(k));
    const near = sheet(at);
    return near + fz * (sheet(at + layer) - near);
  }

  // For each place: its outward normal times how surely it is a surface, and the light that arrives; bytes -127 to 127.
  crust(position: Float32Array): Int8Array {
    const bytes = new Int8Array((4 * position.length) / 3);
    const h = 0.8 * this.cell;
    for (let p = 0, b = 0; p < position.length; p += 3, b += 4) {
      const x = position[p];
      const y = position[p + 1];
      const z = position[p + 2];
      const sx = this.at(x - h, y, z) - this.at(x + h, y, z);
      const sy = this.at(x, y - h, z) - this.at(x, y + h, z);
      const sz = this.at(x, y, z - h) - this.at(x, y, z + h);
      const slope = Math.hypot(sx, sy, sz);
      const sure = Math.min(1, slope / 0.35);
      const scale = slope > 1e-6 ? sure / slope : 0;
      // What lies in front, at two distances: nothing before a flat surface.
      const out = (2.2 * this.cell) / Math.max(slope, 1e-6);
      const near = this.at(x + 0.5 * out * sx, y + 0.5 * out * sy, z + 0.5 * out * sz);
      const far = this.at(x + out * sx, y + out * sy, z + out * sz);
      const light = 1 - Math.min(0.75, 0.9 * Math.max(0, near - 0.18) + 0.8 * far);
      bytes[b] = 127 * scale * sx;
      bytes[b + 1] = 127 * scale * sy;
      bytes[b + 2] = 127 * scale * sz;
      bytes[b + 3] = 127 * light;
    }
    return bytes;
  }
}

// The shade that particles cast on a plane beneath them, where no light of the sky comes in: a square of numbers
// around the middle of the run, 255 for darkest.
export function shadeBelow(
  position: Float32Array,
  spacing: number,
  height: (p: number) => [number, number, number], // of the p-th number: along the plane, above it, along it
  half: number,
  size: number
): Uint8Array {
  const sum = new Float32Array(size * size);
  const cell = (2 * half) / size;
  const reach = Math.max(3 * spacing, 1.5 * cell);
  const share = (spacing / cell) ** 2;
  for (let p = 0; p < position.length; p += 3) {
    const [u, above, w] = height(p);
    if (above > 4 * reach || above < -spacing) continue;
    const x = (u + half) / cell - 0.5;
    const z = (w + half) / cell - 0.5;
    const i = Math.floor(x);
    const k = Math.floor(z);
    if (i < 1 || k < 1 || i > size - 3 || k > size - 3) continue;
    const weight = share * Math.exp(-Math.max(above, 0) / reach);
    const fx = x - i;
    const fz = z - k;
    sum[i + size * k] += weight * (1 - fx) * (1 - fz);
    sum[i + 1 + size * k] += weight * fx * (1 - fz);
    sum[i + size * (k + 1)] += weight * (1 - fx) * fz;
    sum[i + 1 + size * (k + 1)] += weight * fx * fz;
  }
  // As wide as a particle, so that none shows by itself; at least once.
  const passes = Math.min(8, Math.max(1, Math.ceil((spacing / cell) ** 2)));
  for (let pass = 0; pass < passes; ++pass) {
    blurLines(sum, size, 1, size);
    blurLines(sum, size, size, 1);
  }
  const bytes = new Uint8Array(size * size);
  for (let k = 1; k + 1 < size; ++k)
    for (let i = 1; i + 1 < size; ++i) bytes[i + size * k] = 255 * (1 - Math.exp(-0.9 * sum[i + size * k]));
  return bytes;
}

// 1 2 1 along each line of a square of numbers whose edge is empty.
function blurLines(sum: Float32Array, size: number, step: number, next: number) {
  for (let line = 0; line < size; ++line) {
    let before = 0;
    for (let k = 0, at = line * next; k + 1 < size; ++k, at += step) {
      const here = sum[at];
      sum[at] = 0.25 * (before + 2 * here + sum[at + step]);
      before = here;
    }
  }
}
