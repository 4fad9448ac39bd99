import { parseModuleLevels } from '../observability/log-levels.ts';
import { FlagError } from './flag-data.ts';
import type { LogOptions } from './log.ts';

export interface LogFlags {
  readonly v: number;
  readonly vmodule: readonly string[];
  readonly 'logging-format': LogOptions['format'];
}

/** @throws FlagError */
export function logOptions({ v: verbosity, vmodule, 'logging-format': format }: LogFlags): LogOptions {
  try {
    return { format, verbosity, modules: parseModuleLevels(vmodule) };
  } catch (error) {
    throw new FlagError(`invalid argument ${JSON.stringify(vmodule.join(','))} for "--vmodule" flag: ${(error as Error).message}`);
  }
}
