/** Reads earlier states of the schemas out of git. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @returns the output of git without line breaks at its end; undefined if git fails */
export function git(root: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    }).trimEnd();
  } catch {
    return undefined;
  }
}

/**
 * Runs `use` with a temporary folder that holds `schemas/` as a revision had it. The folder is removed afterwards.
 * @param root the root of the tree, which may be a folder within its repository
 * @throws Error if the revision has no `schemas/`
 */
export async function withTreeOf<T>(root: string, revision: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-schema-'));
  try {
    const archive = execFileSync('git', ['-C', root, 'archive', '--format=tar', revision, 'schemas'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: archive });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
