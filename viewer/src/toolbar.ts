// The bar at the top: what is shown, and in which colours.
import { Legend } from './legend';
import type { Field, RunInfo } from './data';
import { byId, element } from './dom';
import type { Stage } from './stage';

export class Toolbar {
  readonly legend = new Legend();
  readonly colour = element('select', { id: 'colour', title: 'What colours mean', onchange: () => this.apply() });
  readonly look = element('select', { id: 'look', title: 'Particles or surface', onchange: () => this.changed() });
  onsurface: () => void = () => {};

  constructor(
    private readonly stage: Stage,
    titles: string[],
    hasSurface: boolean,
    more: HTMLElement[] = [],
    private readonly live = false
  ) {
    this.look.append(element('option', { value: 'particles' }, 'particles'));
    if (hasSurface) this.look.append(element('option', { value: 'surface' }, 'surface'));
    byId('bar').replaceChildren(
      element('h1', {}, titles.length === 1 ? titles[0] : `${titles.length} runs`),
      element('label', {}, 'colour ', this.colour),
      ...(hasSurface ? [element('label', {}, 'show ', this.look)] : []),
      ...more,
      element('span', { class: 'gap' }),
      element('button', { id: 'reframe', title: 'Move back until everything is in view (F)', onclick: () => this.showAll() }, 'show all'),
      element('button', { id: 'picture', title: 'Save the view as PNG', onclick: () => this.save() }, 'picture')
    );
    if (titles.length > 1) this.legend.place.style.maxWidth = `calc(${100 / titles.length}% - 28px)`;
    byId('overlay').append(this.legend.place);
  }

  fill(infos: RunInfo[]) {
    const before = this.colour.value || 'body';
    const fields = new Map<string, Field>();
    for (const info of infos) for (const f of info.fields) if (!fields.has(f.name)) fields.set(f.name, f);
    this.colour.replaceChildren(
      element('option', { value: 'body' }, 'body'),
      ...[...fields.values()].map((f) => element('option', { value: f.name }, f.words))
    );
    this.colour.value = before === 'body' || fields.has(before) ? before : 'body';
    this.apply();
  }

  private changed() {
    this.onsurface();
  }

  // One range for all runs, so that a colour means the same in each.
  apply() {
    const name = this.colour.value;
    const fields = this.stage.views.map((v) => v.info.fields.find((f) => f.name === name) ?? null);
    const known = fields.filter((f) => f !== null);
    if (name === 'body' || known.length === 0) {
      this.stage.views.forEach((v) => v.colorBy(null, [0, 1]));
      const bodies = this.stage.views.flatMap((v) => v.info.bodies);
      this.legend.bodies([...new Map(bodies.map((b) => [b.color + b.name, b])).values()]);
    } else {
      const range: [number, number] = [
        Math.min(...known.map((f) => f.range?.[0] ?? 0)),
        Math.max(...known.map((f) => f.range?.[1] ?? 0)),
      ];
      if (!(range[1] > range[0])) range[1] = range[0] + 1;
      this.stage.views.forEach((v, k) => v.colorBy(fields[k], range));
      this.legend.field(known[0], range);
    }
    this.stage.redraw();
  }

  // Frames of a run that goes on are all that there is of it.
  showAll() {
    this.stage.frame(true, this.live);
  }

  async save() {
    this.stage.drawSharp();
    const blob = await new Promise<Blob | null>((done) => this.stage.canvas.toBlob(done, 'image/png'));
    if (!blob) return;
    const link = element('a', { href: URL.createObjectURL(blob), download: 'pliant.png' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}
