/** The server's log: JSON lines on the standard error, quiet unless -v raises it, never with a secret in it. */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import { withoutSecrets } from './log-secrets.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log whose every line has these fields too, such as the id of a request. */
  child(fields: object): Log;
  /** For callers whose fields are dear to make. */
  isEnabled(level: LogLevel): boolean;
}

/** The log of a process, which can be made to say more, or less. */
export interface ProcessLog extends Log {
  /** As the flag -v says it; logs that were made of this one follow. */
  setVerbosity(verbosity: number): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  /** of the flag -v: 0 has warnings and errors, from 1 on what the server does, from 3 on every request and what is for developers */
  readonly verbosity: number;
  /** takes whole lines; default the standard error */
  readonly destination?: { write(line: string): void };
}

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createLog(options: LogOptions): ProcessLog {
  return new LazyLog({ level: levelOf(options.verbosity) }, () => openLogger(options));
}

/** Of all logs of a process. */
interface Threshold {
  level: LogLevel;
}

function levelOf(verbosity: number): LogLevel {
  return verbosity >= 3 ? 'debug' : verbosity >= 1 ? 'info' : 'warn';
}

/** Loads its library with the first line that is written: most starts write none, and are 10 ms shorter without it (measured). */
class LazyLog implements ProcessLog {
  readonly #threshold: Threshold;
  readonly #open: () => Logger;
  #logger: Logger | undefined;

  constructor(threshold: Threshold, open: () => Logger) {
    this.#threshold = threshold;
    this.#open = open;
  }

  debug = (fields: object, message: string): void => this.#write('debug', fields, message);
  info = (fields: object, message: string): void => this.#write('info', fields, message);
  warn = (fields: object, message: string): void => this.#write('warn', fields, message);
  error = (fields: object, message: string): void => this.#write('error', fields, message);

  child(fields: object): Log {
    return new LazyLog(this.#threshold, () => this.#opened().child(withoutSecrets(fields) as object));
  }

  isEnabled(level: LogLevel): boolean {
    return SEVERITY[level] >= SEVERITY[this.#threshold.level];
  }

  setVerbosity(verbosity: number): void {
    this.#threshold.level = levelOf(verbosity);
  }

  #write(level: LogLevel, fields: object, message: string): void {
    if (this.isEnabled(level)) this.#opened()[level](withoutSecrets(fields), withoutSecrets(message) as string);
  }

  #opened(): Logger {
    this.#logger ??= this.#open();
    return this.#logger;
  }
}

const require = createRequire(import.meta.url);

/** Lines of the server's log that wait for room at most, in bytes; behind them lines are lost. */
const MOST_WAITING = 64 * 1024;

/** What cannot be written, as on a full disk, is tried again: no server ends for its log. */
function standardError(): { write(line: string): void } {
  let waiting = '';
  let again: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(again);
    waiting = unwritten(waiting);
    if (waiting !== '') again = setTimeout(flush, AGAIN).unref();
  };
  return {
    write(line) {
      if (waiting.length + line.length <= MOST_WAITING) waiting += line;
      flush();
    },
  };
}

/** Milliseconds until lines that could not be written are tried again. */
const AGAIN = 1_000;

/** Writes to the standard error at once. @returns what is left where that fails */
function unwritten(text: string): string {
  let left = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(2, left));
    } catch (error) {
      // a pipe whose reader is slow: its lines are waited for, as the system does for a file
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') Atomics.wait(PAUSE, 0, 0, 1);
      else return left.toString();
    }
  }
  return '';
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

function openLogger({ destination }: LogOptions): Logger {
  const { pino } = require('pino') as typeof import('pino');
  return pino(
    {
      // what is too little is not handed to it
      level: 'debug',
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      // errors are plain objects by then
      serializers: { err: (error) => error },
    },
    // written at once, so that the last line before a crash is there
    destination ?? standardError(),
  );
}
