/** Reads the hand-written modules of the runtime that a client package brings along: those that it names, with everything that they import. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Matches an import of a file by a relative path. Imports of packages and of Node's modules do not match. */
const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'";]*?['"](\.\.?\/[^'"]+)['"]|\bimport\(\s*['"](\.\.?\/[^'"]+)['"]\s*\)/g;

/**
 * @param root the root of the tree
 * @param entries paths below the root
 * @returns texts by path below the root, sorted
 */
export function readRuntimeFiles(root: string, entries: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    texts.set(file, text);
    const folder = path.posix.dirname(file);
    for (const [, fixed, loaded] of text.matchAll(IMPORT)) waiting.push(path.posix.join(folder, (fixed ?? loaded) as string));
  }
  return new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
