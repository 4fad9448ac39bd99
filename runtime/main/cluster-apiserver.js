#!/usr/bin/env node
/**
 * The entry point of the API server: it alone sees both the generated data and the runtime. It is plain JavaScript, for what is loaded
 * before the compile cache is on would have its types removed anew at each start, by a compiler of 15 MB that stays in memory.
 */
import module from 'node:module';
import v8 from 'node:v8';
import { nodeProblem } from '../assembly/setup/needed-node.js';
import { findOwnModulesDirectly } from '../assembly/setup/own-modules.js';

/** From which on V8 is known to have the flag below: it complains of one that it does not have. */
const COUNTS_CALLS = 24;
const major = Number.parseInt(process.versions.node, 10);
const problem = nodeProblem(process.versions.node);

if (problem === undefined) {
  // V8 makes objects old from their beginning where most that one place has made have outlived a collection, as all do while the young generation is
  // still small. Those of a request refer to all of it, so that whole requests stay until the old generation is collected: six times as often, and with a
  // third more processor time for each create of 64 writers. It is set before anything is compiled, for compiled code is kept by the flags that it has.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
  // A request goes once through most of the functions that it needs. V8 makes its best code of a function when that was called 3,000 times, and some time after it; until
  // then creates of 64 writers take half as much processor time again, for ten thousands of them. After 500 calls it knows well enough what a function is called with.
  if (major >= COUNTS_CALLS) v8.setFlagsFromString('--invocation-count-for-turbofan=500');
  module.enableCompileCache();
  findOwnModulesDirectly();
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'check') await (await import('./check.ts')).main(rest);
  else if (command === 'recover') await (await import('./recover.ts')).main(rest);
  else if (command === 'snapshot') await (await import('./snapshot.ts')).main(rest);
  else if (command === 'rewrite-storage') await (await import('./rewrite-storage.ts')).main(rest);
  else await (await import('./serve.ts')).main(process.argv.slice(2));
} else {
  process.stderr.write(`cluster-apiserver: ${problem}; \`make run\` and \`npm start\` use the one that npm installs\n`);
  process.exitCode = 1;
}
