/**
 * Where the programs are that tests start. A run of all tests bundles them once, for a start takes a third less processor time of two hundred
 * files than of eight hundred; a test file that is run alone takes the sources.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

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

/** Bundles the programs for the processes that this one will start. Parts that are loaded on demand stay files of their own. */
export async function bundlePrograms(): Promise<void> {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: ENTRIES,
    outdir: BUNDLES,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // names of classes are told in messages
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [placesOfSources],
  });
  const made = new Set(Object.keys(metafile.outputs).map((file) => path.basename(file)));
  for (const file of await readdir(BUNDLES)) {
    const at = path.join(BUNDLES, file);
    if (!made.has(file) && Date.now() - (await stat(at)).mtimeMs > LEFT_OVER) await rm(at);
  }
  process.env[BUNDLED] = BUNDLES;
}

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
