/** The program `cluster-schema`, the tool for those who maintain the schemas. */
import path from 'node:path';
import { runCommandLine } from './commands/command-line.ts';

process.exitCode = await runCommandLine(path.join(import.meta.dirname, '..'), process.argv.slice(2));
