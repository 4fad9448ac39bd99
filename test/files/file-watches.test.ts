/** Files that are used together: what is in force in the end is what they hold in the end, in whatever order they come. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchFiles } from '../../runtime/files/file-watches.ts';

/** So long that only what the file system tells can be what is seen. */
const NEVER = 3_600_000;

interface Followed {
  readonly certificate: string;
  readonly key: string;
  readonly used: string[];
  readonly failures: string[];
}

const root = mkdtempSync(path.join(tmpdir(), 'file-watches-'));
const test = suite('files that are used together');
test.after(() => rmSync(root, { recursive: true, force: true }));

async function whileFollowed(folder: string, interval: number, use: (followed: Followed) => Promise<void>): Promise<void> {
  const [certificate, key] = [path.join(folder, 'certificate'), path.join(folder, 'key')];
  const [used, failures]: [string[], string[]] = [[], []];
  const end = await watchFiles([certificate, key], {
    interval,
    changed: () => void used.push(pairOf(certificate, key)),
    failed: (error) => failures.push(String(error)),
  });
  try {
    await use({ certificate, key, used, failures });
  } finally {
    end();
  }
}

/** @throws Error where they are not of one pair, of which each file tells the name of the key */
function pairOf(certificate: string, key: string): string {
  const [text, secret] = [readFileSync(certificate, 'utf8'), readFileSync(key, 'utf8')];
  if (!text.endsWith(secret)) throw new Error('the key is another one');
  return text;
}

function folderOf(name: string, texts: readonly [certificate: string, key: string]): string {
  const folder = path.join(root, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'certificate'), texts[0]);
  writeFileSync(path.join(folder, 'key'), texts[1]);
  return folder;
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await sleep(20);
  assert.ok(holds());
}

for (const [name, interval] of [
  ['at once', NEVER],
  ['at the next reading by the interval, where the file system tells nothing of it', 200],
] as const)
  test(`a certificate for the same key is used when the key is there again: ${name}`, () =>
    whileFollowed(folderOf(`again-${interval}`, ['1 of a', 'a']), interval, async ({ certificate, key, used, failures }) => {
      const aside = path.join(root, `aside-${interval}`);
      renameSync(key, aside);
      await until(() => failures.length > 0);
      writeFileSync(certificate, '2 of a');
      await until(() => failures.filter((each) => each.includes('ENOENT')).length > 0);
      renameSync(aside, key);
      await until(() => used.length > 0);
      assert.equal([...new Set(used)], ['2 of a']);
    }));

test('a pair that does not fit is told once, whatever is written beside it', () =>
  whileFollowed(folderOf('unfit', ['1 of a', 'a']), NEVER, async ({ certificate, failures }) => {
    writeFileSync(certificate, '1 of b');
    await until(() => failures.length > 0);
    for (let i = 0; i < 3; i++) {
      writeFileSync(path.join(path.dirname(certificate), 'log'), String(i));
      await sleep(250);
    }
    assert.equal(failures, ['Error: the key is another one']);
    writeFileSync(certificate, '2 of b');
    await until(() => failures.length === 2);
  }));

test('the last of many folders that take the place of one another is in force', async () => {
  const folder = path.join(root, 'mounted');
  mkdirSync(folder);
  const swap = (n: number): void => {
    const made = folderOf(`mounted/..${n}`, [`${n} of ${n % 2}`, String(n % 2)]);
    symlinkSync(path.basename(made), path.join(folder, '..new'));
    renameSync(path.join(folder, '..new'), path.join(folder, '..data'));
    rmSync(path.join(folder, `..${n - 1}`), { recursive: true, force: true });
  };
  swap(0);
  for (const name of ['certificate', 'key']) symlinkSync(path.join('..data', name), path.join(folder, name));
  await whileFollowed(folder, NEVER, async ({ used }) => {
    for (let n = 1; n <= 60; n++) {
      swap(n);
      await sleep(25);
    }
    await until(() => used.at(-1) === '60 of 0');
  });
});
test.run();
