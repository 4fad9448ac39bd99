/** What a process has of memory that it has freed. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CAN_GIVE_BACK } from '../harness/freed-memory.ts';
import { projectRoot } from '../harness/server.ts';

const test = suite('freed memory');

/** 50 MB in pieces, of which each hundredth stays, so that no end of the heap is free. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { giveBackFreedMemory } from ${JSON.stringify(path.join(projectRoot, 'runtime/main/freed-memory.ts'))};
  const resident = () => Number(/^RssAnon:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const begun = resident();
  const kept = [];
  for (let made = 0; made < 1_000; made += 100) kept.push(...Array.from({ length: 100 }, () => Buffer.allocUnsafeSlow(50_000).fill(1)));
  const held = resident();
  kept.splice(0, kept.length, ...kept.filter((_, index) => index % 100 === 0));
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const freed = resident();
  const isAsked = await giveBackFreedMemory();
  console.log(JSON.stringify({ isAsked, begun, held, freed, after: resident(), kept: kept.length }));
`;

async function figures(...flags: string[]) {
  const args = ['--expose-gc', ...flags, '--input-type=module', '-e', PROGRAM];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { ...(JSON.parse(stdout) as Record<'begun' | 'held' | 'freed' | 'after', number> & { isAsked: boolean }), stderr };
}

test('goes back to the system, and nothing is said of it', async () => {
  const { isAsked, begun, held, freed, after, stderr } = await figures();
  assert.is(isAsked, CAN_GIVE_BACK);
  assert.is(stderr, '');
  if (!CAN_GIVE_BACK) return;
  assert.ok(held - begun > 40, `${held} of ${begun} MB`);
  // glibc had kept it
  assert.ok(freed - begun > 20, `${freed} of ${begun} MB`);
  assert.ok(after - begun < 15, `${after} of ${begun} MB`);
});

test('stays where nobody can ask for it', async () => {
  const { isAsked, stderr } = await figures('--no-experimental-ffi');
  assert.is(isAsked, false);
  assert.is(stderr, '');
});

test.run();
