// A run that the page holds itself (src/pliant/serve/one_file.hpp): inflated once, decoded frame by frame.
import { type Mesh, type Particle, type Points, positionsOf, type RunInfo, unpack, type Values, valueAt } from './data';
import type { Source } from './source';

interface Header {
  info: RunInfo;
  begin: number;
  count: number;
  frames: number[];
  fields: { name: string; low: number; high: number }[];
  low: number[];
  step: number;
  colliders: (string | null)[];
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

class StoredRun {
  private readonly frames: { packed: Uint16Array; fields: Uint8Array }[] = [];

  constructor(
    readonly header: Header,
    bytes: Uint8Array
  ) {
    const n = header.count;
    const values = header.fields.length * n;
    let at = header.begin;
    let last = new Uint16Array(3 * n);
    let before = last;
    let fields = new Uint8Array(values);
    for (let k = 0; k < header.frames.length; ++k) {
      const planes = new Uint16Array(3 * n); // x of all particles, then y, then z
      for (let p = 0; p < 3 * n; ++p) {
        const folded = bytes[at + p] | (bytes[at + 3 * n + p] << 8);
        let predicted = p % n > 0 ? planes[p - 1] : 0;
        if (k > 0) predicted = k > 1 ? 2 * last[p] - before[p] : last[p];
        planes[p] = predicted + ((folded >>> 1) ^ -(folded & 1));
      }
      at += 6 * n;
      fields = fields.slice();
      for (let p = 0; p < values; ++p) fields[p] += bytes[at + p];
      at += values;
      before = last;
      last = planes;
      this.frames.push({ packed: planes, fields });
    }
  }

  frame(k: number): Points {
    const { header } = this;
    const n = header.count;
    const { packed, fields } = this.frames[k];
    const triples = new Uint16Array(3 * n);
    for (let i = 0; i < n; ++i) for (let a = 0; a < 3; ++a) triples[3 * i + a] = packed[a * n + i];
    const named = new Map<string, Values>(
      header.fields.map((f, j) => [f.name, { low: f.low, high: f.high, data: fields.subarray(j * n, (j + 1) * n) }])
    );
    const step = [header.step, header.step, header.step];
    return {
      count: n,
      time: header.info.times[k],
      frame: header.frames[k],
      position: positionsOf(triples, header.low, step),
      fields: named,
      header: {},
    };
  }

  // As near as the stored numbers are.
  particle(id: number, k: number): Particle {
    const i = id / (this.header.info.every ?? 1);
    const course: Particle['course'] = { time: this.header.info.times.slice() };
    const now: Particle['now'] = {};
    const { low, step, count } = this.header;
    ['x', 'y', 'z'].forEach((name, a) => {
      course[name] = this.frames.map((f) => low[a] + f.packed[a * count + i] * step);
      now[name] = [course[name][k]];
    });
    this.header.fields.forEach((f, j) => {
      const at = (frame: { fields: Uint8Array }) =>
        valueAt({ low: f.low, high: f.high, data: frame.fields }, j * count + i);
      course[f.name] = this.frames.map(at);
      now[f.name] = [at(this.frames[k])];
    });
    let body = 0;
    for (let end = this.header.info.bodies[0].count; id >= end; end += this.header.info.bodies[++body].count);
    return { id, now: { ...now, body } as unknown as Particle['now'], course };
  }
}

export class FileSource implements Source {
  readonly hasSurfaces = false;
  private constructor(private readonly stored: StoredRun[]) {}

  static async open(base64: string): Promise<FileSource> {
    const inflated = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('deflate'));
    const buffer = await new Response(inflated).arrayBuffer();
    const length = new DataView(buffer).getUint32(0, true);
    const headers = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header[];
    const bytes = new Uint8Array(buffer, 4 + length);
    return new FileSource(headers.map((header) => new StoredRun(header, bytes)));
  }

  get runs() {
    return this.stored.length;
  }
  info(run: number) {
    return Promise.resolve(this.stored[run].header.info);
  }
  frame(run: number, k: number) {
    return Promise.resolve(this.stored[run].frame(k));
  }
  surface(): Promise<Mesh> {
    return Promise.reject(new Error('this file holds particles only'));
  }
  collider(run: number, n: number) {
    const packed = this.stored[run].header.colliders[n];
    if (packed === null) return Promise.reject(new Error('this collider has no mesh'));
    return Promise.resolve(unpack(bytesOf(packed).buffer));
  }
  particle(run: number, id: number, k: number) {
    return Promise.resolve(this.stored[run].particle(id, k));
  }
}
