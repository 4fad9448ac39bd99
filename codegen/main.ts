/** `cluster-schema`: the maintainer's tool. */
import path from 'node:path';
import { runCommandLine } from './commands/command-line.ts';

process.exitCode = await runCommandLine(path.join(import.meta.dirname, '..'), process.argv.slice(2));
