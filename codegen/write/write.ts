/** Last step: brings the generated tree into exactly the state that was emitted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GeneratedFiles } from '../emit/emit.ts';

/**
 * Writes the tree beside the old one and then changes places with it, so that a file of a removed kind disappears and a reader never
 * sees half a tree.
 * @param folder of the generated tree
 */
export function writeTree(folder: string, files: GeneratedFiles): void {
  const fresh = `${folder}.new`;
  const old = `${folder}.old`;
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
  writeFiles(fresh, files);
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

function writeFiles(folder: string, files: GeneratedFiles): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

export interface Difference {
  /** path below the generated tree */
  readonly file: string;
  readonly state: 'changed' | 'extra' | 'missing';
}

/** @returns how the tree differs from what was emitted, sorted by file; nothing where it is the same */
export function compareTree(folder: string, files: GeneratedFiles): Difference[] {
  const present = existsSync(folder) ? filesBelow(folder) : [];
  const differences: Difference[] = present.filter((file) => !files.has(file)).map((file) => ({ file, state: 'extra' }));
  const there = new Set(present);
  for (const [file, text] of files) {
    if (!there.has(file)) differences.push({ file, state: 'missing' });
    else if (readFileSync(path.join(folder, file), 'utf8') !== text) differences.push({ file, state: 'changed' });
  }
  return differences.sort((a, b) => (a.file < b.file ? -1 : 1));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}
