/**
 * The server's log, as text or JSON. It goes to the standard error unless flags divide it, and has only warnings and errors unless -v or --vmodule raises that.
 * Secrets are replaced in all lines.
 */

import { type LogLevels, ModuleFilter } from '../../observability/log-levels.ts';
import { callerOf } from './log-caller.ts';
import { type LogFormat, type LogLevel, lineOf, VERBOSITY } from './log-lines.ts';
import { withoutSecrets } from './log-secrets.ts';
import { standardStream } from './standard-stream.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log whose every line has these fields too, such as the id of a request. */
  child(fields: object): Log;
  /**
   * For callers whose fields are dear to make: whether their file logs so much.
   * @param file the caller's `import.meta.url`, for those who ask often: finding out who asks takes some microseconds
   */
  isEnabled(level: LogLevel, file?: string): boolean;
  /** Why lines are not written any more; undefined while they are. Absent: whoever takes them writes them. */
  readonly problem?: (() => string | undefined) | undefined;
}

/** The log of a process, which can be made to say more, or less. */
export interface ProcessLog extends Log {
  /** Logs that were made of this one follow. What is absent stays as it is. */
  setLevels(levels: Partial<LogLevels>): void;
}

export interface LogOptions extends Partial<LogLevels> {
  readonly format: LogFormat;
  /** takes whole lines; default the standard error */
  readonly destination?: { write(line: string): void; problem?(): string | undefined };
  /** takes those that are no errors; default the same. @see standardStream */
  readonly otherDestination?: LogOptions['destination'];
}

const STANDARD_ERROR = 2;

/** What all logs of a process share. */
interface Shared {
  verbosity: number;
  /** the levels of single files; undefined if all files have the same */
  filter: ModuleFilter | undefined;
  readonly problem: Log['problem'];
  readonly write: (level: LogLevel, called: (...args: never[]) => unknown, fields: object, message: string) => void;
}

export function createLog({ format, verbosity = 0, modules = [], ...destinations }: LogOptions): ProcessLog {
  const { destination = standardStream(STANDARD_ERROR), otherDestination = destination } = destinations;
  const line = lineOf[format];
  const log = new LevelledLog(
    {
      verbosity: 0,
      filter: undefined,
      problem: destination.problem && (() => destination.problem?.() ?? otherDestination.problem?.()),
      write(level, called, fields, message) {
        const shown = withoutSecrets(fields) as Record<string, unknown>;
        (level === 'error' ? destination : otherDestination).write(
          line({ level, time: new Date(), caller: callerOf(called), message: withoutSecrets(message) as string, fields: shown }),
        );
      },
    },
    {},
  );
  log.setLevels({ verbosity, modules });
  return log;
}

class LevelledLog implements ProcessLog {
  readonly #shared: Shared;
  readonly #fields: object;

  constructor(shared: Shared, fields: object) {
    this.#shared = shared;
    this.#fields = fields;
  }

  debug = (fields: object, message: string): void => this.#write('debug', this.debug, fields, message);
  info = (fields: object, message: string): void => this.#write('info', this.info, fields, message);
  warn = (fields: object, message: string): void => this.#write('warn', this.warn, fields, message);
  error = (fields: object, message: string): void => this.#write('error', this.error, fields, message);

  get problem(): Log['problem'] {
    return this.#shared.problem;
  }

  child(fields: object): Log {
    return new LevelledLog(this.#shared, { ...this.#fields, ...fields });
  }

  isEnabled = (level: LogLevel, file?: string): boolean => this.#isEnabled(level, this.isEnabled, file);

  setLevels({ verbosity, modules }: Partial<LogLevels>): void {
    if (verbosity !== undefined) this.#shared.verbosity = verbosity;
    if (modules !== undefined) this.#shared.filter = modules.length === 0 ? undefined : new ModuleFilter(modules);
  }

  #isEnabled(level: LogLevel, called: (...args: never[]) => unknown, file?: string): boolean {
    const { verbosity, filter } = this.#shared;
    const needed = VERBOSITY[level];
    return needed <= verbosity || (filter !== undefined && needed <= filter.of(file ?? callerOf(called).file));
  }

  #write(level: LogLevel, called: (...args: never[]) => unknown, fields: object, message: string): void {
    if (this.#isEnabled(level, called)) this.#shared.write(level, called, { ...this.#fields, ...fields }, message);
  }
}
