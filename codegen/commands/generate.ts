/** Runs `cluster-schema generate`: writes `generated/`, and the parts of documents that are made from the schemas. */
import path from 'node:path';
import { generate, writtenParts } from '../generate.ts';
import { writeSection } from '../write/section.ts';
import { writeTree } from '../write/write.ts';
import { reportDiagnostics } from './report.ts';

export async function run(root: string): Promise<number> {
  const generation = await generate(root);
  reportDiagnostics(generation);
  if (generation.errors.length > 0) return 1;
  writeTree(path.join(root, 'generated'), generation.files);
  const missing = writtenParts(generation).filter(({ file, name, text }) => writeSection(path.join(root, file), name, text) === 'missing');
  for (const { file, name } of missing) console.error(`${file} has no place for the table of ${name}.`);
  return missing.length > 0 ? 1 : 0;
}
