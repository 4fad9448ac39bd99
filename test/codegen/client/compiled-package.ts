/** Packages that `cluster-schema client` writes, and what a compiler says of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Options of strict projects; the last one has each file's declarations made of that file alone. */
export const STRICTEST = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noImplicitOverride', '--isolatedDeclarations'];

export const root = path.join(import.meta.dirname, '../../..');

/** A folder that is gone when the process ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns what the compiler says; '' where it finds nothing */
export function compile(out: string, ...args: string[]): string {
  mkdirSync(path.join(out, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    if (!existsSync(path.join(out, 'node_modules', name)))
      symlinkSync(realpathSync(path.join(root, 'node_modules', name)), path.join(out, 'node_modules', name));
  return spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', '.', ...args], { cwd: out, encoding: 'utf8' }).stdout;
}
