// Numbers over time, as lines, linked to the timeline: a press or a drag sets it, and the numbers at its time are shown.
import uPlot from 'uplot';
import { withUnit } from './data';
import { element } from './dom';

export interface Line {
  label: string;
  color: string;
  values: (number | null)[];
}

const ink = '#5b6068';
const grid = '#dcdedf';

export class Chart {
  readonly place = element('div', { class: 'chart' });
  private plot: uPlot | null = null;
  private time = 0;
  private lines: Line[] = [];
  private times: number[] = [];
  private readonly head = element('header');
  private readings: HTMLElement[] = [];
  private readonly resize = new ResizeObserver(() => this.fit());

  constructor(
    readonly title: string,
    private readonly unit: string,
    private readonly seek: (time: number) => void = () => {}
  ) {
    this.place.append(this.head);
    this.resize.observe(this.place);
  }

  set(times: number[], lines: Line[]) {
    this.times = times;
    this.lines = lines;
    this.label();
    const data = [times, ...lines.map((line) => line.values)] as uPlot.AlignedData;
    if (this.plot && this.plot.series.length === lines.length + 1) {
      this.plot.setData(data);
      return;
    }
    this.plot?.destroy();
    const axis = (more: uPlot.Axis): uPlot.Axis => ({
      stroke: ink,
      font: '11px system-ui, sans-serif',
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      ...more,
    });
    const plot = new uPlot(
      {
        ...this.size(),
        legend: { show: false },
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        scales: { x: { time: false } },
        axes: [
          axis({ size: 22, values: (_, v) => v.map((t) => `${+t.toFixed(3)} s`) }),
          axis({ size: 58, space: 26, values: (_, v) => v.map((x) => withUnit(x, this.unit)) }),
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.color,
            width: 1.6,
            points: { show: false },
            spanGaps: true, // of runs with other times
          })),
        ],
        hooks: { draw: [(u) => this.drawTime(u)] },
      },
      data,
      this.place
    );
    const go = (event: PointerEvent) => {
      const left = event.clientX - plot.over.getBoundingClientRect().left;
      this.seek(plot.posToVal(left, 'x'));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      go(event);
    });
    plot.over.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) go(event);
    });
    this.plot = plot;
  }

  at(time: number) {
    if (time === this.time) return;
    this.time = time;
    this.read();
    this.plot?.redraw(false);
  }

  private label() {
    const labels = this.lines.map((line) => line.label).join('\n');
    if (this.head.dataset.labels !== labels) {
      this.head.dataset.labels = labels;
      this.readings = this.lines.map(() => element('b'));
      const keys = this.lines.map((line, k) => {
        const words = line.label === this.title ? '' : line.label;
        const mark = element('i', { style: `background:${line.color}` });
        return element('span', { title: words }, mark, element('em', {}, words), this.readings[k]);
      });
      this.head.replaceChildren(element('h3', {}, this.title), ...keys);
    }
    this.read();
  }

  // The values at the present time, or the last ones before it; none after the end of a line.
  private read() {
    let now = 0;
    while (now + 1 < this.times.length && this.times[now + 1] <= this.time + 1e-9) ++now;
    this.lines.forEach(({ values }, l) => {
      let k = now;
      while (k > 0 && values[k] === null) --k;
      const ended = !values.slice(now).some((v) => v !== null);
      this.readings[l].textContent = withUnit(ended ? null : values[k], this.unit);
    });
  }

  private drawTime(u: uPlot) {
    const x = Math.round(u.valToPos(this.time, 'x', true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.fillStyle = 'rgba(30,34,40,0.7)';
    u.ctx.fillRect(x, u.bbox.top, Math.max(1, Math.round(window.devicePixelRatio)), u.bbox.height);
  }

  private size() {
    return { width: Math.max(this.place.clientWidth, 120), height: Math.max(this.place.clientHeight - 24, 60) };
  }
  private fit() {
    if (this.place.clientWidth > 0) this.plot?.setSize(this.size());
  }
  dispose() {
    this.resize.disconnect();
    this.plot?.destroy();
    this.place.remove();
  }
}
