// The page starts: it shows runs from the disk, a run that is computed now, or a run that it holds itself.
import { byId, notice } from './dom';
import { Live } from './live';
import { FileSource } from './one_file';
import { HttpSource } from './source';
import { Stage } from './stage';
import { Viewer } from './viewer';

interface Start {
  mode: 'view' | 'live' | 'file';
  runs: number;
}

declare global {
  interface Window {
    pliantStart?: Start;
    pliant?: unknown; // for tests and for the console
  }
}

// Once something is chosen from a list, keys steer the run again.
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement) target.blur();
});

async function begin() {
  const start = window.pliantStart ?? { mode: 'file', runs: 1 };
  document.body.classList.add(start.mode);
  const stage = new Stage(byId<HTMLCanvasElement>('canvas'));
  if (start.mode === 'live') {
    const live = new Live(stage);
    window.pliant = { stage, live };
    await live.start();
    document.body.classList.add('ready');
    return;
  }
  const source =
    start.mode === 'file' ? await FileSource.open(byId('data').textContent ?? '') : new HttpSource(start.runs);
  const viewer = new Viewer(stage, source);
  window.pliant = { stage, viewer };
  await viewer.start();
  document.body.classList.add('ready');
}

begin().catch((error: unknown) => {
  document.body.classList.add('failed');
  notice(error instanceof Error ? error.message : String(error), 0);
});
