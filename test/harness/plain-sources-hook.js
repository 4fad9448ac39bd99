/**
 * Loaded before a test file where a run of all tests has made `plain-sources.ts`'s files: modules of the project are taken from there, and each is found by
 * its name in full, as in `runtime/assembly/setup/own-modules.js`. It is plain JavaScript, for what it saves is that anything loads the compiler.
 */
import { readFileSync } from 'node:fs';
import module from 'node:module';

const ROOT = new URL('../../', import.meta.url).href;
const PLAIN = new URL('../../.cache/plain-sources/', import.meta.url);

/** @param {string} url */
const isOwn = (url) => url.startsWith(ROOT) && url.endsWith('.ts') && !url.includes('/node_modules/');

module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || parentURL === undefined || !isOwn(parentURL)) return next(specifier, context);
    const { href: url } = new URL(specifier, parentURL);
    return isOwn(url) ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!isOwn(url)) return next(url, context);
    const source = plainSource(url);
    return source === undefined ? next(url, { ...context, format: 'module-typescript' }) : { format: 'module', source, shortCircuit: true };
  },
});

/** @param {string} url @returns undefined for what has been made since the run began */
function plainSource(url) {
  try {
    return readFileSync(new URL(url.slice(ROOT.length), PLAIN), 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}
