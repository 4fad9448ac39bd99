/** A checkout with further schemas: it has what the generator makes of them, and servers can be started from it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { formatDiagnostic } from '../../codegen/check/diagnostic.ts';
import { generate } from '../../codegen/generate.ts';
import { writeTree } from '../../codegen/write/write.ts';
import { projectRoot } from './server.ts';

/**
 * @param files texts of schemas by their paths from the root; they may take the place of what is there
 * @returns the root, which goes when the process ends
 */
export async function checkoutWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = mkdtempSync(path.join(tmpdir(), 'cluster-checkout-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['runtime', 'schemas']) cpSync(path.join(projectRoot, folder), path.join(root, folder), { recursive: true });
  cpSync(path.join(projectRoot, 'package.json'), path.join(root, 'package.json'));
  symlinkSync(path.join(projectRoot, 'node_modules'), path.join(root, 'node_modules'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const { files: generated, errors } = await generate(root);
  assert.equal(errors.map(formatDiagnostic), []);
  writeTree(path.join(root, 'generated'), generated);
  return root;
}
