// The page of `pliant view`, in a real browser: what it shows is what the files say.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, get, openBrowser, openPage, readFrame, run, serve } from './page.mjs';

const scene = `
title    = "Falling cube"
duration = 0.5
fps      = 40
dt       = 0.0125
[materials.dough]
young = 2e4
plasticity = "flow"
yield_stress = 200
flow_rate = 20
[[bodies]]
name = "cube"
material = "dough"
shape = { box = [0.3, 0.3, 0.3] }
particles = 216
position = [0, 0.5, 0]
[[bodies]]
name = "ball"
material = "dough"
shape = { sphere = 0.15 }
particles = 150
position = [0.6, 0.4, 0]
[[colliders]]
shape = { plane = [0, 1, 0], offset = 0 }
[[colliders]]
shape = { box = [0.2, 0.1, 0.2] }
position = [-0.5, 0.05, 0]
motion = { velocity = [0, 0.4, 0] }
[output]
particles = ["vtp", "ply"]
surface = "levelset"
`;
const out = join(folder, 'run');
let browser, served;

before(async () => {
  writeFileSync(join(folder, 'cube.toml'), scene);
  run('run', join(folder, 'cube.toml'), '-o', out, '--quiet', '--threads', '1');
  browser = await openBrowser();
  served = await serve('view', out);
});
after(async () => {
  await browser?.close();
  assert.equal(await served?.end(), 0);
});

const readPly = (frame) => readFrame(out, frame);

const seek = async (page, frame) => {
  await page.evaluate((t) => window.pliant.viewer.seek(t), frame / 40 + 1e-6);
  await page.waitForFunction((k) => window.pliant.viewer.runs[0].shown === k, frame);
  await page.evaluate(() => window.pliant.stage.draw());
};
// The pixel of the screen at a place of the canvas.
const pixel = (page, x, y) =>
  page.evaluate(
    ([left, top]) => {
      const { renderer, canvas } = window.pliant.stage;
      const gl = renderer.getContext();
      const rgba = new Uint8Array(4);
      const scale = canvas.width / canvas.clientWidth;
      gl.readPixels(left * scale, canvas.height - 1 - top * scale, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
      return [...rgba.slice(0, 3)];
    },
    [x, y]
  );
const isBlue = ([r, g, b]) => b > r + 40 && b > g;
const center = (rows) =>
  ['x', 'y', 'z'].map((k) => rows.filter((r) => r.body === 0).reduce((s, r) => s + r[k], 0) / 216);
const project = (page, p) =>
  page.evaluate(([x, y, z]) => {
    const { stage } = window.pliant;
    return stage.project(0, stage.camera.position.clone().set(x, y, z));
  }, p);

test('the page loads without an error in its console, and says what it shows', async () => {
  const page = await openPage(browser, served.address);
  assert.deepEqual(page.complaints, []);
  assert.equal(await page.textContent('h1'), 'Falling cube');
  assert.deepEqual(await page.$$eval('.legend .body', (all) => all.map((b) => b.textContent)), ['cube', 'ball']);
  assert.equal(await page.$$eval('.u-over', (all) => all.length), 2);
  await page.close();
});

test('the timeline moves particles to where the files say', async () => {
  const page = await openPage(browser, served.address);
  const places = [];
  for (const frame of [0, 12]) {
    await seek(page, frame);
    const rows = readPly(frame);
    const shown = await page.evaluate(() => [...window.pliant.viewer.runs[0].view.points.position]);
    rows.forEach((row, i) =>
      ['x', 'y', 'z'].forEach((k, a) => assert.ok(Math.abs(shown[3 * i + a] - row[k]) < 2e-5)) // 1 m / 65535
    );
    places.push(await project(page, center(rows)));
  }
  assert.ok(places[1].y - places[0].y > 30, 'the cube falls by more than 30 pixels');
  assert.ok(isBlue(await pixel(page, places[1].x, places[1].y)));
  await seek(page, 0);
  assert.ok(isBlue(await pixel(page, places[0].x, places[0].y)));
  await page.close();
});

test('the legend gives the colours, and a click the values of the file', async () => {
  const page = await openPage(browser, served.address, { width: 1200, height: 800 });
  const frame = 12;
  await seek(page, frame);
  const rows = readPly(frame);
  await page.selectOption('#colour', 'von_mises');
  const marks = await page.$$eval('.tick', (all) => all.map((t) => Number(t.dataset.value)));
  assert.ok(marks.length >= 3 && marks[0] === 0);
  const place = await project(page, center(rows));
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.click(box.x + place.x, box.y + place.y);
  await page.waitForSelector('#particle tr[data-name=von_mises]');
  const id = Number((await page.textContent('#particle b')).split(' ')[1]);
  const value = async (name) => Number(await page.getAttribute(`#particle tr[data-name=${name}]`, 'data-value'));
  assert.equal(await value('von_mises'), rows[id].von_mises);
  assert.equal(await value('plastic_strain'), rows[id].plastic_strain);
  assert.equal(await page.textContent('#particle tr[data-name=body] td'), ['cube', 'ball'][rows[id].body]);
  const { course } = await get(served.address, `runs/0/particles/${id}/0`);
  assert.equal(course.time.length, 21);
  assert.equal(course.von_mises[frame], rows[id].von_mises);
  // The colour that the page computes for it, up to the 8 bits of the value.
  const shown = await page.evaluate((i) => window.pliant.viewer.runs[0].view.value(i), id);
  const most = Math.max(...rows.map((r) => r.von_mises));
  assert.ok(Math.abs(shown - rows[id].von_mises) <= most / 255);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a press on a chart sets the time, and charts show their numbers there', async () => {
  const page = await openPage(browser, served.address, { width: 1200, height: 800 });
  const reading = () => page.textContent('.chart header b'); // kinetic energy
  await seek(page, 0);
  assert.equal(await reading(), '0 J');
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.waitForFunction(() => window.pliant.viewer.runs[0].shown === 10); // of 20 frames
  assert.ok(Math.abs((await page.evaluate(() => window.pliant.viewer.time)) - 0.25) < 0.005);
  const { stats } = await get(served.address, 'runs/0/info');
  const joule = stats.rows[10][stats.columns.indexOf('kinetic_energy')];
  assert.equal(await reading(), `${Number(joule.toPrecision(4))} J`);
  await page.close();
});

test('the picture is opaque, edges of particles too', async () => {
  const page = await openPage(browser, served.address);
  await seek(page, 12);
  const least = await page.evaluate(() => {
    const { stage } = window.pliant;
    stage.drawSharp();
    const gl = stage.renderer.getContext();
    const rgba = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    return rgba.reduce((low, byte, k) => (k % 4 === 3 ? Math.min(low, byte) : low), 255);
  });
  assert.equal(least, 255);
  await page.close();
});

test('surfaces come on demand, colliders move, and the view is saved as PNG', async () => {
  const page = await openPage(browser, served.address);
  await page.selectOption('#look', 'surface');
  await page.waitForFunction(() => window.pliant.viewer.runs[0].view.surface !== null);
  const poses = (await get(served.address, 'runs/0/info')).colliders[1].poses;
  assert.ok(Math.abs(poses[20][1] - (0.05 + 0.4 * 0.5)) < 1e-9);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#picture')]);
  const png = readFileSync(await download.path());
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 10000);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('two runs stand side by side under one camera', async () => {
  const two = await serve('view', out, out);
  const page = await openPage(browser, two.address, { width: 1200, height: 700 });
  const rows = readPly(0);
  await page.evaluate(() => window.pliant.stage.draw());
  const [a, b] = await page.evaluate(
    (p) => [0, 1].map((k) => window.pliant.stage.project(k, window.pliant.stage.camera.position.clone().set(...p))),
    center(rows)
  );
  assert.ok(Math.abs(b.x - a.x - 600) < 1 && Math.abs(b.y - a.y) < 0.01);
  for (const place of [a, b]) assert.ok(isBlue(await pixel(page, place.x, place.y)));
  assert.deepEqual(page.complaints, []);
  await page.close();
  assert.equal(await two.end(), 0);
});

test('runs of other lengths and frames per second share timeline, charts and legend', async () => {
  const other = join(folder, 'short');
  const cut = scene.replace('fps', '#').replace('name = "cube"', 'name = "dice"');
  writeFileSync(join(folder, 'short.toml'), `fps = 30\n${cut}`);
  run('run', join(folder, 'short.toml'), '-o', other, '--quiet', '--threads', '1', '--frames', '6'); // 0.2 s
  const two = await serve('view', out, other);
  const page = await openPage(browser, two.address);
  const texts = (of) => page.$$eval(of, (all) => all.map((e) => e.textContent));
  for (const name of ['cube', 'dice', 'ball']) assert.ok((await texts('.legend .body')).includes(name), name);
  const clock = async () => Number(/[\d.]+/.exec(await page.textContent('#clock'))[0]);
  const times = [];
  for (let k = 0; k < 4; ++k) {
    await page.keyboard.press('ArrowRight');
    times.push(await page.evaluate(() => window.pliant.viewer.time));
  }
  [1 / 40, 1 / 30, 2 / 40, 2 / 30].forEach((t, k) => assert.ok(Math.abs(times[k] - t) < 1e-6, `${times}`));
  await page.waitForFunction(() => document.querySelectorAll('.chart b').length > 0);
  assert.ok(!(await texts('.chart b')).includes('–'), 'both runs have numbers at 2/30 s');
  await page.keyboard.press('End');
  assert.equal(await clock(), 0.5);
  assert.ok((await texts('.chart b')).includes('–'), 'the second one has ended');
  await page.close();
  assert.equal(await two.end(), 0);
});

test('one file opens from the disk without a network, within its budget', async () => {
  const file = join(folder, 'run.html');
  run('view', out, '--html', file);
  const offline = await browser.newContext({ offline: true });
  const page = await openPage(offline, 'file://' + file);
  assert.deepEqual(page.complaints, []);
  await seek(page, 12);
  const rows = readPly(12);
  const step = await page.evaluate(() => window.pliant.viewer.source.stored[0].header.step);
  const shown = await page.evaluate(() => [...window.pliant.viewer.runs[0].view.points.position]);
  rows.forEach((row, i) =>
    ['x', 'y', 'z'].forEach((k, a) => assert.ok(Math.abs(shown[3 * i + a] - row[k]) <= 0.51 * step))
  );
  assert.ok(step <= 0.05 / 64 + 1e-9, 'a 64th of a spacing');
  await offline.close();
  const whole = statSync(file).size;
  const small = join(folder, 'small.html');
  const said = run('view', out, '--html', small, '--budget', `${Math.floor(whole / 1000) - 8}kB`);
  assert.ok(statSync(small).size <= 1000 * (Math.floor(whole / 1000) - 8));
  assert.match(said, /is shown with \d+ of 21 frames/);
  const thinned = await openPage(browser, 'file://' + small);
  await thinned.keyboard.press('End');
  assert.match(await thinned.textContent('#clock'), /frame 20 of 20/);
  await thinned.close();
});

test('a damaged frame says so, and the others are shown', async () => {
  const damaged = join(folder, 'damaged');
  cpSync(out, damaged, { recursive: true });
  for (const end of ['vtp', 'ply']) writeFileSync(join(damaged, 'particles', `00010.${end}`), 'nothing');
  const other = await serve('view', damaged);
  const page = await openPage(browser, other.address);
  await seek(page, 12);
  await page.evaluate(() => window.pliant.viewer.seek(0.25 + 1e-6));
  await page.waitForFunction(() => document.body.textContent.includes('00010'));
  await seek(page, 14);
  await page.close();
  assert.equal(await other.end(), 0);
});

test('nothing but the run is served', async () => {
  for (const path of ['../../etc/passwd', 'runs/0/frames/-1', 'runs/9/info', 'runs/0/frames/1e3', 'runs/0/..', 'x'])
    assert.equal((await fetch(served.address + path)).status, 404, path);
});
