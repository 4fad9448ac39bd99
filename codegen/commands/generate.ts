/** `cluster-schema generate`. */
import path from 'node:path';
import { generate } from '../generate.ts';
import { writeSection } from '../write/section.ts';
import { writeTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function run(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  writeTree(path.join(root, 'generated'), generation.files);
  const table = writeSection(path.join(root, 'schemas/README.md'), 'kinds', generation.kindsTable);
  if (table === 'missing') console.error('schemas/README.md has no place for the table of kinds.');
  return table === 'missing' ? 1 : 0;
}
