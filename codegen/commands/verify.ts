/** `cluster-schema verify`. */
import path from 'node:path';
import { generate } from '../generate.ts';
import { compareSection } from '../write/section.ts';
import { compareTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function run(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  const differences = compareTree(path.join(root, 'generated'), generation.files);
  for (const { file, state } of differences) console.error(`generated/${file} is ${state}`);
  const table = compareSection(path.join(root, 'schemas/README.md'), 'kinds', generation.kindsTable);
  if (table !== 'same') console.error(`The table of kinds in schemas/README.md is ${table}`);
  const differs = differences.length > 0 || table !== 'same';
  if (differs) console.error('Run `cluster-schema generate` and commit what it writes.');
  return differs ? 1 : 0;
}
