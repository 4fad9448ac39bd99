import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from './harness/eventually.ts';
import { inOrderOfRun, parseTotals, runFile, suitesWithoutRun } from './run.ts';

const totals = suite('totals that uvu prints');
totals('are added up over a file', () => {
  assert.equal(parseTotals('  Total:     3\n  Passed:    2\n  Skipped:   1\n  Total:     1\n  Passed:    1\n  Skipped:   0\n'), {
    total: 4,
    passed: 3,
    skipped: 1,
  });
});
totals('are found between colours', () => {
  assert.equal(parseTotals('\x1b[32m  Total:     3\x1b[39m\n  Passed:    3\n')?.total, 3);
});
totals('are undefined in other text', () => assert.is(parseTotals('hello'), undefined));
totals.run();

const forgotten = suite('suites without run()');
const sources: [name: string, source: string, found: string[]][] = [
  ['a suite that runs', "const a = suite('a'); a.run();", []],
  ['one of two', "const a = suite('a');\nconst b = suite('b');\na.run();", ['b']],
  ['a typed suite', "const a = suite<Context>('a');", ['a']],
  ['the default suite', "import { test } from 'uvu'; test('x', () => {});", ['test']],
  ['a file without any', 'export {};', ['no suite at all']],
];
for (const [name, source, found] of sources) forgotten(name, () => assert.equal(suitesWithoutRun(source), found));
forgotten.run();

const files = suite<{ folder: string }>('a test file');
files.before(async (context) => {
  // inside the tree, so that the files find uvu
  context.folder = await mkdtemp(path.join(import.meta.dirname, '.run-'));
});
files.after((context) => rm(context.folder, { recursive: true }));

/** One that has ended has no files, where its parent does not ask for its end. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/fd/0') || existsSync(`/proc/${pid}/fd/0`);
  } catch {
    return false;
  }
}

const header = "import { test } from 'uvu';\n";
const cases: [name: string, source: string, passed: number, failed: number, skipped: string[]][] = [
  ['passes', "test('a', () => {}); test.run();", 1, 0, []],
  ['fails', "test('a', () => { throw new Error('no'); }); test('b', () => {}); test.run();", 1, 1, []],
  ['skips a test', "test.skip('a', () => {}); test('b', () => {}); test.run();", 1, 0, ['']],
  ['says what it skips', "console.log('SKIPPED: no kubectl'); test('b', () => {}); test.run();", 1, 0, ['no kubectl']],
  ['skips everything', "console.log('SKIPPED: no kubectl'); test.run();", 0, 0, ['no kubectl']],
  ['runs nothing', 'test.run();', 0, 1, []],
  ['forgets run()', "test('a', () => {});", 0, 1, []],
  ['throws before its tests', "throw new Error('no'); test.run();", 0, 1, []],
  ['ends with a code of its own', "test('a', () => {}); test.run(); process.on('exit', () => process.exit(3));", 1, 1, []],
  ['never ends', "test('a', () => {}); test.run(); setInterval(() => {}, 1000);", 1, 1, []],
  ['writes without end', "test('a', () => {}); test.run(); setInterval(() => process.stdout.write('x'.repeat(1e6)), 1);", 1, 1, []],
];
for (const [name, source, passed, failed, skipped] of cases)
  files(name, async ({ folder }) => {
    const file = path.join(folder, `${name.replaceAll(' ', '-')}.ts`);
    await writeFile(file, header + source);
    // long enough for those that pass on a machine under load
    const result = await runFile(file, name === 'never ends' ? 10_000 : 60_000);
    assert.equal([result.passed, result.failed, result.skipped], [passed, failed, skipped], result.output);
  });
files('leaves no process and no folder, though it fails', async ({ folder }) => {
  const source = `
    import { spawn } from 'node:child_process';
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    test('a', () => {
      const { pid } = spawn('sleep', ['1000'], { stdio: 'inherit' });
      console.log('LEFT', pid, mkdtempSync(tmpdir() + '/left-'));
      process.exit(1);
    });
    test.run();
  `;
  const file = path.join(folder, 'leaves.ts');
  await writeFile(file, header + source);
  const { output, failed } = await runFile(file, 60_000);
  const [, pid, left = ''] = /LEFT (\d+) (.*)/.exec(output) ?? [];
  assert.is(failed, 1);
  assert.not(existsSync(left));
  // who has been killed is there until its new parent has heard of it
  await eventually('the process has ended', () => !isRunning(Number(pid)));
});
files('long files run last in an order that the seed decides, and none is lost', () => {
  const files = Array.from({ length: 300 }, (_, i) => `${i}.test.ts`);
  const long = new Set(files.slice(0, 150));
  assert.equal(inOrderOfRun(files, long, ''), files);
  const [a, b] = [inOrderOfRun(files, long, 'a'), inOrderOfRun(files, long, 'b')];
  for (const each of [a, b]) {
    assert.equal(each.slice(0, 150), files.slice(150));
    assert.equal(each.toSorted(), files.toSorted());
  }
  assert.not.equal(a, b);
  assert.equal(inOrderOfRun(files, long, 'a'), a);
});
files.run();
