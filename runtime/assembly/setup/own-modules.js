/**
 * How modules of this program find each other: plain JavaScript, for the same reason as the entry point of the program. Each names the other's file in
 * full, so what Node does for any name is left out: it looks whether there are links, and for the `package.json` that says what kind of module a file is.
 * Of all that loading a module takes, that is a good part.
 */
import module from 'node:module';

/** URLs of folders. */
const OWN = ['runtime', 'generated'].map((folder) => new URL(`../../../${folder}/`, import.meta.url).href);

/** To be called once in each thread that is the program's own: others have modules that these rules are not for. */
export function findOwnModulesDirectly() {
  // Node has it from 22.15 on
  module.registerHooks?.({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!specifier.startsWith('.') || parentURL === undefined || !isOwn(parentURL)) return next(specifier, context);
      const { href: url } = new URL(specifier, parentURL);
      return { url, format: url.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true };
    },
  });
}

/** @param {string} url */
const isOwn = (url) => OWN.some((folder) => url.startsWith(folder));
