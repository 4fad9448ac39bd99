#!/usr/bin/env node
/** The entry point of the node agent. It is plain JavaScript for the reason of `cluster-apiserver.js`. */
import module from 'node:module';
import { findOwnModulesDirectly } from '../assembly/setup/own-modules.js';

/** The oldest major version of Node that this runs on. */
const NEEDED = 22;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  module.enableCompileCache();
  findOwnModulesDirectly();
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'check-profile') await (await import('./check-profile.ts')).main(rest);
  else if (command === 'explain-pod') await (await import('./explain-pod.ts')).main(rest);
  else if (command === 'invite') await (await import('./invite-node.ts')).main(rest);
  else await (await import('./node-agent.ts')).main(process.argv.slice(2));
} else {
  process.stderr.write(`cluster-node-agent: Node ${NEEDED} is needed, this is ${process.versions.node}\n`);
  process.exitCode = 1;
}
