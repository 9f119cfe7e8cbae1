// A simulation that runs now: frames as they come, and what the person does to it.
import * as THREE from 'three';
import { Chart } from './charts';
import { type Mesh, type Points, type RunInfo, unpack, type Values } from './data';
import { byId, element, iconButton, notice, setIcon } from './dom';
import { roundStep } from './legend';
import { LivePanel, type LiveKey } from './live_panel';
import { RunView } from './run_view';
import type { Stage } from './stage';
import { Toolbar } from './toolbar';

interface Hello {
  type: 'info';
  info: RunInfo;
  keys: LiveKey[];
  ball: number; // its radius [m]; 0: none
  playing: boolean;
  trouble: string;
  restarts: boolean;
}
interface State {
  type: 'state';
  playing: boolean;
  trouble: string;
  values: Record<string, number>; // of the keys
}
interface FrameHeader {
  seen: number;
  stats: number[];
  ball?: [number, number, number];
  poses?: number[][];
}

const kept = 600; // frames in the charts

export class Live {
  view: RunView | null = null;
  points: Points | null = null;
  playing = true;
  received = 0; // frames
  readonly latencies: number[] = []; // from a message about the hand to the frame drawn that obeys it [ms]
  readonly arrivedAfter: number[] = []; // from the same to the arrival of that frame [ms]
  private info: RunInfo | null = null;
  private ballRadius = 0;
  private socket!: WebSocket;
  private toolbar!: Toolbar;
  private readonly play = iconButton('pause', 'Pause or go on (space)', () => this.toggle());
  private readonly again = iconButton('restart', 'Begin again', () => this.send({ do: 'restart' }));
  private readonly clock = element('output', { id: 'clock' });
  private readonly rate = element('output', { id: 'rate' });
  private readonly panel = new LivePanel((key, value) => this.send({ do: 'set', key, value }));
  private readonly energy = new Chart('energy', 'J');
  private readonly work = new Chart('time to compute a frame', 'ms');
  private rows: number[][] = [];
  private readonly arrivals: { at: number; frame: number }[] = [];
  private readonly sent = new Map<number, number>();
  private number = 0;
  private newest: Points | null = null;
  private drawing = false;
  private ready: () => void = () => {}; // once a frame is there
  private drag: { particle: number; plane: THREE.Plane; pointer: number; ball: boolean } | null = null;
  private readonly cord = element('div', { id: 'cord', hidden: true });
  private tool: 'grab' | 'ball' = 'grab';

  constructor(private readonly stage: Stage) {}

  start(): Promise<void> {
    this.buildFoot();
    byId('overlay').append(this.cord);
    this.stage.drawn.push(() => this.placeCord());
    this.watchPointer();
    window.addEventListener('keydown', (event) => this.key(event));
    return new Promise((ready, fail) => {
      this.ready = ready;
      const url = new URL('live', location.href);
      url.protocol = 'ws:';
      this.socket = new WebSocket(url);
      this.socket.binaryType = 'arraybuffer';
      this.socket.onmessage = ({ data }) => {
        if (typeof data === 'string') this.hear(JSON.parse(data) as Hello | State);
        else {
          this.receive(unpack(data as ArrayBuffer));
          this.socket.send('seen'); // frames wait at the program for this, not on the way
        }
      };
      this.socket.onerror = () => fail(new Error('The simulation cannot be reached.'));
      this.socket.onclose = () => notice('The simulation has ended.', 0);
    });
  }

  private send(message: object) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private hear(message: Hello | State) {
    this.playing = message.playing;
    setIcon(this.play, this.playing ? 'pause' : 'play');
    notice(message.trouble, 0);
    if (message.type === 'state') {
      this.panel.show(message.values);
      if (this.points) this.sayPace();
      return;
    }
    const first = this.info === null;
    this.info = message.info;
    this.ballRadius = message.ball;
    this.rows = [];
    this.letGo();
    this.view = new RunView(
      message.info,
      (n) => this.collider(n),
      () => this.stage.redraw()
    );
    if (first) this.stage.add(this.view);
    else this.stage.replace(0, this.view);
    if (first) {
      const tool = (name: 'grab' | 'ball', words: string, title: string): HTMLButtonElement =>
        element('button', { id: `tool-${name}`, title, onclick: () => this.choose(name) }, words);
      const tools = [tool('grab', 'grab', 'Press on a body and drag: it is pulled')];
      if (this.ballRadius > 0) tools.push(tool('ball', 'ball', 'Press on a body and drag: a ball pushes it'));
      this.toolbar = new Toolbar(this.stage, [message.info.title], false, tools, true);
      this.choose('grab');
      this.toolbar.colour.addEventListener('change', () => {
        this.asked = -1e9;
        this.askForStress(performance.now());
      });
      byId('side').append(this.panel.place);
    }
    this.again.hidden = !message.restarts;
    this.panel.fill(message.keys);
    message.info.fields.forEach((f) => (f.range = [0, 0]));
    this.toolbar.fill([message.info]);
  }

  private async collider(n: number): Promise<Mesh> {
    const response = await fetch(`runs/0/colliders/${n}`);
    if (!response.ok) throw new Error('this collider has no mesh');
    return unpack(await response.arrayBuffer());
  }

  // Of frames that come faster than they are drawn, the newest is drawn.
  private receive(points: Points) {
    ++this.received;
    const now = performance.now();
    const { seen, stats } = points.header as unknown as FrameHeader;
    const sent = this.sent.get(seen);
    if (sent !== undefined) this.arrivedAfter.push(now - sent);
    if (points.frame < (this.arrivals[this.arrivals.length - 1]?.frame ?? 0)) this.arrivals.length = 0; // begun again
    this.arrivals.push({ at: now, frame: points.frame });
    while (this.arrivals.length > 2 && this.arrivals[0].at < now - 2000) this.arrivals.shift();
    if (this.rows.length === 0 || stats[0] > this.rows[this.rows.length - 1][0]) this.rows.push(stats);
    if (this.rows.length > kept) this.rows.shift();
    this.newest = points;
    this.drawSoon();
  }

  // Not before the last picture is done: pictures that wait in a row would all be late.
  private drawSoon() {
    if (this.drawing || this.newest === null) return;
    this.drawing = true;
    requestAnimationFrame(() => this.draw());
  }

  private draw() {
    const points = this.newest;
    if (!points || !this.view || !this.info) {
      this.drawing = false;
      return;
    }
    this.newest = null;
    const first = this.points === null;
    this.points = points;
    this.ready();
    const header = points.header as unknown as FrameHeader;
    this.keepColours(points);
    this.widenRanges(points);
    this.view.show(points);
    if (first) this.stage.frame(false, true);
    const ball = header.ball;
    this.view.showBall(ball ? new THREE.Vector3(...ball) : null, this.ballRadius);
    if (header.poses) {
      header.poses.forEach((pose, n) => (this.info!.colliders[n].poses = [pose]));
      this.view.poseColliders(0);
    }
    this.clock.textContent = `${points.time.toFixed(2)} s   frame ${points.frame}`;
    const now = performance.now();
    this.askForStress(now);
    if (now - this.charted > 200) {
      this.drawCharts();
      this.sayPace();
    }
    this.stage.draw(() => {
      this.drawing = false;
      const sent = this.sent.get(header.seen);
      if (sent !== undefined) this.latencies.push(performance.now() - sent);
      for (const number of [...this.sent.keys()]) if (number <= header.seen) this.sent.delete(number);
      this.drawSoon();
    });
  }

  // Frames have no stress when nobody has asked for it lately: it takes long to find.
  private askForStress(now: number) {
    if (!['von_mises', 'stress'].includes(this.toolbar.colour.value) || now - this.asked < 1000) return;
    this.asked = now;
    this.send({ do: 'stress' });
  }
  private asked = -1e9; // for stress, when

  // What a frame lacks keeps the last colours until it comes.
  private keepColours(points: Points) {
    const name = this.toolbar.colour.value;
    const values = points.fields.get(name);
    if (values) this.shown = { name, values };
    else if (this.shown?.name === name && this.shown.values.data.length === points.count)
      points.fields.set(name, this.shown.values);
  }
  private shown: { name: string; values: Values } | null = null;

  // How fast the scene goes by, as a share of real time, and what a frame takes; means of the last seconds.
  private sayPace() {
    const first = this.arrivals[0];
    const last = this.arrivals[this.arrivals.length - 1];
    const seconds = (last.at - first.at) / 1000;
    const rows = this.rows.slice(-30);
    const wall = rows.reduce((sum, row) => sum + row[7], 0) / Math.max(rows.length, 1);
    const share = seconds > 0.2 ? (last.frame - first.frame) / seconds / this.info!.fps : NaN;
    const slow = this.playing && share < 0.9;
    const pace = !this.playing ? 'paused' : Number.isNaN(share) ? '' : slow ? `${share.toPrecision(2)}× real time` : 'real time';
    this.rate.textContent = `${pace}${pace ? ', ' : ''}${wall.toFixed(1)} ms to compute a frame`;
    this.rate.title = slow ? 'Faster: fewer particles; with implicit, longer steps (dt up to 1/fps)' : '';
  }

  // Nobody knows the largest value of a run that goes on: ranges grow with it.
  private widenRanges(points: Points) {
    let changed = false;
    for (const field of this.info!.fields) {
      const values = points.fields.get(field.name);
      if (!values || !field.range) continue;
      const most = Math.max(values.high, 1e-12);
      if (most <= field.range[1] && most > 0.2 * field.range[1]) continue;
      if (most <= field.range[1] && points.frame % 120 !== 0) continue; // shrinks now and then
      field.range = [Math.min(0, values.low), Math.ceil(most / roundStep(most, 4)) * roundStep(most, 4)];
      changed = changed || field.name === this.toolbar.colour.value;
    }
    if (changed) this.toolbar.apply();
  }

  private charted = 0; // when

  private drawCharts() {
    this.charted = performance.now();
    const times = this.rows.map((row) => row[0]);
    const line = (label: string, k: number, color: string) => ({ label, color, values: this.rows.map((row) => row[k]) });
    this.energy.set(times, [line('kinetic', 1, '#d98325'), line('elastic', 2, '#3f74b5')]);
    this.work.set(times, [line(this.work.title, 7, '#70509a')]);
    for (const chart of [this.energy, this.work]) chart.at(times[times.length - 1]);
  }

  private buildFoot() {
    const step = iconButton('next', 'One frame (right)', () => this.send({ do: 'step' }));
    const gap = element('span', { class: 'gap' });
    byId('foot').append(
      element('div', { class: 'timeline' }, this.again, this.play, step, this.clock, gap, this.rate),
      element('div', { class: 'charts', id: 'charts' }, this.energy.place, this.work.place)
    );
  }

  toggle() {
    this.send({ do: this.playing ? 'pause' : 'play' });
  }

  private key(event: KeyboardEvent) {
    const { target } = event;
    if (target instanceof HTMLSelectElement) return;
    if (target instanceof HTMLInputElement && (target.type !== 'range' || event.key.startsWith('Arrow'))) return;
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === ' ') this.toggle();
    else if (event.key === 'ArrowRight') this.send({ do: 'step' });
    else if (event.key.toLowerCase() === 'f') this.toolbar.showAll();
    else return;
    event.preventDefault();
  }

  private choose(tool: 'grab' | 'ball') {
    this.tool = tool;
    for (const name of ['grab', 'ball']) document.getElementById(`tool-${name}`)?.classList.toggle('on', name === tool);
  }

  // A press on a body takes hold of it; elsewhere, or with Shift, it turns the view.
  private watchPointer() {
    const canvas = this.stage.canvas;
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        if (event.button !== 0 || event.shiftKey || !this.view) return;
        const hit = this.stage.pickNear(event.offsetX, event.offsetY);
        if (!hit) return;
        event.stopImmediatePropagation();
        canvas.setPointerCapture(event.pointerId);
        const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, this.view.place(hit.particle));
        this.drag = { particle: hit.particle, plane, pointer: event.pointerId, ball: this.tool === 'ball' };
        this.move(event.offsetX, event.offsetY);
      },
      { capture: true }
    );
    canvas.addEventListener('pointermove', (event) => {
      if (this.drag?.pointer === event.pointerId) this.move(event.offsetX, event.offsetY);
    });
    for (const end of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(end, (event) => {
        if (this.drag?.pointer === event.pointerId) this.letGo();
      });
  }

  private target = new THREE.Vector3();

  private move(x: number, y: number) {
    const { ray } = this.stage.ray(x, y);
    if (!this.drag || !this.view || !ray.intersectPlane(this.drag.plane, this.target)) return;
    const target = this.target.toArray();
    if (this.drag.ball)
      this.sayHand({ ball: { center: target, toward: ray.direction.clone().normalize().negate().toArray() } });
    else this.sayHand({ grab: { particle: this.drag.particle, radius: 0.07 * this.view.size, target } });
    this.placeCord();
  }

  private letGo() {
    if (!this.drag) return;
    this.drag = null;
    this.sayHand({});
    this.placeCord();
  }

  private sayHand(hand: object) {
    ++this.number;
    this.sent.set(this.number, performance.now());
    this.send({ do: 'hand', number: this.number, ...hand });
  }

  // From the particle that is held to where it is pulled.
  private placeCord() {
    this.cord.hidden = !this.drag || this.drag.ball || !this.points;
    if (this.cord.hidden || !this.drag || !this.view) return;
    const a = this.stage.project(0, this.view.place(this.drag.particle));
    const b = this.stage.project(0, this.target);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const angle = Math.atan2(b.y - a.y, b.x - a.x);
    this.cord.setAttribute('style', `left:${a.x}px;top:${a.y}px;width:${length}px;transform:rotate(${angle}rad)`);
  }
}
