// What the browser tests share: pliant as a child process, and a page of Debian's Chromium with software GL.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export const pliant = process.env.PLIANT_BINARY;
const { chromium } = createRequire(join(process.env.PLIANT_VIEWER_FOLDER, 'package.json'))('playwright-core');

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
export const folder = mkdtempSync(join(tmpdir(), 'pliant-browser-'));
const children = new Set(); // a test that fails leaves its own behind, and the test program would wait for it
if (process.env.NODE_TEST_CONTEXT) after(() => children.forEach((child) => child.kill('SIGKILL')));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export function run(...args) {
  const done = spawnSync(pliant, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`pliant ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

// A command that serves a page: its address, and a way to end it as Ctrl-C does.
export async function serve(...args) {
  const child = spawn(pliant, [...args, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.on('exit', () => children.delete(child));
  let text = '';
  const address = await new Promise((found, failed) => {
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const lines = text.split('\n').filter((line) => line.startsWith('http://127.0.0.1:'));
      if (lines.length > 0 && text.endsWith('\n')) found(lines[0]);
    });
    child.on('exit', () => failed(new Error(text)));
  });
  const end = () =>
    new Promise((ended) => {
      child.on('exit', (code) => ended(code));
      child.kill('SIGINT');
    });
  return { address, end, output: () => text };
}

export async function openBrowser() {
  const options = ['--no-sandbox', '--enable-unsafe-swiftshader']; // the second: WebGL without a GPU
  return chromium.launch({ executablePath: browserPath, args: options, timeout: patience });
}

export const patience = 180000; // milliseconds: a busy machine with two cores and no GPU

// The page when it shows its first frame; `complaints` gathers what its console says.
export async function openPage(browser, address, size = { width: 800, height: 600 }) {
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(patience);
  page.complaints = [];
  page.on('console', (m) => {
    if (m.type() === 'error') page.complaints.push(m.text());
  });
  page.on('pageerror', (e) => page.complaints.push(e.message));
  await page.goto(address);
  await page.waitForSelector('body.ready, body.failed', { timeout: patience });
  return page;
}

export const get = async (address, path) => (await fetch(address + path)).json();

// Particles of a run's frame from its binary little-endian PLY: rows of named floats and integers.
export function readFrame(out, frame) {
  const bytes = readFileSync(join(out, 'particles', `${String(frame).padStart(5, '0')}.ply`));
  const end = bytes.indexOf('end_header\n') + 11;
  const lines = bytes.subarray(0, end).toString('latin1').split('\n');
  const count = Number(lines.find((l) => l.startsWith('element vertex')).split(' ')[2]);
  const properties = lines.filter((l) => l.startsWith('property')).map((l) => l.split(' '));
  const rows = [];
  for (let i = 0, at = end; i < count; ++i) {
    const row = {};
    for (const [, type, name] of properties) {
      const small = type === 'uchar' || type === 'uint8';
      row[name] = small ? bytes[at] : type.startsWith('float') ? bytes.readFloatLE(at) : bytes.readUInt32LE(at);
      at += small ? 1 : 4;
    }
    rows.push(row);
  }
  return rows;
}
