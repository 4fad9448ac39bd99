/**
 * Where the programs are that tests start. A run of all tests bundles them once, for a start takes half as much processor time of one file as
 * of eight hundred; a test file that is run alone takes the sources.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OutputFile, Plugin } from 'esbuild';

export const projectRoot = path.resolve(import.meta.dirname, '../..');

/** Entry points of processes and threads, by the names of their bundles. */
const ENTRIES = {
  'cluster-apiserver': 'runtime/main/cluster-apiserver.js',
  'cluster-node-agent': 'runtime/main/cluster-node-agent.js',
  'long-request-thread': 'runtime/assembly/long-requests/long-request-thread.js',
  'document-thread': 'runtime/assembly/documents/document-thread.js',
  'freed-memory-thread': 'runtime/main/freed-memory-thread.js',
  'key-service-thread': 'runtime/assembly/encryption/key-service-thread.js',
  trial: 'runtime/storage/lmdb/store-files/trial.js',
} as const;
const BUNDLES = path.join(projectRoot, '.cache/programs');
/** set in test files while the bundles are what the sources are */
const BUNDLED = 'TEST_PROGRAMS';
/** Milliseconds after which no other run uses a file that this one has not made. */
const LEFT_OVER = 3_600_000;

/** Path of a program, for test files. */
export function programFile(name: 'cluster-apiserver' | 'cluster-node-agent'): string {
  const bundles = process.env[BUNDLED];
  return bundles === undefined ? path.join(projectRoot, ENTRIES[name]) : path.join(bundles, `${name}.js`);
}

/** Bundles the programs for the processes that this one will start. */
export async function bundlePrograms(): Promise<void> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: { ...ENTRIES, ...(await partsOfEntries()) },
    outdir: BUNDLES,
    bundle: true,
    format: 'esm',
    platform: 'node',
    // Packages are in the bundles, so that those which only some starts need are loaded by these alone. The store's has files of its own beside it.
    external: ['lmdb'],
    banner: { js: "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);" },
    // names of classes are told in messages
    keepNames: true,
    write: false,
    logLevel: 'warning',
    plugins: [partsAreFiles, placesOfSources, httpAlone],
  });
  await mkdir(BUNDLES, { recursive: true });
  for (const output of outputFiles) await replace(output);
  const made = new Set(outputFiles.map((output) => path.basename(output.path)));
  for (const file of await readdir(BUNDLES)) {
    const at = path.join(BUNDLES, file);
    if (!made.has(file) && Date.now() - (await stat(at)).mtimeMs > LEFT_OVER) await rm(at);
  }
  process.env[BUNDLED] = BUNDLES;
}

/** Another run may be starting what is there. */
async function replace({ path: file, text }: OutputFile): Promise<void> {
  // what esbuild leaves stands in regular expressions; one such character has V8 keep the whole text in two bytes each
  const contents = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const before = await readFile(file, 'latin1').catch(() => undefined);
  if (before === contents) return;
  const whole = `${file}.${process.pid}`;
  await writeFile(whole, contents);
  await rename(whole, file);
}

/** What an entry point loads when it has seen its arguments and set the flags of V8; compiled code is kept for the flags under which it was compiled. */
const PART_OF_ENTRY = /\bimport\('\.\/([\w-]+)\.ts'\)/g;

/** Source files by the names of their bundles. */
async function partsOfEntries(): Promise<Record<string, string>> {
  const parts = await Promise.all(
    Object.values(ENTRIES).map(async (entry) => {
      const source = await readFile(path.join(projectRoot, entry), 'utf8');
      return [...source.matchAll(PART_OF_ENTRY)].map(([, name]) => [name as string, path.join(path.dirname(entry), `${name}.ts`)] as const);
    }),
  );
  return Object.fromEntries(parts.flat());
}

/** Each part of an entry point is a file beside it. */
const partsAreFiles: Plugin = {
  name: 'parts-are-files',
  setup(build) {
    const entries = new Set(Object.values(ENTRIES).map((entry) => path.join(projectRoot, entry)));
    build.onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, ({ kind, importer, path: part }) =>
      kind === 'dynamic-import' && entries.has(importer) ? { path: part.replace(/\.ts$/, '.js'), external: true } : undefined,
    );
  },
};

/**
 * What one bundle imports, it imports when it starts, and an import of this module has Node read all that it exports: with that it loads its client of
 * WebSockets. Asked for by name it does not, so that a bundle loads no more than sources that import it where they need it.
 */
const httpAlone: Plugin = {
  name: 'http-alone',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path: name }) =>
      kind === 'import-statement' ? { path: name, namespace: 'http-alone' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'http-alone' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule('${name}')`,
    }));
  },
};

/** What a module finds beside itself it finds beside its source; entry points it finds beside its bundle. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  setup(build) {
    build.onLoad({ filter: /\/(runtime|generated)\/.*\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const contents = source
        .replace(/new URL\('(?:\.\/)?([\w-]+\.js)', import\.meta\.url\)/g, "new URL('./$1', import.meta.bundle)")
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.bundle', 'import.meta.url');
      return { contents, loader: 'ts' };
    });
  },
};
