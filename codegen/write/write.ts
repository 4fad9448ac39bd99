/** Last step of the generator: brings the generated tree into exactly the state that was emitted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GeneratedFiles } from '../emit/emit.ts';

/**
 * Changes the files that differ and no others, so that a file of a removed kind disappears, and the tree is never gone while others read it. Each file changes
 * at
 * once.
 * @param folder the folder of the generated tree
 * @returns what was different before
 */
export function writeTree(folder: string, files: GeneratedFiles): Difference[] {
  const differences = compareTree(folder, files);
  for (const { file } of differences) {
    const target = path.join(folder, file);
    const text = files.get(file);
    if (text === undefined) removeFile(folder, target);
    else writeWhole(target, text);
  }
  return differences;
}

/** Writes a file at once, with the folders that lead to it: whoever reads it, or breaks this off, finds the former text or the new one. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Removes a file, and the folders that are empty without it. The file may be gone already, if it is what was left of a write that was broken off. */
function removeFile(folder: string, file: string): void {
  rmSync(file, { force: true });
  for (let parent = path.dirname(file); parent !== folder && readdirSync(parent).length === 0; parent = path.dirname(parent))
    rmdirSync(parent);
}

/** A file that is not as it was emitted. */
export interface Difference {
  /** Path below the generated tree. */
  readonly file: string;
  readonly state: 'changed' | 'extra' | 'missing';
}

/** @returns how the tree differs from the emitted files, sorted by file; [] if it does not */
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
