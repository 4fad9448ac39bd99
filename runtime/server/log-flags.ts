import { parseModuleLevels } from '../observability/log-levels.ts';
import { FlagError } from './flag-data.ts';
import type { LogOptions } from './log.ts';

export interface LogFlags {
  readonly v: number;
  readonly vmodule: readonly string[];
  readonly 'logging-format': LogOptions['format'];
}

/** @throws FlagError */
export function logOptions(flags: LogFlags): LogOptions {
  try {
    return { format: flags['logging-format'], verbosity: flags.v, modules: parseModuleLevels(flags.vmodule) };
  } catch (error) {
    throw new FlagError(`invalid argument ${JSON.stringify(flags.vmodule.join(','))} for "--vmodule" flag: ${(error as Error).message}`);
  }
}
