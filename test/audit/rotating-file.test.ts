import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DiskPace } from '../../runtime/audit/disk-pace.ts';
import { backupName, RotatingFile, type Rotation } from '../../runtime/audit/rotating-file.ts';

const test = suite('a file of audit events');
let folder: string;
let file: string;
test.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rotating-file-'));
  file = path.join(folder, 'audit.log');
});
test.after.each(() => rmSync(folder, { recursive: true }));

function rethrow(error: unknown): void {
  throw error;
}

async function opened(rotation: Partial<Rotation> = {}, failed = rethrow, pace = new DiskPace()): Promise<RotatingFile> {
  const rotating = new RotatingFile(
    file,
    { maxBytes: 1_000, maxAge: 0, maxBackups: 0, compress: false, isShared: false, ...rotation },
    failed,
    pace,
  );
  await rotating.open();
  return rotating;
}
const line = (name: string, length = 100) => `${name.padEnd(length - 1, '.')}\n`;
const read = (name: string) =>
  name.endsWith('.gz') ? gunzipSync(readFileSync(path.join(folder, name))).toString() : readFileSync(path.join(folder, name), 'utf8');
const names = () =>
  readdirSync(folder)
    .flatMap((name) => read(name).split('\n'))
    .filter((each) => each !== '')
    .map((each) => each.replace(/\.*$/, ''));

test('has all that is appended, in its order, and belongs to its owner alone', async () => {
  const rotating = await opened({ maxBytes: 1_000_000 });
  const all = Array.from({ length: 500 }, (_, i) => line(`${i}`));
  await Promise.all(all.map((each) => rotating.append([each])));
  await rotating.close();
  assert.is(readFileSync(file, 'utf8'), all.join(''));
  assert.is(statSync(file).mode & 0o777, 0o600);
});

for (const isShared of [false, true])
  test(`of which a folder is made, is followed by files that those may use who might use it${isShared ? ', also by several processes' : ''}`, async () => {
    file = path.join(folder, 'deep', 'er', 'audit.log');
    const rotating = await opened({ maxBytes: 150, isShared, compress: true });
    assert.is(statSync(path.dirname(file)).mode & 0o777, 0o700);
    chmodSync(file, 0o640);
    for (const each of ['a', 'b', 'c']) await rotating.append([line(each)]);
    await rotating.close();
    const modes = readdirSync(path.dirname(file)).map((name) => statSync(path.join(path.dirname(file), name)).mode & 0o777);
    assert.equal(modes, [0o640, 0o640, 0o640]);
  });

test('has text and bytes of one line together, and takes with what somebody waits for what nobody does', async () => {
  const rotating = await opened({ maxBytes: 1_000_000 });
  const first = rotating.append([['{"ü":', Buffer.from('"ö"'), '}\n'], 'second\n'], false);
  assert.is(rotating.append(['third\n']), first);
  await first;
  assert.is(readFileSync(file, 'utf8'), '{"ü":"ö"}\nsecond\nthird\n');
  await rotating.append(['fourth\n'], false);
  assert.match(readFileSync(file, 'utf8'), /third\nfourth\n$/);
  void rotating.append(['fifth\n'], false);
  await rotating.close();
  assert.match(readFileSync(file, 'utf8'), /fourth\nfifth\n$/);
});

test('has lines that are longer than what is written at once, and very many', async () => {
  const rotating = await opened({ maxBytes: 100_000_000 });
  const all = [...Array.from({ length: 3_000 }, (_, i) => line(`${i}`, 500)), line('long', 700_000), line('after')];
  await rotating.append(all);
  await rotating.close();
  assert.is(readFileSync(file, 'utf8'), all.join(''));
});

/** Whether the lines are there at the end of this round of the event loop: no other thread has written them. */
async function isWrittenAtOnce(rotating: RotatingFile, text: string): Promise<boolean> {
  let isOver = false;
  const appended = rotating.append([text]).then(() => {
    isOver = true;
  });
  await nextRound();
  const wasOver = isOver;
  await appended;
  return wasOver;
}

for (const isShared of [false, true])
  test(`has lines at once${isShared ? ', where other processes append to it' : ''}, until a write was slow, and again when none was for a while`, async () => {
    // each look at the clock takes that long
    let [now, taken] = [0, 0];
    const rotating = await opened({ isShared }, rethrow, new DiskPace(() => (now += taken)));
    assert.ok(await isWrittenAtOnce(rotating, line('quick')));
    taken = 10;
    assert.ok(await isWrittenAtOnce(rotating, line('slow')));
    assert.not(await isWrittenAtOnce(rotating, line('slow, by another thread')));
    taken = 0;
    assert.not(await isWrittenAtOnce(rotating, line('quick, by another thread')));
    now += 9_999;
    assert.not(await isWrittenAtOnce(rotating, line('still by another thread')));
    now += 1;
    assert.ok(await isWrittenAtOnce(rotating, line('quick again')));
    assert.not(await isWrittenAtOnce(rotating, line('very long', 100_000)));
    await rotating.close();
    assert.is(names().length, 7);
  });

test('leaves to another thread what goes to a pipe, whose reader takes its time', async () => {
  execFileSync('mkfifo', [file]);
  const reader = open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const rotating = await opened();
  assert.not(await isWrittenAtOnce(rotating, line('piped')));
  const { bytesRead } = await (await reader).read(Buffer.alloc(1_000), 0, 1_000);
  assert.is(bytesRead, 100);
  await rotating.close();
  await (await reader).close();
});

test('has lines that come while others are written, in their order', async () => {
  const rotating = await opened({ maxBytes: 500 });
  const all = Array.from({ length: 40 }, (_, i) => line(`${i}`));
  for (const [i, each] of all.entries()) {
    const appended = rotating.append([each], i % 3 === 0);
    if (i % 7 === 0) await appended;
    else if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await rotating.close();
  assert.equal(
    names().sort((a, b) => Number(a) - Number(b)),
    all.map((_, i) => `${i}`),
  );
  for (const name of readdirSync(folder)) {
    const numbers = read(name)
      .split('\n')
      .filter(Boolean)
      .map((each) => Number.parseInt(each, 10));
    assert.ok(numbers.length <= 5 && numbers.every((number, i) => number === (numbers[0] as number) + i), numbers.join());
  }
});

test('goes on where it was', async () => {
  writeFileSync(file, line('before'));
  const rotating = await opened();
  await rotating.append([line('after')]);
  await rotating.close();
  assert.equal(names(), ['before', 'after']);
});

test('gives its place to a new one before it is too large', async () => {
  const rotating = await opened();
  for (let i = 0; i < 25; i++) await rotating.append([line(`${i}`)]);
  await rotating.close();
  for (const name of readdirSync(folder)) assert.ok(statSync(path.join(folder, name)).size <= 1_000, name);
  assert.is(readdirSync(folder).length, 3);
  assert.equal(
    names().sort((a, b) => Number(a) - Number(b)),
    Array.from({ length: 25 }, (_, i) => `${i}`),
  );
  for (const name of readdirSync(folder)) assert.match(name, /^audit(?:-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})?\.log$/);
});

test('has what is larger than a file alone in one', async () => {
  const rotating = await opened();
  await rotating.append([line('small')]);
  await rotating.append([line('huge', 5_000)]);
  await rotating.append([line('next')]);
  await rotating.close();
  assert.equal(names().sort(), ['huge', 'next', 'small']);
});

test('keeps so many old ones', async () => {
  const rotating = await opened({ maxBackups: 2 });
  for (let i = 0; i < 60; i++) await rotating.append([line(`${i}`)]);
  await rotating.close();
  assert.is(readdirSync(folder).length, 3);
  assert.ok(names().includes('59'));
});

test('forgets what is too old, and touches nothing else', async () => {
  const old = path.basename(backupName(file, new Date(Date.now() - 10_000)));
  const young = path.basename(backupName(file, new Date()));
  for (const name of [old, young, 'audit-other.log', 'audit.log.1', `x${old}`]) writeFileSync(path.join(folder, name), 'x\n');
  await (await opened({ maxAge: 5_000 })).close();
  assert.equal(readdirSync(folder).sort(), ['audit.log', young, 'audit-other.log', 'audit.log.1', `x${old}`].sort());
});

test('compresses old ones', async () => {
  const rotating = await opened({ compress: true });
  for (let i = 0; i < 25; i++) await rotating.append([line(`${i}`)]);
  await rotating.close();
  const old = readdirSync(folder).filter((name) => name !== 'audit.log');
  assert.ok(old.length >= 2 && old.every((name) => name.endsWith('.log.gz')), old.join());
  assert.is(names().length, 25);
  for (const name of old) assert.is(statSync(path.join(folder, name)).mode & 0o777, 0o600);
});

test('may have several writers, and loses nothing', async () => {
  const writers = await Promise.all([1, 2, 3].map(() => opened({ isShared: true })));
  await Promise.all(writers.flatMap((writer, i) => Array.from({ length: 40 }, async (_, j) => writer.append([line(`${i}-${j}`)]))));
  await Promise.all(writers.map((writer) => writer.close()));
  assert.is(new Set(names()).size, 120);
  assert.equal(names().length, 120);
  assert.not.ok(readdirSync(folder).includes('audit.log.lock'));
});

test('is not waited for where the process that has its lock has died', async () => {
  writeFileSync(`${file}.lock`, '');
  utimesSync(`${file}.lock`, 0, 0);
  const rotating = await opened({ isShared: true });
  for (let i = 0; i < 15; i++) await rotating.append([line(`${i}`)]);
  await rotating.close();
  assert.is(names().length, 15);
});

test('that cannot be written says so, and goes on once it can', async () => {
  // its folder is gone before old files are looked for
  const rotating = await opened({ isShared: true }, () => {});
  rmSync(folder, { recursive: true });
  let failed = false;
  await rotating.append([line('lost')]).catch(() => {
    failed = true;
  });
  assert.ok(failed);
  mkdirSync(folder);
  await rotating.append([line('found')]);
  await rotating.close();
  assert.equal(names(), ['found']);
});

test.run();
