// Frames per second and latency of `pliant live` as a person at this machine has them, in Chromium:
//
//   PLIANT_BINARY=build/release/pliant PLIANT_VIEWER_FOLDER=build/release/viewer node tests/browser/measure.mjs [options of pliant live]
//
// Without options: armadillo-medium with 5,000 particles and steps of 1/60 s. It watches for a while, then drags a body.
// Latency is the time from a word about the hand to the frame, and to the picture on the screen's surface, of a frame that has obeyed it.
import { folder, openBrowser, openPage, serve } from './page.mjs';
import { join } from 'node:path';

const given = process.argv.slice(2);
const scene = given.length > 0 ? given : ['armadillo-medium', '--set', 'bodies.0.particles=5000', '--set', 'dt=0.0166667'];
const served = await serve('live', ...scene, '-o', join(folder, 'run'), '--quiet');
const browser = await openBrowser();
const page = await openPage(browser, served.address, { width: 1280, height: 720 });

// Over some seconds: frames simulated and drawn.
async function rates(seconds, meanwhile) {
  const count = () =>
    page.evaluate(() => [performance.now(), window.pliant.live.points.frame, window.pliant.stage.frames]);
  const begin = await count();
  await meanwhile(1000 * seconds);
  const end = await count();
  return [1, 2].map((k) => ((1000 * (end[k] - begin[k])) / (end[0] - begin[0])).toFixed(1));
}
const report = (words, [simulated, drawn]) => console.log(`${words}: ${simulated} frames/s simulated, ${drawn} drawn`);

await page.waitForTimeout(2500); // shaders, and the choice of how many pixels to draw
report('watching', await rates(5, (ms) => page.waitForTimeout(ms)));
const at = await page.evaluate(() => {
  const { live, stage } = window.pliant;
  const box = stage.canvas.getBoundingClientRect();
  const p = stage.project(0, live.view.place(0));
  return { x: p.x + box.left, y: p.y + box.top };
});
await page.mouse.move(at.x, at.y);
await page.mouse.down();
const pulled = await rates(5, async (ms) => {
  for (const begin = Date.now(); Date.now() < begin + ms; await page.waitForTimeout(16)) {
    const turn = (Date.now() - begin) / 400;
    await page.mouse.move(at.x + 60 * Math.cos(turn), at.y - 80 + 60 * Math.sin(turn));
  }
});
report('dragging', pulled);
await page.mouse.up();
for (const [words, name] of [['frame', 'arrivedAfter'], ['picture', 'latencies']]) {
  const all = (await page.evaluate((list) => window.pliant.live[list], name)).sort((a, b) => a - b);
  const share = (x) => Math.round(all[Math.min(all.length - 1, Math.floor(x * all.length))]);
  console.log(`mouse to ${words}: median ${share(0.5)} ms, nine of ten below ${share(0.9)} ms, ${all.length} words`);
}
console.log(await page.textContent('#rate'));
await browser.close();
await served.end();
