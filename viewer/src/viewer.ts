// A run that is on the disk, or several: timeline, charts, and the particle that was clicked.
import { Chart, type Line } from './charts';
import type { Mesh, Points, RunInfo } from './data';
import { byId, element, iconButton, notice, setIcon } from './dom';
import { ParticlePanel } from './panel';
import { RunView } from './run_view';
import { Cache, type Source } from './source';
import type { Stage } from './stage';
import { Toolbar } from './toolbar';

interface Run {
  info: RunInfo;
  view: RunView;
  frames: Cache<Points>;
  surfaces: Cache<Mesh>;
  shown: number; // position of the frame on the screen; -1: none yet
}

const runColors = ['#3f74b5', '#d98325', '#2f8f72', '#b03a37', '#70509a', '#7a5a48'];
const ahead = 6; // frames that are loaded before they are needed

export class Viewer {
  readonly runs: Run[] = [];
  time = 0;
  playing = false;
  private speed = 1;
  private end = 0;
  private last = 0;
  private loading = false;
  private chosen: { run: number; id: number } | null = null;
  private toolbar!: Toolbar;
  private readonly charts: Chart[] = [];
  private readonly slider = element('input', { id: 'time', type: 'range', min: 0, step: 'any', value: 0 });
  private readonly clock = element('output', { id: 'clock' });
  private readonly play = iconButton('play', 'Play or pause (space)', () => this.toggle());
  private readonly panel = new ParticlePanel(
    (t) => this.seek(t),
    () => this.choose(null)
  );
  private readonly marker = element('div', { id: 'marker', hidden: true });

  constructor(
    private readonly stage: Stage,
    private readonly source: Source
  ) {}

  async start() {
    const infos = await Promise.all(Array.from({ length: this.source.runs }, (_, k) => this.source.info(k)));
    infos.forEach((info, k) => {
      const view = new RunView(
        info,
        (n) => this.source.collider(k, n),
        () => this.stage.grown()
      );
      this.stage.add(view);
      const frames = new Cache((n: number) => this.source.frame(k, n));
      const surfaces = new Cache((n: number) => this.source.surface(k, n));
      this.runs.push({ info, view, frames, surfaces, shown: -1 });
    });
    this.end = Math.max(...infos.map((i) => i.times[i.times.length - 1]));
    const hasSurface = this.source.hasSurfaces && infos.some((i) => i.surface);
    const charts = element('button', { id: 'charts-button', onclick: () => this.toggleCharts() }, 'charts');
    this.toolbar = new Toolbar(
      this.stage,
      infos.map((i) => i.title),
      hasSurface,
      [charts]
    );
    this.toolbar.onsurface = () => {
      this.runs.forEach((run) => (run.shown = -1));
      void this.update();
    };
    this.buildTimeline();
    this.buildCharts();
    this.labelRuns();
    byId('side').append(this.panel.place);
    byId('overlay').append(this.marker);
    this.toolbar.fill(infos);
    this.stage.frame();
    this.stage.drawn.push(() => this.placeMarker());
    this.watchPointer();
    window.addEventListener('keydown', (event) => this.key(event));
    const notes = infos.flatMap((i) => (i.note ? [i.note] : []));
    if (notes.length > 0) notice(notes.join(' '), 10);
    await this.update();
  }

  private buildTimeline() {
    this.slider.max = String(this.end);
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
    const speed = element('select', { id: 'speed', title: 'Speed', onchange: () => (this.speed = Number(speed.value)) });
    speed.append(...speeds.map((s) => element('option', { value: s, selected: s === 1 }, `${s}×`)));
    byId('foot').append(
      element(
        'div',
        { class: 'timeline' },
        iconButton('back', 'One frame back (left)', () => this.step(-1)),
        this.play,
        iconButton('next', 'One frame on (right)', () => this.step(1)),
        this.slider,
        this.clock,
        speed
      )
    );
  }

  private buildCharts() {
    const place = element('div', { class: 'charts', id: 'charts' });
    byId('foot').append(place);
    const column = (info: RunInfo, name: string) => {
      const k = info.stats.columns.indexOf(name);
      return info.stats.rows.map((row) => row[k]);
    };
    const single = this.runs.length === 1;
    const add = (title: string, unit: string, lines: [string, string, string][]) => {
      const chart = new Chart(title, unit, (t) => this.seek(t));
      this.charts.push(chart);
      place.append(chart.place);
      const times = [...new Set(this.runs.flatMap((r) => column(r.info, 'time')))].sort((a, b) => a - b);
      const drawn = this.runs.flatMap((run, k) =>
        lines.map(([label, name, color]): Line => {
          const own = new Map(column(run.info, 'time').map((t, i) => [t, column(run.info, name)[i]]));
          const words = single ? label : `${run.info.name}${lines.length > 1 ? ' ' + label : ''}`;
          return { label: words, color: single ? color : runColors[k], values: times.map((t) => own.get(t) ?? null) };
        })
      );
      requestAnimationFrame(() => chart.set(times, drawn));
    };
    if (single)
      add('energy', 'J', [
        ['kinetic', 'kinetic_energy', '#d98325'],
        ['elastic', 'elastic_energy', '#3f74b5'],
        ['potential', 'potential_energy', '#8a8f96'],
      ]);
    else {
      add('kinetic energy', 'J', [['kinetic energy', 'kinetic_energy', '']]);
      add('elastic energy', 'J', [['elastic energy', 'elastic_energy', '']]);
    }
    // Methods without iterations take steps of their own choice.
    const iterates = this.runs.some((run) => column(run.info, 'cg_iterations').some((n) => n > 0));
    const [effort, counted] = iterates ? ['iterations in a frame', 'cg_iterations'] : ['steps in a frame', 'steps'];
    add(effort, '', [[effort, counted, '#70509a']]);
  }

  private toggleCharts() {
    document.body.classList.toggle('no-charts');
  }

  private labelRuns() {
    if (this.runs.length < 2) return;
    this.runs.forEach((run, k) => {
      const left = `left:${(100 * k) / this.runs.length}%`;
      const name = run.info.name === run.info.title ? run.info.title : `${run.info.name} · ${run.info.title}`;
      byId('overlay').append(
        element('div', { class: 'run-name', style: left }, element('i', { style: `background:${runColors[k]}` }), name)
      );
      if (k > 0) byId('overlay').append(element('div', { class: 'divider', style: left }));
    });
  }

  private key(event: KeyboardEvent) {
    if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey) return;
    const keys: Record<string, () => void> = {
      ' ': () => this.toggle(),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.seek(0),
      End: () => this.seek(this.end),
      f: () => this.stage.frame(true),
      F: () => this.stage.frame(true),
      Escape: () => this.choose(null),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // The frame of a run at a time: the last one that has begun.
  position(run: Run, time: number): number {
    const times = run.info.times;
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= time + 1e-9) ++k;
    return k;
  }

  toggle() {
    if (!this.playing && this.time >= this.end - 1e-9) this.time = 0;
    this.playing = !this.playing;
    setIcon(this.play, this.playing ? 'pause' : 'play');
    this.last = performance.now();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number) {
    if (!this.playing) return;
    if (!this.loading) {
      this.time = Math.min(this.time + (this.speed * Math.min(now - this.last, 100)) / 1000, this.end);
      void this.update();
    }
    this.last = now;
    if (this.time >= this.end - 1e-9) this.toggle();
    else requestAnimationFrame((next) => this.tick(next));
  }

  step(by: number) {
    if (this.playing) this.toggle();
    const times = [...new Set(this.runs.flatMap((run) => run.info.times))].sort((a, b) => a - b);
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= this.time + 1e-9) ++k;
    this.seek(times[Math.max(0, Math.min(times.length - 1, k + by))]);
  }

  seek(time: number) {
    this.time = Math.max(0, Math.min(time, this.end));
    void this.update();
  }

  // Shows the frames of the present time. While they load, later calls wait for the newest time.
  private async update() {
    this.showTime();
    if (this.loading) return;
    this.loading = true;
    try {
      for (let shown = NaN; shown !== this.time; ) {
        shown = this.time;
        await Promise.all(this.runs.map((run) => this.show(run, this.position(run, shown))));
      }
    } catch (error) {
      if (this.playing) this.toggle();
      notice(String(error instanceof Error ? error.message : error));
    }
    this.loading = false;
    this.showTime();
    this.stage.redraw();
  }

  private async show(run: Run, k: number) {
    if (run.shown === k) return;
    const surface = this.toolbar.look.value === 'surface' && run.info.surface;
    const [points, mesh] = await Promise.all([run.frames.at(k), surface ? run.surfaces.at(k) : null]);
    run.view.show(points);
    run.view.showSurface(mesh);
    run.view.poseColliders(k);
    run.shown = k;
    if (this.playing)
      for (let n = k + 1; n <= Math.min(k + ahead, run.info.times.length - 1); ++n)
        void (surface ? run.surfaces.at(n) : run.frames.at(n)).catch(() => {});
    if (this.chosen && this.runs[this.chosen.run] === run && !this.playing) void this.readChosen();
  }

  private showTime() {
    const last = (run: Run) => run.info.times[run.info.times.length - 1];
    const run = this.runs.reduce((longest, other) => (last(other) > last(longest) ? other : longest));
    const k = this.position(run, this.time);
    const { frames } = run.info; // their numbers in the run
    this.slider.value = String(this.time);
    this.slider.style.setProperty('--part', `${(100 * this.time) / Math.max(this.end, 1e-9)}%`);
    this.clock.textContent = `${run.info.times[k].toFixed(3)} s   frame ${frames[k]} of ${frames[frames.length - 1]}`;
    this.charts.forEach((chart) => chart.at(this.time));
    this.panel.at(this.time);
  }

  private watchPointer() {
    let from: { x: number; y: number } | null = null;
    const canvas = this.stage.canvas;
    canvas.addEventListener('pointerdown', (event) => (from = { x: event.offsetX, y: event.offsetY }));
    canvas.addEventListener('pointerup', (event) => {
      if (!from || Math.hypot(event.offsetX - from.x, event.offsetY - from.y) > 4 || event.button !== 0) return;
      const hit = this.stage.pick(event.offsetX, event.offsetY);
      this.choose(hit ? { run: hit.run, id: hit.particle } : null);
    });
  }

  choose(chosen: { run: number; id: number } | null) {
    const fresh = this.chosen === null;
    this.chosen = chosen;
    const color = this.toolbar.colour.value;
    if (fresh && color !== 'body') this.panel.quantity = color;
    if (!chosen) this.panel.clear();
    else void this.readChosen();
    this.stage.redraw();
  }

  private async readChosen() {
    const chosen = this.chosen;
    if (!chosen) return;
    const run = this.runs[chosen.run];
    try {
      const particle = await this.source.particle(chosen.run, chosen.id * (run.info.every ?? 1), run.shown);
      if (this.chosen === chosen)
        this.panel.show(run.info, particle, this.runs.length > 1 ? run.info.name : '', this.time);
    } catch (error) {
      notice(String(error instanceof Error ? error.message : error));
    }
  }

  private placeMarker() {
    this.marker.hidden = this.chosen === null;
    if (!this.chosen) return;
    const view = this.runs[this.chosen.run].view;
    if (!view.points) return;
    const { x, y, scale } = this.stage.project(this.chosen.run, view.place(this.chosen.id));
    const size = Math.max(2 * view.radiusOf(this.chosen.id) * scale + 6, 12);
    this.marker.setAttribute('style', `left:${x}px;top:${y}px;width:${size}px;height:${size}px`);
  }
}
