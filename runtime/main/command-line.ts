/** What commands besides serving share: flags, help, exit codes, progress. */
import { join } from 'node:path';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity } from '../contract/identity.ts';
import { type FlagData, FlagError, type FlagsData } from '../server/flags/flag-data.ts';
import { type FlagValues, parseFlags } from '../server/flags/flags.ts';
import { flagsHelp } from '../server/flags/flags-help.ts';

export const PROGRAM = 'cluster-apiserver';

/** Exit codes of a command that does not succeed. */
export const ExitCode = { failed: 1, wrongFlags: 2, damaged: 3 } as const;

export const EXIT_CODES =
  'It ends with code 0 where all is whole, 3 where something is damaged, 1 where it cannot do its work, and 2 where its flags are wrong.';

export const HELP_FLAG = {
  name: 'help',
  short: 'h',
  group: 'general',
  type: 'boolean',
  default: false,
  status: 'effective',
  help: 'Prints this text and ends.',
} as const satisfies FlagData;

export interface Command<D extends FlagsData> {
  /** the program that has the command; default `cluster-apiserver` */
  readonly program?: string;
  readonly name: string;
  /** what stands behind the flags, such as FILE; absent: nothing may */
  readonly operands?: string;
  readonly summary: string;
  readonly flags: D;
}

/**
 * Runs a command. What it throws is printed, and sets the exit code.
 * @param argv arguments after the command's name
 */
export async function runCommand<const D extends FlagsData>(
  { program = PROGRAM, name, operands, summary, flags }: Command<D>,
  argv: readonly string[],
  run: (values: FlagValues<D>, operands: readonly string[]) => Promise<number>,
): Promise<void> {
  const identity = createIdentity(identityData, 'cluster');
  const called = `${program} ${name}`;
  try {
    const parsed = parseFlags(argv, flags, identity, operands !== undefined);
    const isHelp = (parsed.values as { readonly help?: boolean }).help === true;
    if (isHelp) return void process.stdout.write(flagsHelp(called, summary, flags, identity, { operands }));
    process.exitCode = await run(parsed.values, parsed.operands);
  } catch (error) {
    process.stderr.write(`${called}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof FlagError ? ExitCode.wrongFlags : ExitCode.failed;
  }
}

/** Why a data directory may have no store. */
export const ELSEWHERE = 'a server that is given --etcd-servers keeps everything in etcd, which has commands of its own';

export const givenOrDefault = (directory: string): string => (directory === '' ? join(process.cwd(), 'data') : directory);

/** Milliseconds between lines at least, but for the last line of each thing. */
const BETWEEN_LINES = 1_000;

/** Prints on the standard error how far a command is. */
export class Progress {
  readonly #write: (line: string) => void;
  #last = performance.now();

  constructor(write = (line: string): void => void process.stderr.write(line)) {
    this.#write = write;
  }

  tell(what: string, done: number, total: number): void {
    const now = performance.now();
    if (done < total && now - this.#last < BETWEEN_LINES) return;
    this.#last = now;
    this.#write(`${what}: ${shown(done)} of ${shown(total)}\n`);
  }
}

const shown = (count: number): string => count.toLocaleString('en');

/** `1 thing`, `2 things`. */
export const counted = (count: number, thing: string, things = `${thing}s`): string => `${shown(count)} ${count === 1 ? thing : things}`;
