#!/usr/bin/env node
/** The entry point of the node agent. It is plain JavaScript for the reason of `cluster-apiserver.js`. */
import module from 'node:module';
import { nodeProblem } from '../assembly/setup/needed-node.js';
import { findOwnModulesDirectly } from '../assembly/setup/own-modules.js';

const problem = nodeProblem(process.versions.node);

if (problem === undefined) {
  module.enableCompileCache();
  findOwnModulesDirectly();
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'check-profile') await (await import('./check-profile.ts')).main(rest);
  else if (command === 'explain-pod') await (await import('./explain-pod.ts')).main(rest);
  else if (command === 'invite') await (await import('./invite-node.ts')).main(rest);
  else await (await import('./node-agent.ts')).main(process.argv.slice(2));
} else {
  process.stderr.write(`cluster-node-agent: ${problem}\n`);
  process.exitCode = 1;
}
