// Sliders for what may change while a scene runs.
import { withUnit } from './data';
import { element } from './dom';

export interface LiveKey {
  key: string;
  words: string;
  unit: string;
  value: number;
  low: number;
  high: number;
  logarithmic: boolean;
  switch: boolean;
  whole: boolean;
}

const steps = 400;
const most = 10; // that stand unfolded

// "materials.jelly.young" is a key of "jelly", and its words begin with that name.
const materialOf = ({ key }: LiveKey) => (key.startsWith('materials.') ? key.split('.')[1] : undefined);

export class LivePanel {
  readonly place = element('section', { class: 'keys', id: 'keys' });

  constructor(private readonly set: (key: string, value: number) => void) {}

  private readonly inputs = new Map<string, (value: number) => void>();

  // Values that hold now, but for what the person is just changing.
  show(values: Record<string, number>) {
    for (const [key, value] of Object.entries(values)) this.inputs.get(key)?.(value);
  }

  fill(keys: LiveKey[]) {
    this.inputs.clear();
    const input = (key: LiveKey) => (key.switch ? this.switchFor(key) : this.sliderFor(key));
    const materials = [...new Set(keys.flatMap((key) => materialOf(key) ?? []))];
    if (keys.length <= most || materials.length < 2) return this.place.replaceChildren(...keys.map(input));
    const folded = materials.map((name, k) => {
      const own = keys.filter((key) => materialOf(key) === name);
      const inputs = own.map((key) => input({ ...key, words: key.words.slice(name.length + 2) }));
      return element('details', { open: k === 0 }, element('summary', {}, name), ...inputs);
    });
    const others = keys.filter((key) => materialOf(key) === undefined);
    this.place.replaceChildren(...folded, ...others.map(input));
  }

  private switchFor(key: LiveKey): HTMLElement {
    const box = element('input', {
      type: 'checkbox',
      checked: key.value > 0.5,
      'data-key': key.key,
      onchange: () => this.set(key.key, box.checked ? 1 : 0),
    });
    this.inputs.set(key.key, (value) => (box.checked = value > 0.5));
    return element('label', { class: 'switch' }, box, ` ${key.words}`);
  }

  private sliderFor(key: LiveKey): HTMLElement {
    const toValue = (s: number) => {
      const t = s / steps;
      const value = key.logarithmic ? key.low * (key.high / key.low) ** t : key.low + t * (key.high - key.low);
      return key.whole ? Math.round(value) : value;
    };
    const toStep = (v: number) =>
      steps *
      (key.logarithmic ? Math.log(v / key.low) / Math.log(key.high / key.low) : (v - key.low) / (key.high - key.low));
    const reading = element('output', {}, withUnit(key.value, key.unit));
    const slider = element('input', { type: 'range', min: 0, max: steps, step: 1, 'data-key': key.key });
    slider.value = String(toStep(key.value));
    const paint = () => slider.style.setProperty('--part', `${(100 * Number(slider.value)) / steps}%`);
    paint();
    let held = false;
    this.inputs.set(key.key, (value) => {
      if (held) return;
      slider.value = String(toStep(value));
      reading.textContent = withUnit(value, key.unit);
      paint();
    });
    slider.addEventListener('input', () => {
      held = true;
      reading.textContent = withUnit(toValue(Number(slider.value)), key.unit);
      paint();
    });
    // The solver is made anew for a new value: once the slider is let go, not at every pixel.
    slider.addEventListener('change', () => {
      held = false;
      const value = Number(toValue(Number(slider.value)).toPrecision(6));
      this.set(key.key, Math.min(Math.max(value, key.low), key.high));
    });
    return element('label', { class: 'key' }, element('span', {}, key.words), reading, slider);
  }
}
