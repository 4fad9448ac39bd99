/** Files that are followed: what is new is told, whatever else goes on in their folder. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileWatch } from '../../runtime/files/file-watch.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'file-watch-'));
const file = path.join(folder, 'followed');
const test = suite('a file that is followed');
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** So long that only what the file system tells can be what is seen. */
const NEVER = 3_600_000;

/** @returns what was told, in order */
async function whileFollowed(use: (told: readonly string[]) => Promise<void>): Promise<void> {
  writeFileSync(file, 'first');
  const told: string[] = [];
  const watch = new FileWatch({
    file,
    text: 'first',
    interval: NEVER,
    changed: async (text) => void told.push(text),
    failed: (error) => told.push(String(error)),
  });
  try {
    await use(told);
  } finally {
    watch.close();
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !holds(); i++) await sleep(20);
  assert.ok(holds());
}

test('is told when it is written, or another is put in its place', () =>
  whileFollowed(async (told) => {
    writeFileSync(file, 'second');
    await until(() => told.includes('second'));
    writeFileSync(`${file}.new`, 'third');
    renameSync(`${file}.new`, file);
    await until(() => told.includes('third'));
    assert.equal(told, ['second', 'third']);
  }));

test('is told once when it is gone, whatever is written beside it, and when it is there again', () =>
  whileFollowed(async (told) => {
    rmSync(file);
    await until(() => told.length === 1);
    assert.match(told[0] as string, /there is no such file or folder/);
    for (let i = 0; i < 5; i++) {
      writeFileSync(path.join(folder, 'log'), told.join('\n'));
      await sleep(250);
    }
    assert.is(told.length, 1);
    writeFileSync(file, 'first');
    await sleep(250);
    assert.is(told.length, 1);
    rmSync(file);
    await until(() => told.length === 2);
    writeFileSync(file, 'second');
    await until(() => told.length === 3);
    assert.is(told[2], 'second');
  }));

test('is told although others write into its folder without pause', () =>
  whileFollowed(async (told) => {
    const others = setInterval(() => writeFileSync(path.join(folder, 'other'), String(performance.now())), 10);
    try {
      for (const text of ['second', 'third']) {
        writeFileSync(file, text);
        await until(() => told.includes(text));
      }
    } finally {
      clearInterval(others);
    }
  }));

for (const [name, triesAgain, expected] of [
  ['a text that cannot be used is tried again with each reading where that is wanted', 'by-interval', ['not yet', 'not yet', 'used']],
  ['a text that cannot be used is tried once', undefined, ['not yet']],
] as const)
  test(name, async () => {
    writeFileSync(file, 'second');
    const told: string[] = [];
    const watch = new FileWatch({
      file,
      text: 'first',
      interval: 20,
      ...(triesAgain && { triesAgain }),
      async changed() {
        if (told.length < 2) throw new Error('not yet');
        told.push('used');
      },
      failed: (error) => told.push((error as Error).message),
    });
    try {
      await until(() => told.length === expected.length);
      await sleep(100);
      assert.equal(told, expected);
    } finally {
      watch.close();
    }
  });
test.run();
