/** Runs `cluster-schema verify`: fails if `generated/`, or a part of a document, is not what `generate` would write. */
import path from 'node:path';
import { generate, writtenParts } from '../generate.ts';
import { compareSection } from '../write/section.ts';
import { compareTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function run(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  const differences = compareTree(path.join(root, 'generated'), generation.files);
  for (const { file, state } of differences) console.error(`generated/${file} is ${state}`);
  const parts = writtenParts(generation).map((part) => ({
    ...part,
    state: compareSection(path.join(root, part.file), part.name, part.text),
  }));
  const stale = parts.filter(({ state }) => state !== 'same');
  for (const { file, name, state } of stale) console.error(`The table of ${name} in ${file} is ${state}`);
  const differs = differences.length > 0 || stale.length > 0;
  if (differs) console.error('Run `cluster-schema generate` and commit what it writes.');
  return differs ? 1 : 0;
}
