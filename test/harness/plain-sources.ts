/**
 * The sources as plain JavaScript, each with its lines and columns. A run of all tests makes them once: each test file is new to Node, which would
 * load its compiler of 15 MB for that file alone, in more than a thousand processes.
 */
import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const projectRoot = path.resolve(import.meta.dirname, '../..');
/** known to `plain-sources-hook.js` */
const PLAIN = path.join(projectRoot, '.cache/plain-sources');
const SOURCES = '{codegen,generated,runtime,test}/**/*.ts';

/** Makes them. @returns flags of Node for processes that are to take them while they are what the sources are */
export async function makePlainSources(): Promise<string[]> {
  // in a process of its own, which says nothing of what is experimental there
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename]);
  return ['--import', path.join(import.meta.dirname, 'plain-sources-hook.js')];
}

async function main(): Promise<void> {
  const made = new Set<string>();
  for await (const source of glob(SOURCES, { cwd: projectRoot })) {
    made.add(source);
    await replace(path.join(PLAIN, source), stripTypeScriptTypes(await readFile(path.join(projectRoot, source), 'utf8')));
  }
  for await (const file of glob('**/*.ts', { cwd: PLAIN })) if (!made.has(file)) await rm(path.join(PLAIN, file), { force: true });
}

/** Another run may be reading what is there. */
async function replace(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return;
  await mkdir(path.dirname(file), { recursive: true });
  const whole = `${file}.${process.pid}`;
  await writeFile(whole, text);
  await rename(whole, file);
}

if (import.meta.main) await main();
