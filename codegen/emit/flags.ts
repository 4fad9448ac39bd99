/** Writes `flags.ts` and `node-agent-flags.ts`: the flags of the programs as data, so that a start reads no YAML. */
import { FLAGS_FILE, NODE_AGENT_FLAGS_FILE, readFlags } from '../read/flags-file.ts';
import { formProblem } from '../read/table-file.ts';
import { header, literal, propertyName, quote, render } from './typescript.ts';

/** A table of flags, and what the module for it is called. */
export interface FlagsTable {
  /** Path of the table from the root of the tree. */
  readonly file: string;
  readonly constant: string;
  readonly program: string;
}

export const SERVER_FLAGS: FlagsTable = { file: FLAGS_FILE, constant: 'flagsData', program: 'server' };
export const NODE_AGENT_FLAGS: FlagsTable = { file: NODE_AGENT_FLAGS_FILE, constant: 'nodeAgentFlagsData', program: 'node agent' };

/**
 * @param yaml the text of the table
 * @returns the source of a module that exports the flags, in the order of the file
 * @throws Error that lists everything that is wrong with the file
 */
export function emitFlags(yaml: string, { file: name, constant, program }: FlagsTable = SERVER_FLAGS): string {
  const file = readFlags(yaml);
  if ('problems' in file) throw formProblem(name, file);
  return render('flags.ts.hbs', {
    header: header(name),
    constant,
    program,
    groups: Object.entries(file.groups).map(([name, title]) => `${propertyName(name)}: ${quote(title)}`),
    flags: file.flags.map((row) => literal({ ...row, help: row.help.trim().replace(/\s+/g, ' ') })),
  });
}
