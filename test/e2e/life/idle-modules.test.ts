/** What a server loads that was started before and that nobody asks anything: no more than it needs, for each module costs memory and time. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../harness/free-ports.ts';
import { projectRoot, startServer } from '../../harness/server.ts';

interface Loaded {
  /** paths from the root of the checkout, of packages from `node_modules` on */
  readonly modules: readonly string[];
  /** Node's own */
  readonly builtin: readonly string[];
}

/** Plain JavaScript in the argument itself: a file of ours would bring the compiler for types with it. */
const listing = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const modules = [];
registerHooks({ load(url, context, next) { modules.push(url); return next(url, context); } });
process.once('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify({ modules, builtin: process.moduleLoadList })));
`)}`;

/** Milliseconds in which controllers look at what is there. */
const IDLE = 1_000;

async function loadedWhenIdle(): Promise<Loaded> {
  const directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-idle-'));
  try {
    const file = path.join(directory, 'loaded.json');
    // The first start makes what every cluster has, the next one fills the compile cache with what a later start loads.
    const port = await freePort();
    for (let i = 0; i < 3; i++) {
      // One at another port would change the service that leads to it.
      const server = await startServer({ dialect: 'cluster', root: projectRoot, directory, port, preload: listing(file) });
      await sleep(IDLE);
      assert.is(await server.stop(), 0);
    }
    const { modules, builtin } = JSON.parse(readFileSync(file, 'utf8')) as Loaded;
    return { modules: modules.filter((url) => url.startsWith('file:')).map(relative), builtin };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function relative(url: string): string {
  const { pathname } = new URL(url);
  const inPackages = pathname.indexOf('/node_modules/');
  return inPackages < 0 ? path.relative(projectRoot, pathname) : pathname.slice(inPackages + 1);
}

const NEEDED = ['koa', '@koa/router', 'lmdb'];
const { dependencies } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const loaded = await loadedWhenIdle();

const idle = suite('an idle server');
idle('loads its entry point', () => assert.ok(loaded.modules.includes('runtime/main/serve.ts')));
for (const name of NEEDED) idle(`loads ${name}`, () => assert.ok(loaded.modules.some((each) => each.startsWith(`node_modules/${name}/`))));
for (const name of Object.keys(dependencies).filter((each) => !NEEDED.includes(each)))
  idle(`does not load ${name}`, () => none(loaded.modules, (each) => each.startsWith(`node_modules/${name}/`)));

const unneeded: readonly [what: string, module: RegExp][] = [
  ['kinds that nobody asked for', /^generated\/[^/]+\/v\d/],
  ['the default policy, which the store holds', /^generated\/default-policy\.ts$/],
  [
    'kinds of files',
    /^(generated\/files\.ts|runtime\/files\/(?!(atomic-file|own-file|flag-file|regular-file|system-reason|followed-files|file-part|file-watch|file-text|file-error)\.ts$))/,
  ],
  [
    'handlers of verbs',
    /^runtime\/endpoints\/handlers\/(?!(verbs\/admit|pages\/(aggregated-discovery|discovery|health|issuer-discovery|metrics|version)|resource|virtual\/(on-demand|virtual))\.ts$)/,
  ],
  ['what makes documents of the API', /^runtime\/openapi\/(?!openapi\.ts$)/],
  ['controllers that are off by default', /^runtime\/controllers\/(node-lifecycle|taint-eviction|bootstrap-tokens|pods-of-nodes)/],
  ['patches', /^runtime\/schema\/patch\//],
  ['expressions', /^runtime\/expressions\//],
  ['traces', /^runtime\/(tracing\/|outbound\/trace-headers|endpoints\/client-trace|assembly\/client-tracer)/],
];
for (const [what, module] of unneeded) idle(`does not load ${what}`, () => none(loaded.modules, (each) => module.test(each)));

const unneededBuiltin: readonly [what: string, module: string][] = [
  ['the compiler for types', 'deps/amaro'],
  ['the client for fetch', 'deps/undici'],
];
for (const [what, module] of unneededBuiltin) idle(`does not load ${what}`, () => none(loaded.builtin, (each) => each.includes(module)));
idle.run();

function none(modules: readonly string[], unwanted: (module: string) => boolean): void {
  assert.equal(modules.filter(unwanted), []);
}
