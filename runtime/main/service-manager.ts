/**
 * Tells the service manager that has started this process how it is: the protocol of sd_notify(3), over the socket that NOTIFY_SOCKET names. Node cannot send to such
 * a socket. systemd's own program can, is there wherever systemd is, and takes care of all forms of addresses: it is run for each message.
 */
import { execFile } from 'node:child_process';
import type { Log } from '../observability/log.ts';

export interface ServiceManager {
  /**
   * The server begins to start. As long as what it does changes, the service manager is told so, and asked for more time: a start that hangs is not.
   * @returns hears what the start does now, for people, in one line; never twice the same of what goes on and on
   */
  starting(): (doing: string) => void;
  /** The server is ready, also behind a `reloading`. @param status for people, in one line */
  ready(status: string): void;
  /** @param status for people, in one line */
  status(status: string): void;
  /** The files of the configuration are being read again; `ready` ends it. */
  reloading(): void;
  /** The server ends. @param longest milliseconds that this may take */
  stopping(longest: number): void;
  /**
   * Says so as long as the server serves, where the service manager wants to hear it.
   * @param serves asked in the rhythm of the service manager, from `ready` to `stopping`
   */
  watchdog(serves: () => boolean): void;
  /** Resolves when all is told. */
  told(): Promise<void>;
}

const SILENT: ServiceManager = {
  starting: () => () => {},
  ready() {},
  status() {},
  reloading() {},
  stopping() {},
  watchdog() {},
  told: async () => {},
};

const PROGRAM = 'systemd-notify';
/** Milliseconds for one message: the service manager may be busy. */
const PATIENCE = 10_000;
/** Messages in the time of the watchdog: one may be late. */
const MESSAGES = 3;

/** How a start asks for time, in milliseconds. */
export interface StartPace {
  /** between two looks whether it has gone on: one that is over by then says nothing */
  readonly every: number;
  /** that it asks for, from the look on */
  readonly extension: number;
}

const START_PACE: StartPace = { every: 5_000, extension: 30_000 };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The one that the environment names. What it says is for this process alone, and is taken out of the environment: processes that this one starts are not to speak for it.
 * @param environment is changed
 */
export function serviceManager(environment: Record<string, string | undefined>, log: Log, pace = START_PACE): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: microseconds, WATCHDOG_PID: watched } = environment;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
  if (socket === undefined || socket === '') return SILENT;
  const isWatched = watched === undefined || watched === '' || Number(watched) === process.pid;
  const every = isWatched ? Number(microseconds ?? 0) / 1_000 / MESSAGES : 0;
  return new Notifier({ ...environment, NOTIFY_SOCKET: socket }, every, pace, log);
}

class Notifier implements ServiceManager {
  readonly #environment: Environment;
  /** milliseconds between two messages to the watchdog; 0: there are none */
  readonly #every: number;
  readonly #pace: StartPace;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #starting: NodeJS.Timeout | undefined;
  #watching: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(environment: Environment, every: number, pace: StartPace, log: Log) {
    this.#environment = environment;
    this.#every = Number.isFinite(every) ? every : 0;
    this.#pace = pace;
    this.#log = log;
  }

  starting(): (doing: string) => void {
    const { every, extension } = this.#pace;
    let now = '';
    let hasGoneOn = false;
    let isTelling = false;
    this.#starting = setInterval(async () => {
      // messages that wait for each other would ask for time when nothing goes on any more
      if (!hasGoneOn || isTelling) return;
      hasGoneOn = false;
      isTelling = true;
      await this.#tell(statusOf(`starts: ${now}`), extended(extension));
      isTelling = false;
    }, every).unref();
    return (doing) => {
      hasGoneOn ||= doing !== now;
      now = doing;
    };
  }

  ready(status: string): void {
    clearInterval(this.#starting);
    this.#tell('READY=1', statusOf(status));
  }

  status(status: string): void {
    this.#tell(statusOf(status));
  }

  reloading(): void {
    this.#tell('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`, statusOf('reads its files again'));
  }

  stopping(longest: number): void {
    clearInterval(this.#starting);
    clearInterval(this.#watching);
    this.#tell('STOPPING=1', statusOf('ends, and answers what it has begun'), extended(longest));
  }

  watchdog(serves: () => boolean): void {
    if (this.#every <= 0) return;
    this.#watching = setInterval(() => {
      if (serves()) this.#tell('WATCHDOG=1');
    }, this.#every).unref();
  }

  told(): Promise<void> {
    return this.#last;
  }

  /** One message behind the other. */
  #tell(...assignments: readonly string[]): Promise<void> {
    this.#last = this.#last.then(() => this.#send(assignments));
    return this.#last;
  }

  #send(assignments: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const options = { env: this.#environment, timeout: PATIENCE, killSignal: 'SIGKILL' } as const;
      execFile(PROGRAM, assignments, options, (error, _, said) => {
        if (error === null) this.#hasFailed = false;
        else this.#complain(error, said);
        resolve();
      });
    });
  }

  /** Once in a row. */
  #complain(err: Error, said: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const isMissing = (err as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? `, for there is no program ${PROGRAM} here` : '';
    this.#log.error(
      { err, ...(said !== '' && { said: said.trim() }) },
      `the service manager that NOTIFY_SOCKET names cannot be told how the server is${why}`,
    );
  }
}

const extended = (milliseconds: number): string => `EXTEND_TIMEOUT_USEC=${Math.ceil(milliseconds) * 1_000}`;
const statusOf = (text: string): string => `STATUS=${text.replaceAll('\n', ' ')}`;
