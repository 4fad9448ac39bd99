/** `cluster-schema generate`. */
import path from 'node:path';
import { generate } from '../generate.ts';
import { compareTree, writeTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function generateCommand(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  const folder = path.join(root, 'generated');
  if (compareTree(folder, generation.files).length > 0) writeTree(folder, generation.files);
  return 0;
}
