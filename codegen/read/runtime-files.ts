/** Hand-written modules of the runtime that a client brings along: those that it names, with all that they import. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Of one that lies beside the module; packages and modules of Node's are none. */
const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'";]*?['"](\.\.?\/[^'"]+)['"]|\bimport\(\s*['"](\.\.?\/[^'"]+)['"]\s*\)/g;

/**
 * @param root of the tree
 * @param entries paths below it
 * @returns texts by path below `root`, sorted
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
