// A particle that was clicked: its id, body and values, and one of them over time.
import { Chart } from './charts';
import { type Particle, type RunInfo, withUnit } from './data';
import { element } from './dom';

export class ParticlePanel {
  readonly place = element('section', { class: 'particle', id: 'particle', hidden: true });
  private chart: Chart | null = null;
  private shown: Particle | null = null;
  private info: RunInfo | null = null;
  private quantity = 'velocity';

  constructor(
    private readonly seek: (time: number) => void,
    private readonly close: () => void
  ) {}

  clear() {
    this.place.hidden = true;
    this.chart?.dispose();
    this.chart = null;
    this.shown = null;
  }

  show(info: RunInfo, particle: Particle, runName: string, time: number) {
    const fresh = this.shown?.id !== particle.id || this.info !== info;
    this.shown = particle;
    this.info = info;
    const body = info.bodies[particle.now.body as unknown as number];
    const last = (name: string) => particle.now[name]?.[0];
    const rows: [string, string, string][] = [
      ['body', 'body', body?.name ?? '–'],
      ['x, y, z', 'place', ['x', 'y', 'z'].map((k) => withUnit(last(k), '')).join(', ') + ' m'],
      ...info.fields.map((f): [string, string, string] => [f.words, f.name, withUnit(last(f.name), f.unit)]),
    ];
    const table = element('table', {});
    for (const [words, name, value] of rows) {
      const row = element(
        'tr',
        { 'data-name': name, 'data-value': last(name) ?? undefined },
        element('th', {}, words),
        element('td', {}, value)
      );
      if (name in particle.course && name !== 'body') {
        row.classList.add('choice');
        row.classList.toggle('chosen', name === this.quantity);
        row.addEventListener('click', () => {
          this.quantity = name;
          for (const other of table.rows) other.classList.toggle('chosen', other === row);
          this.plot(true, time);
        });
      }
      table.append(row);
    }
    this.place.hidden = false;
    const title = element(
      'header',
      {},
      element('b', {}, `Particle ${particle.id}`),
      element('span', {}, runName),
      element('button', { class: 'close', title: 'Close', onclick: () => this.close() }, '×')
    );
    const old = this.place.querySelector('.chart');
    this.place.replaceChildren(title, table, ...(old && !fresh ? [old] : []));
    this.plot(fresh, time);
  }

  at(time: number) {
    this.chart?.at(time);
  }

  private plot(fresh: boolean, time: number) {
    if (!this.shown || !this.info) return;
    const field = this.info.fields.find((f) => f.name === this.quantity) ?? this.info.fields[0];
    if (fresh || !this.chart) {
      this.chart?.dispose();
      this.chart = new Chart(field.words, field.unit, this.seek);
      this.place.append(this.chart.place);
    }
    const values = this.shown.course[field.name] ?? [];
    this.chart.set(this.shown.course.time as number[], [{ label: field.words, color: '#c34d4a', values }]);
    this.chart.at(time);
  }
}
