#!/usr/bin/env node
/**
 * The entry point of the API server: it alone sees both the generated data and the runtime. It is plain JavaScript, for what is loaded
 * before the compile cache is on would have its types removed anew at each start, by a compiler of 15 MB that stays in memory.
 */
import module from 'node:module';
import { findOwnModulesDirectly } from '../assembly/own-modules.js';

/** The oldest major version of Node that this runs on. */
const NEEDED = 22;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  module.enableCompileCache();
  findOwnModulesDirectly();
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'check') await (await import('./check.ts')).main(rest);
  else if (command === 'recover') await (await import('./recover.ts')).main(rest);
  else if (command === 'snapshot') await (await import('./snapshot.ts')).main(rest);
  else if (command === 'rewrite-storage') await (await import('./rewrite-storage.ts')).main(rest);
  else await (await import('./serve.ts')).main(process.argv.slice(2));
} else {
  process.stderr.write(
    `cluster-apiserver: Node ${NEEDED} is needed, this is ${process.versions.node}; \`make run\` and \`npm start\` use the one that npm installs\n`,
  );
  process.exitCode = 1;
}
