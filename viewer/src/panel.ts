// A particle that was clicked: its id, body and values, and one of them over time.
import { Chart } from './charts';
import { type Particle, type RunInfo, withUnit } from './data';
import { element } from './dom';

// Over the frames that were read, and at the present one, which may not be among them.
function courseOf(particle: Particle, name: string) {
  const times = [...(particle.course.time as number[])];
  const values = [...(particle.course[name] ?? [])];
  const now = particle.now.time?.[0] ?? null;
  const at = now === null ? -1 : times.findIndex((t) => t >= now - 1e-9);
  if (now !== null && at >= 0 && times[at] > now + 1e-9) {
    times.splice(at, 0, now);
    values.splice(at, 0, particle.now[name]?.[0] ?? null);
  }
  return { times, values };
}

export class ParticlePanel {
  readonly place = element('section', { class: 'particle', id: 'particle', hidden: true });
  private chart: Chart | null = null;
  private shown: Particle | null = null;
  private info: RunInfo | null = null;
  quantity = 'velocity'; // that is plotted

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
    const { times, values } = courseOf(this.shown, field.name);
    this.chart.set(times, [{ label: field.words, color: '#c34d4a', values }]);
    this.chart.at(time);
  }
}
