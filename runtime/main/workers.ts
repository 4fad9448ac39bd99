/**
 * Several processes behind one port (--workers). This one accepts connections, hands them out in turn, and looks after the others: one that
 * dies is replaced, one at a time has the duties of all, and each learns of what the others write.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Reading, Reread } from '../files/followed-files.ts';
import type { Log } from '../observability/log.ts';
import type { LogLevels } from '../observability/log-levels.ts';
import { bind, type Place } from '../server/listener/bind.ts';
import { accepting } from '../server/listener/listen.ts';
import { FiguresOfWorkers } from './figures-of-workers.ts';
import { Questions } from './questions.ts';
import type { AnsweringWorkers } from './service-status.ts';
import { type Order, PORT_VARIABLE, type Report, START_VARIABLE } from './worker-protocol.ts';

/** Milliseconds before a dead worker is replaced, doubled each time up to the longest; after one that lived longer than that, the first again. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;
/** Milliseconds that a worker may take to read its files again, which may need services that are slow. */
const READING = 60_000;
/** Connections that may wait for the first worker that can take them. */
const MAX_WAITING = 4_096;
/** Milliseconds after which a worker is asked for connections that it has not taken. */
const TAKING = 1_000;

export interface WorkersOptions extends Place {
  /** at least 1 */
  readonly count: number;
  readonly log: Log;
  /** of this process */
  readonly setLogLevels: (levels: Partial<LogLevels>) => void;
  /** hears what the start does, whenever that changes */
  readonly startProgress: (doing: string) => void;
}

interface Member {
  readonly process: ChildProcess;
  /** of `performance.now()` */
  readonly since: number;
  /** connections that were handed out and not taken yet: they are ours until then */
  readonly handedOut: Map<number, Socket>;
  /** was asked for these, and has not answered */
  isAsked: boolean;
  /** hears orders */
  hasStarted: boolean;
  /** has not said yet that it serves, since it was asked */
  isSilent: boolean;
}

/** V8's threads of a process, for collecting garbage and compiling, as Node has them. */
const USUAL_THREADS = 4;
const THREADS_FLAG = '--v8-pool-size';

/**
 * V8's threads of all workers are not more than the processors are: otherwise those of one worker, which are many at once, make the others wait.
 * @param flags of Node, which are kept where they, or its options in the environment, say how many threads there are
 */
export function withThreads(
  flags: readonly string[],
  workers: number,
  processors = availableParallelism(),
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv = process.env,
): string[] {
  if ([...flags, ...NODE_OPTIONS.split(/\s+/)].some((flag) => flag.replaceAll('_', '-').startsWith(THREADS_FLAG))) return [...flags];
  const threads = Math.min(USUAL_THREADS, Math.max(1, Math.floor(processors / workers)));
  return [...flags, `${THREADS_FLAG}=${threads}`];
}

export class Workers {
  readonly port: number;
  readonly #count: number;
  readonly #log: Log;
  readonly #listener: Server;
  /** what all workers of this start have in common */
  readonly #start = randomUUID();
  readonly #members = new Set<Member>();
  /** those that take connections, the next one first */
  #turns: Member[] = [];
  #waiting: Socket[] = [];
  readonly #figures = new FiguresOfWorkers<Member>((member, question) => tell(member, { order: 'count', question }));
  readonly #readings = new Questions<Member, Reread>((member, question) => tell(member, { order: 'readAgain', question }), READING);
  /** files have been read again: who was starting meanwhile may have read them before */
  #hasReread = false;
  readonly #ready = Promise.withResolvers<string>();
  #leader: Member | undefined;
  /** path of the client configuration, once a leader has its duties */
  #configuration: string | undefined;
  #changed: (workers: AnsweringWorkers) => void = () => {};
  #connections = 0;
  #asking: NodeJS.Timeout | undefined;
  /** what was set while it ran; whoever starts later follows */
  #logLevels: Partial<LogLevels> = {};
  readonly #setLogLevels: WorkersOptions['setLogLevels'];
  readonly #startProgress: WorkersOptions['startProgress'];
  #delay = FIRST_DELAY;
  #stopping = false;

  private constructor({ count, log, setLogLevels, startProgress }: WorkersOptions, listener: Server) {
    this.#count = count;
    this.#log = log;
    this.#setLogLevels = setLogLevels;
    this.#startProgress = startProgress;
    this.#listener = listener;
    this.port = (listener.address() as AddressInfo).port;
    listener.on('connection', (socket) => this.#handOut(socket));
    for (let i = 0; i < count; i++) this.#fork();
  }

  /** Listens, and starts the workers with this process's own arguments. @throws Error for an address or port that cannot be bound */
  static async start(options: WorkersOptions): Promise<Workers> {
    const listener = createServer({ ...accepting, pauseOnConnect: true });
    await bind(listener, options);
    return new Workers(options, listener);
  }

  /** Resolves with the path of the client configuration when all workers serve and one has the duties. @throws Error when one ends before that */
  get ready(): Promise<string> {
    return this.#ready.promise;
  }

  /**
   * @param changed hears when a worker has ended or takes no more connections, and when the one in its place takes them; of the workers' ends that have been
   * asked for it does not
   */
  onChange(changed: (workers: AnsweringWorkers) => void): void {
    this.#changed = changed;
  }

  #handOut(socket: Socket): void {
    const member = this.#turns.shift();
    if (member === undefined) {
      if (this.#stopping) return void socket.destroy();
      if (this.#waiting.push(socket) > MAX_WAITING) this.#waiting.shift()?.destroy();
      return;
    }
    this.#turns.push(member);
    const id = ++this.#connections;
    member.handedOut.set(id, socket);
    if (member.process.connected) member.process.send({ order: 'take', id } satisfies Order, socket, { keepOpen: true }, () => {});
    this.#askLater();
  }

  #askLater(): void {
    this.#asking ??= setTimeout(() => {
      this.#asking = undefined;
      this.#ask();
    }, TAKING).unref();
  }

  /** A connection gets lost on its way to a worker that has no file descriptor left for it, and nobody is told. What was sent behind it arrives. */
  #ask(): void {
    const late = [...this.#members].filter(({ handedOut }) => handedOut.size > 0);
    for (const member of late) {
      if (member.isAsked) continue;
      member.isAsked = true;
      tell(member, { order: 'came', upTo: this.#connections });
    }
    if (late.length > 0) this.#askLater();
  }

  /** @param upTo the last connection of those that would have come to the worker by now */
  #handOutLost(member: Member, upTo: number): void {
    member.isAsked = false;
    for (const [id, socket] of member.handedOut) {
      if (id > upTo) return;
      member.handedOut.delete(id);
      this.#handOut(socket);
    }
  }

  #fork(): void {
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, [PORT_VARIABLE]: String(this.port), [START_VARIABLE]: this.#start },
      execArgv: withThreads(process.execArgv, this.#count),
      // a signal of the terminal is for the supervisor, which tells the workers
      detached: true,
    });
    const member: Member = {
      process: child,
      since: performance.now(),
      handedOut: new Map(),
      isAsked: false,
      hasStarted: false,
      isSilent: false,
    };
    this.#members.add(member);
    child.on('message', (report: Report) => this.#hear(member, report));
    child.on('exit', (code, signal) => this.#bury(member, code, signal));
  }

  #hear(member: Member, report: Report): void {
    switch (report.report) {
      case 'starting':
        return this.#startProgress(`worker ${member.process.pid} ${report.doing}`);
      case 'started':
        return this.#welcome(member);
      case 'taken':
        // closes our end alone
        member.handedOut.get(report.id)?.destroy();
        return void member.handedOut.delete(report.id);
      case 'came':
        return this.#handOutLost(member, report.upTo);
      case 'leaving':
        this.#leave(member);
        // what it has said to have taken came before this
        for (const socket of member.handedOut.values()) this.#handOut(socket);
        return member.handedOut.clear();
      case 'askFigures':
        return this.#tellFigures(member, report.id);
      case 'resetFigures':
        this.#figures.reset();
        for (const each of this.#members) if (each !== member) tell(each, { order: 'resetFigures' });
        return;
      case 'figures':
        return this.#figures.answered(member, report.question, report.figures);
      case 'serves':
        member.isSilent = false;
        return;
      case 'reread':
        return this.#readings.answered(member, report.question, report.reread);
      case 'logLevels':
        this.#logLevels = { ...this.#logLevels, ...report.levels };
        this.#setLogLevels(report.levels);
        for (const each of this.#members) if (each !== member) tell(each, { order: 'logLevels', levels: report.levels });
        return;
      case 'leading':
        this.#configuration = report.configuration;
        for (const each of this.#members) tell(each, { order: 'serve' });
        return this.#announce();
      default:
        for (const each of this.#members) if (each !== member) tell(each, { order: 'follow', revision: report.revision });
    }
  }

  #welcome(member: Member): void {
    member.hasStarted = true;
    this.#turns.push(member);
    this.#startProgress(`${this.#turns.length} of ${this.#count} worker processes answer`);
    tell(member, { order: 'logLevels', levels: this.#logLevels });
    if (this.#hasReread) void this.#readings.of([member]);
    if (this.#leader === undefined) this.#appoint(member);
    // what needs them was there before: requests can do without a leader for a moment
    else if (this.#configuration !== undefined) tell(member, { order: 'serve' });
    for (const socket of this.#waiting.splice(0)) this.#handOut(socket);
    this.#announce();
    this.#tellChange();
  }

  #tellChange(): void {
    if (!this.#stopping) this.#changed({ answering: this.#turns.length, count: this.#count });
  }

  #tellFigures(member: Member, id: number): void {
    const others = [...this.#members].filter((each) => each !== member && this.#turns.includes(each));
    void this.#figures.of(others).then((figures) => tell(member, { order: 'figures', id, figures }));
  }

  #appoint(member: Member): void {
    this.#leader = member;
    tell(member, { order: 'lead' });
  }

  #announce(): void {
    if (this.#configuration === undefined || this.#turns.length < this.#count) return;
    this.#ready.resolve(this.#configuration);
  }

  /** It takes no more connections. When the end has been asked for nobody does once all have said so. */
  #leave(member: Member): void {
    this.#turns = this.#turns.filter((each) => each !== member);
    if (this.#stopping && this.#turns.length === 0) this.#close();
    this.#tellChange();
  }

  #close(): void {
    this.#listener.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #bury(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    this.#leave(member);
    this.#figures.forget(member);
    this.#readings.forget(member);
    // it may have written what it could not tell the others of any more: they look for themselves
    for (const each of this.#members) tell(each, { order: 'follow', revision: 0 });
    // a worker reads nothing of a connection before it has said that it took it
    for (const socket of member.handedOut.values()) {
      if (this.#stopping) socket.destroy();
      else this.#handOut(socket);
    }
    if (this.#stopping) return;
    this.#log.warn({ worker: member.process.pid, code, signal }, 'a worker ended and is replaced');
    // resolved already, but for a start that failed
    this.#ready.reject(new Error(`a worker ended before it was ready (${signal ?? `code ${code}`})`));
    if (this.#leader === member) this.#replaceLeader();
    this.#delay = performance.now() - member.since > LONGEST_DELAY ? FIRST_DELAY : Math.min(2 * this.#delay, LONGEST_DELAY);
    setTimeout(() => {
      if (!this.#stopping) this.#fork();
    }, this.#delay);
  }

  #replaceLeader(): void {
    this.#leader = undefined;
    const [next] = this.#turns;
    if (next !== undefined) this.#appoint(next);
  }

  /** Whether there are workers, and all have answered what this has asked them last; asks them anew. A worker that hangs fails those whose connections it has. */
  serves(): boolean {
    const isHeard = this.#turns.length > 0 && this.#turns.every(({ isSilent }) => !isSilent);
    for (const member of this.#turns) {
      if (member.isSilent) continue;
      member.isSilent = true;
      tell(member, { order: 'pulse' });
    }
    return isHeard;
  }

  /** Has all workers read their files again. What fails in one has failed. */
  async readAgain(): Promise<Reread> {
    this.#hasReread = true;
    const all = await this.#readings.of(this.#turns);
    const most = (reading: Reading): number => Math.max(0, ...all.map((reread) => reread[reading]));
    return { changed: most('changed'), same: most('same'), failed: most('failed') };
  }

  /** Asks all workers to end, and waits until they have. Those that still take connections get them. One that starts has nothing to end, and may read its store for long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const ended = Array.from(this.#members, ({ process: child }) => once(child, 'exit'));
    for (const member of this.#members) {
      if (member.hasStarted) tell(member, { order: 'stop' });
      else member.process.kill('SIGTERM');
    }
    await Promise.all(ended);
    this.#close();
  }
}

/** A worker that is going down gets nothing any more. */
function tell({ process: child }: Member, order: Order): void {
  if (child.connected) child.send(order, () => {});
}
