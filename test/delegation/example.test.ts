/** The program that the document of aggregated servers shows does what the document says. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { projectRoot } from '../harness/server.ts';

const document = readFileSync(path.join(projectRoot, 'runtime/delegation/README.md'), 'utf8');
const [, program = ''] = /^```ts\n([\s\S]*?)^```/m.exec(document) ?? [];
const SOURCES: Readonly<Record<string, string>> = {
  'cluster-control-api': 'runtime/embedded/start-server.ts',
  'cluster-control-api/client': 'generated/client/index.ts',
};

const test = suite('the program of the document');
test('creates an object as somebody whom the delegating server knows, and none in a namespace that is not there', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'aggregated-example-'));
  try {
    const file = path.join(folder, 'example.ts');
    const imported = program.replace(
      /(?<=from ')cluster-control-api[^']*/g,
      (name) => pathToFileURL(path.join(projectRoot, SOURCES[name] as string)).href,
    );
    writeFileSync(file, imported);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, timeout: 60_000 });
    assert.match(stdout, "spec: { colour: 'White' }");
    assert.match(stdout, 'namespaces "cellar" not found');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
test.run();
