// Numbers over time, as lines: linked to the timeline, which a click sets.
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
  private readonly resize = new ResizeObserver(() => this.fit());

  constructor(
    readonly title: string,
    private readonly unit: string,
    private readonly seek: (time: number) => void = () => {}
  ) {
    this.place.append(element('h3', {}, title));
    this.resize.observe(this.place);
  }

  set(times: number[], lines: Line[]) {
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
        legend: { show: true, live: false },
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        scales: { x: { time: false } },
        axes: [
          axis({ size: 22, values: (_, v) => v.map((t) => `${+t.toFixed(3)} s`) }),
          axis({ size: 58, space: 26, values: (_, v) => v.map((x) => withUnit(x, this.unit)) }),
        ],
        series: [
          {},
          ...lines.map((line) => ({ label: line.label, stroke: line.color, width: 1.6, points: { show: false } })),
        ],
        hooks: { draw: [(u) => this.drawTime(u)] },
      },
      data,
      this.place
    );
    plot.over.addEventListener('click', () => {
      if (plot.cursor.left !== undefined && plot.cursor.left >= 0) this.seek(plot.posToVal(plot.cursor.left, 'x'));
    });
    this.plot = plot;
  }

  at(time: number) {
    if (time === this.time) return;
    this.time = time;
    this.plot?.redraw(false);
  }

  private drawTime(u: uPlot) {
    const x = Math.round(u.valToPos(this.time, 'x', true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.fillStyle = 'rgba(30,34,40,0.7)';
    u.ctx.fillRect(x, u.bbox.top, Math.max(1, Math.round(window.devicePixelRatio)), u.bbox.height);
  }

  private size() {
    return { width: Math.max(this.place.clientWidth, 120), height: Math.max(this.place.clientHeight - 44, 60) };
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
