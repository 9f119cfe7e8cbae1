// What the program sends: information on a run as JSON, and blocks of bytes (src/pliant/serve/pack.hpp).

export interface Field {
  name: string;
  words: string;
  unit: string;
  colors: string[];
  range?: [number, number];
}

export interface Body {
  name: string;
  count: number;
  spacing: number; // [m]
  color: string;
}

export interface Collider {
  shape: string;
  mesh: boolean;
  poses: number[][]; // position and rotation row by row; one, or one per frame
}

export interface Stats {
  columns: string[];
  rows: number[][];
}

export interface RunInfo {
  name: string;
  title: string;
  method: string;
  gravity: [number, number, number];
  fps: number;
  surface: boolean;
  smooth: boolean;
  low: [number, number, number];
  high: [number, number, number];
  bodies: Body[];
  fields: Field[];
  times: number[];
  frames: number[]; // their numbers in the run; none while it runs
  stats: Stats;
  colliders: Collider[];
  note?: string; // what was left out
  every?: number; // of how many particles one is kept
}

export interface Values {
  low: number;
  high: number;
  data: Uint8Array;
}

export interface Points {
  count: number;
  time: number;
  frame: number;
  position: Float32Array;
  fields: Map<string, Values>;
  header: Record<string, unknown>;
}

export interface Mesh extends Points {
  index: Uint32Array;
  body: Uint16Array;
}

export interface Course {
  [name: string]: (number | null)[];
}

export interface Particle {
  id: number;
  now: Course;
  course: Course;
}

interface Header {
  count: number;
  time?: number;
  frame?: number;
  triangles?: number;
  low: number[];
  step: number[];
  fields: { name: string; low: number; high: number }[];
}

const padded = (bytes: number) => Math.ceil(bytes / 4) * 4;

export function positionsOf(packed: Uint16Array, low: number[], step: number[]): Float32Array {
  const position = new Float32Array(packed.length);
  for (let i = 0; i < packed.length; i += 3) {
    position[i] = low[0] + packed[i] * step[0];
    position[i + 1] = low[1] + packed[i + 1] * step[1];
    position[i + 2] = low[2] + packed[i + 2] * step[2];
  }
  return position;
}

export function unpack(bytes: ArrayBuffer): Mesh {
  const view = new DataView(bytes);
  if (bytes.byteLength < 8 || view.getUint32(0, false) !== 0x504c4e54) throw new Error('this is no block of pliant');
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Header;
  let at = 8 + length;
  const take = (size: number) => {
    const begin = at;
    at += padded(size);
    return begin;
  };
  const n = header.count;
  const position = positionsOf(new Uint16Array(bytes, take(6 * n), 3 * n), header.low, header.step);
  let index = new Uint32Array();
  let body = new Uint16Array();
  if (header.triangles !== undefined) {
    index = new Uint32Array(bytes, take(12 * header.triangles), 3 * header.triangles);
    body = new Uint16Array(bytes, take(2 * n), n);
  }
  const fields = new Map<string, Values>();
  for (const { name, low, high } of header.fields)
    fields.set(name, { low, high, data: new Uint8Array(bytes, take(n), n) });
  return {
    count: n,
    time: header.time ?? 0,
    frame: header.frame ?? 0,
    position,
    fields,
    index,
    body,
    header: header as unknown as Record<string, unknown>,
  };
}

// The number of each particle's body: particles of a body follow each other.
export function bodiesOf(info: RunInfo, count: number): Float32Array {
  const body = new Float32Array(count);
  const every = info.every ?? 1;
  let begin = 0;
  info.bodies.forEach((of, b) => {
    const first = Math.ceil(begin / every);
    begin += of.count;
    body.fill(b, first, Math.ceil(begin / every));
  });
  return body;
}

export function valueAt(values: Values, i: number): number {
  return values.low + (values.data[i] / 255) * (values.high - values.low);
}

const digits = (x: number) => Number(x.toPrecision(4));
const prefixes: [number, string][] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

// "12.5 kPa"
export function withUnit(x: number | null | undefined, unit: string): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (unit === 'Pa' || unit === 'J')
    for (const [size, letter] of prefixes) if (Math.abs(x) >= size) return `${digits(x / size)} ${letter}${unit}`;
  const small = x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6);
  const text = small ? x.toExponential(3) : String(digits(x));
  return unit === '' ? text : `${text} ${unit}`;
}
