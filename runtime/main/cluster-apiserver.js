#!/usr/bin/env node
/**
 * The entry point of the API server: it alone sees both the generated data and the runtime. It is plain JavaScript, for what is loaded
 * before the compile cache is on would have its types removed anew at each start, by a compiler of 15 MB that stays in memory.
 */
import module from 'node:module';
import v8 from 'node:v8';
import { findOwnModulesDirectly } from '../assembly/own-modules.js';

/** The oldest major version of Node that this runs on. */
const NEEDED = 22;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  // V8 makes objects old from their beginning where most that one place has made have outlived a collection, as all do while the young generation is
  // still small. Those of a request refer to all of it, so that whole requests stay until the old generation is collected: six times as often, and with a
  // third more processor time for each create of 64 writers. It is set before anything is compiled, for compiled code is kept by the flags that it has.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
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
