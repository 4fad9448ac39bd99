/**
 * Runs the test files: node test/run.ts [--jobs=N] [--timeout=SECONDS] [PART-OF-A-PATH ...]
 *
 * Without --jobs one more than the machine has cores, for a third of a test's time is waiting: for the disk, for clocks, for other processes.
 *
 * Each `test/**` file that ends in `.test.ts` is a process of its own, which uvu makes report its totals. A file that ends with another
 * exit code, runs no test, takes too long, or has a suite without `.run()` (uvu would silently run nothing) counts as one failed test.
 * A line `SKIPPED: reason` in a file's output counts as one skipped test. The last line printed is `N passed, N failed, N skipped`.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { makePlainSources } from './harness/plain-sources.ts';
import { bundlePrograms } from './harness/programs.ts';

export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  /** reasons; tests that uvu skipped have none */
  readonly skipped: readonly string[];
  readonly milliseconds: number;
  /** standard output and standard error, as they came */
  readonly output: string;
}

/** What uvu prints when a file has run, added up over its suites (skipped tests are not in `total`); undefined when it printed no totals. */
export function parseTotals(output: string): { total: number; passed: number; skipped: number } | undefined {
  const plain = stripVTControlCharacters(output);
  const sum = (label: string) =>
    [...plain.matchAll(new RegExp(`^ {2}${label}:\\s+(\\d+)$`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0);
  if (!/^ {2}Total:\s+\d+$/m.test(plain)) return undefined;
  return { total: sum('Total'), passed: sum('Passed'), skipped: sum('Skipped') };
}

/** Suites of a test file that nothing runs: names of variables, or `test` for uvu's default suite. */
export function suitesWithoutRun(source: string): string[] {
  const suites = [...source.matchAll(/^(?:const|let)\s+(\w+)\s*=\s*suite\b/gm)].map(([, name]) => name as string);
  if (/^import\s*\{[^}]*\btest\b[^}]*\}\s*from\s*'uvu'/m.test(source)) suites.push('test');
  if (suites.length === 0 && !/\.run\(\)/.test(source)) return ['no suite at all'];
  return suites.filter((name) => !new RegExp(`\\b${name}\\.run\\(\\)`).test(source));
}

/** @param flags of Node, for the process of the file */
export async function runFile(file: string, timeoutMs: number, flags: readonly string[] = []): Promise<FileResult> {
  const forgotten = suitesWithoutRun(await readFile(file, 'utf8'));
  if (forgotten.length > 0)
    return { file, passed: 0, failed: 1, skipped: [], milliseconds: 0, output: `suite without .run(): ${forgotten.join(', ')}\n` };
  const started = performance.now();
  const { output, problem } = await runProcess(file, timeoutMs, flags);
  const milliseconds = performance.now() - started;
  const skipped = [...output.matchAll(/^SKIPPED: (.*)$/gm)].map(([, reason]) => reason as string);
  const totals = parseTotals(output);
  if (totals === undefined || totals.total + totals.skipped === 0) {
    const failed = problem === undefined && skipped.length > 0 ? 0 : 1;
    return { file, passed: 0, failed, skipped, milliseconds, output: `${output}\n${problem ?? 'ran no test'}\n` };
  }
  const failedTests = totals.total - totals.passed;
  const failed = failedTests === 0 && problem !== undefined ? 1 : failedTests;
  const unnamed: string[] = Array(totals.skipped).fill('');
  return { file, passed: totals.passed, failed, skipped: [...skipped, ...unnamed], milliseconds, output: `${output}${problem ?? ''}\n` };
}

/** Characters that a file may write. */
const MAX_OUTPUT = 10_000_000;

interface Ended {
  readonly output: string;
  /** how it ended when that was not by itself with code 0 */
  readonly problem: string | undefined;
}

/** The process has a folder for what is temporary: neither that nor processes that it has started are there behind it, however it ends. */
async function runProcess(file: string, timeoutMs: number, flags: readonly string[]): Promise<Ended> {
  // short, for it stands in the paths of sockets
  const folder = await mkdtemp(path.join(tmpdir(), 't-'));
  try {
    return await runIn(folder, file, timeoutMs, flags);
  } finally {
    // nobody but root can remove what others have mounted there
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
  }
}

function runIn(folder: string, file: string, timeoutMs: number, flags: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0', NODE_COMPILE_CACHE: path.resolve('.cache/compile') };
    const child = spawn(process.execPath, [...flags, file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, TMPDIR: folder },
      // its own process group, so that servers which a test has started and left go with it
      detached: true,
    });
    running.add(child.pid);
    let output = '';
    let ended: string | undefined;
    const end = (why: string): void => {
      ended ??= why;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => end(`timed out after ${timeoutMs / 1_000} s`), timeoutMs);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < MAX_OUTPUT) output += text;
        else end(`wrote more than ${MAX_OUTPUT / 1_000_000} MB`);
      });
    child.on('error', reject);
    // what it has left may have its output open
    child.on('exit', () => killGroup(child.pid));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      running.delete(child.pid);
      resolve({ output, problem: ended ?? (code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}`) });
    });
  });
}

/** Leaders of the groups under way; they do not end by themselves when this process is told to. */
const running = new Set<number | undefined>();

function endOn(signal: 'SIGINT' | 'SIGTERM', code: number): void {
  process.on(signal, () => {
    for (const leader of running) killGroup(leader);
    process.exit(code);
  });
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function findFiles(filters: readonly string[]): Promise<string[]> {
  const files = await Array.fromAsync(glob('test/**/*.test.ts'));
  const wanted = filters.length === 0 ? files : files.filter((file) => filters.some((filter) => file.includes(filter)));
  return wanted.sort();
}

/**
 * Runs the files, `jobs` at a time, and reports each as it ends.
 * @param mayBegin asked before each file; those that it refuses are named and not run
 */
async function runAll(
  files: readonly string[],
  jobs: number,
  timeoutMs: number,
  flags: readonly string[],
  mayBegin: (file: string) => boolean,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const waiting = files.values();
  const work = async () => {
    for (const file of waiting) {
      if (!mayBegin(file)) {
        console.log(`left ${file}  (the time of this run is over; make test runs it)`);
        continue;
      }
      const result = await runFile(file, timeoutMs, flags);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

function report(result: FileResult): void {
  const seconds = (result.milliseconds / 1_000).toFixed(1);
  const counts = [`${result.passed} passed`, result.failed > 0 ? `${result.failed} failed` : '', skippedText(result)].filter(
    (text) => text !== '',
  );
  console.log(`${result.failed > 0 ? 'FAIL' : 'ok  '} ${result.file}  ${counts.join(', ')}  (${seconds} s)`);
  for (const reason of result.skipped) if (reason !== '') console.log(`     skipped: ${reason}`);
  if (result.failed > 0) console.log(result.output.replace(/^/gm, '     '));
}

const skippedText = (result: FileResult): string => (result.skipped.length > 0 ? `${result.skipped.length} skipped` : '');

function summarize(results: readonly FileResult[]): void {
  const slowest = results.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
  console.log(`\nslowest: ${slowest.map((result) => `${result.file} ${(result.milliseconds / 1_000).toFixed(1)} s`).join(', ')}`);
  const failing = results.filter((result) => result.failed > 0).map((result) => result.file);
  if (failing.length > 0) console.log(`failed:  ${failing.sort().join(', ')}`);
  const sum = (count: (result: FileResult) => number) => results.reduce((all, result) => all + count(result), 0);
  const failed = sum((result) => result.failed);
  console.log(`${sum((result) => result.passed)} passed, ${failed} failed, ${sum((result) => result.skipped.length)} skipped`);
  if (failed > 0) process.exitCode = 1;
}

/** Names those that take a quarter of a minute and more, but for the recorded conversations, which each run holds. */
export const LONG_FILES = 'test/long-tests.txt';
/** Milliseconds of a run with a seed after which it begins no further long file. */
const LONG_FILES_BEGIN_WITHIN = 13 * 60_000;

/**
 * The short files, then the long ones in an order that the seed decides, so that a run whose time is bounded leaves out others each time.
 * @param seed '' for the order of `files`
 */
export function inOrderOfRun(files: readonly string[], long: ReadonlySet<string>, seed: string): string[] {
  if (seed === '') return [...files];
  const place = (file: string) => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  const late = files.filter((file) => long.has(file)).sort((a, b) => (place(a) < place(b) ? -1 : 1));
  return [...files.filter((file) => !long.has(file)), ...late];
}

/** Seconds for one file. Who asks for random requests of some length gets both forms of them, and what comes before and behind. */
function usualPatience(): number {
  return 300 + 3 * Number(process.env.FUZZ_SECONDS ?? 0);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      jobs: { type: 'string', default: String(availableParallelism() + 1) },
      timeout: { type: 'string', default: String(usualPatience()) },
    },
    allowPositionals: true,
  });
  const seed = process.env.LONG_TESTS_SEED ?? '';
  const long = new Set((await readFile(LONG_FILES, 'utf8')).split('\n'));
  const files = inOrderOfRun(await findFiles(positionals), long, seed);
  if (files.length === 0) {
    console.log(`no test file matches ${positionals.join(' ')}\n0 passed, 1 failed, 0 skipped`);
    process.exitCode = 1;
    return;
  }
  endOn('SIGINT', 130);
  endOn('SIGTERM', 143);
  const [flags] = positionals.length === 0 ? await Promise.all([makePlainSources(), bundlePrograms()]) : [[]];
  const started = performance.now();
  const mayBegin = (file: string) => seed === '' || !long.has(file) || performance.now() - started < LONG_FILES_BEGIN_WITHIN;
  summarize(await runAll(files, Number(values.jobs), Number(values.timeout) * 1_000, flags, mayBegin));
}

if (import.meta.main) await main();
