/** `cluster-schema generate`. */
import path from 'node:path';
import { generate } from '../generate.ts';
import { writeTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function generateCommand(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  writeTree(path.join(root, 'generated'), generation.files);
  return 0;
}
