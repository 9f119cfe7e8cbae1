// What the colours mean: a bar with numbers at round places, and the value under the pointer; or the bodies' names.
import { type Body, type Field, withUnit } from './data';
import { element } from './dom';

export function roundStep(span: number, parts: number): number {
  const rough = span / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10) * power;
}

export function ticks([low, high]: [number, number], parts = 4): number[] {
  if (!(high > low)) return [low];
  const step = roundStep(high - low, parts);
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; ++k) list.push(k * step);
  return list;
}

export class Legend {
  readonly place = element('div', { class: 'legend', id: 'legend' });

  bodies(bodies: Body[]) {
    const most = 14;
    const rows = bodies
      .slice(0, most)
      .map((b) =>
        element('div', { class: 'body' }, element('i', { style: `background:${b.color}` }), element('span', {}, b.name))
      );
    if (bodies.length > most) rows.push(element('div', { class: 'body more' }, `and ${bodies.length - most} more`));
    this.place.replaceChildren(...rows);
  }

  field(field: Field, range: [number, number]) {
    const bar = element('div', { class: 'bar', style: `background:linear-gradient(to right,${field.colors.join(',')})` });
    const at = (v: number) => `left:${(100 * (v - range[0])) / (range[1] - range[0] || 1)}%`;
    const marks = ticks(range).map((v) =>
      element('div', { class: 'tick', style: at(v), 'data-value': v }, withUnit(v, field.unit))
    );
    const reading = element('div', { class: 'reading' });
    bar.addEventListener('pointermove', (event) => {
      const box = bar.getBoundingClientRect();
      const v = range[0] + ((event.clientX - box.left) / box.width) * (range[1] - range[0]);
      reading.textContent = withUnit(v, field.unit);
      reading.setAttribute('style', at(v));
      reading.classList.add('shown');
    });
    bar.addEventListener('pointerleave', () => reading.classList.remove('shown'));
    this.place.replaceChildren(
      element('div', { class: 'words' }, field.words),
      element('div', { class: 'scale' }, bar, ...marks, reading)
    );
  }
}
