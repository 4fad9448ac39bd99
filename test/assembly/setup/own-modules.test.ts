/** That the program's modules find each other as Node would have them do, and without Node. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { projectRoot } from '../../harness/server.ts';

interface Resolved {
  readonly specifier: string;
  readonly parentURL: string;
  readonly url: string;
  readonly format: string;
}

/** Loads what a thread for long requests loads. What is registered last is asked first, and asks those before it. */
const LOADING = `
import { registerHooks } from 'node:module';
const own = new URL('./runtime/assembly/setup/own-modules.js', process.argv[1]).href;
const found = [];
const leftToNode = [];
registerHooks({ resolve(specifier, context, next) { leftToNode.push({ specifier, parentURL: context.parentURL }); return next(specifier, context); } });
(await import(own)).findOwnModulesDirectly();
leftToNode.length = 0;
registerHooks({ resolve(specifier, context, next) {
  const answer = next(specifier, context);
  found.push({ specifier, parentURL: context.parentURL, url: answer.url, format: answer.format });
  return answer;
} });
await import(new URL('./runtime/assembly/parts/create-parts.ts', process.argv[1]).href);
await import(new URL('./runtime/chain/chain.ts', process.argv[1]).href);
process.stdout.write(JSON.stringify({ found, leftToNode }));
`;

async function load(): Promise<{ readonly found: readonly Resolved[]; readonly leftToNode: readonly Resolved[] }> {
  const args = ['--input-type=module', '--eval', LOADING, `file://${projectRoot}/`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

const test = suite('own modules');
const { found, leftToNode } = await load();
const isOwn = ({ specifier, parentURL }: Resolved): boolean =>
  specifier.startsWith('.') && /\/(?:runtime|generated)\//.test(parentURL) && !parentURL.includes('/node_modules/');

test('are found where they are, as what they are', () => {
  const own = found.filter(isOwn);
  assert.ok(own.length > 400, `${own.length}`);
  for (const { specifier, parentURL, url, format } of own) {
    const file = new URL(specifier, parentURL);
    assert.ok(existsSync(file), `${specifier} of ${parentURL}`);
    // a file under two names would be two modules
    assert.is(url, `file://${realpathSync(file)}`);
    assert.is(format, url.endsWith('.ts') ? 'module-typescript' : 'module', url);
  }
});

test('are not looked for by Node', () => {
  assert.equal(leftToNode.filter(isOwn), []);
});

test('leave the modules of packages to Node', () => {
  const parts = leftToNode.filter(({ specifier, parentURL }) => specifier.startsWith('.') && parentURL?.includes('/node_modules/koa/'));
  assert.ok(parts.length > 0);
});

test.run();
