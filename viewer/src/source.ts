// Where frames come from: the program, or the page itself (one_file.ts).
import { type Mesh, type Particle, type Points, type RunInfo, unpack } from './data';

export interface Source {
  readonly runs: number;
  readonly hasSurfaces: boolean;
  info(run: number): Promise<RunInfo>;
  frame(run: number, k: number): Promise<Points>;
  surface(run: number, k: number): Promise<Mesh>;
  collider(run: number, n: number): Promise<Mesh>;
  particle(run: number, id: number, k: number): Promise<Particle>;
}

async function load(path: string): Promise<Response> {
  const response = await fetch(path).catch(() => {
    throw new Error('pliant view has ended; start it again and load this page anew.');
  });
  if (!response.ok) throw new Error((await response.text()) || `${path}: ${response.status}`);
  return response;
}

export class HttpSource implements Source {
  readonly hasSurfaces = true;
  constructor(readonly runs: number) {}
  private async block(path: string) {
    return unpack(await (await load(path)).arrayBuffer());
  }
  async info(run: number) {
    return (await (await load(`runs/${run}/info`)).json()) as RunInfo;
  }
  frame(run: number, k: number) {
    return this.block(`runs/${run}/frames/${k}`);
  }
  surface(run: number, k: number) {
    return this.block(`runs/${run}/surfaces/${k}`);
  }
  collider(run: number, n: number) {
    return this.block(`runs/${run}/colliders/${n}`);
  }
  async particle(run: number, id: number, k: number) {
    return (await (await load(`runs/${run}/particles/${id}/${k}`)).json()) as Particle;
  }
}

// Keeps what was loaded, up to a number of bytes, and loads each thing once.
export class Cache<T extends Points> {
  private readonly kept = new Map<number, Promise<T>>();
  private bytes = 0;
  constructor(
    private readonly load: (k: number) => Promise<T>,
    private readonly most = 400e6
  ) {}

  at(k: number): Promise<T> {
    const known = this.kept.get(k);
    if (known) return known;
    const loading = this.load(k);
    this.kept.set(k, loading);
    loading.then(
      (points) => this.count(points),
      () => this.kept.delete(k)
    );
    return loading;
  }
  has(k: number) {
    return this.kept.has(k);
  }
  private count(points: T) {
    this.bytes += points.count * (12 + points.fields.size) + 64;
    if (this.bytes < this.most) return;
    this.kept.clear();
    this.bytes = 0;
  }
}
