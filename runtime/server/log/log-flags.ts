import { parseModuleLevels } from '../../observability/log-levels.ts';
import { FlagError } from '../flags/flag-data.ts';
import type { LogOptions } from './log.ts';
import { standardStream } from './standard-stream.ts';

const STANDARD_OUTPUT = 1;

export interface LogFlags {
  readonly v: number;
  readonly vmodule: readonly string[];
  readonly 'logging-format': LogOptions['format'];
  readonly 'log-json-split-stream': boolean;
  readonly 'log-text-split-stream': boolean;
}

/** @throws FlagError */
export function logOptions(flags: LogFlags): LogOptions {
  try {
    const format = flags['logging-format'];
    const splits = flags[`log-${format}-split-stream`];
    const otherDestination = splits ? { otherDestination: standardStream(STANDARD_OUTPUT) } : {};
    return { format, verbosity: flags.v, modules: parseModuleLevels(flags.vmodule), ...otherDestination };
  } catch (error) {
    throw new FlagError(`invalid argument ${JSON.stringify(flags.vmodule.join(','))} for "--vmodule" flag: ${(error as Error).message}`);
  }
}
