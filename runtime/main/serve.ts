/** From flags to a server that is ready, in one process or in several, and down again. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { flagsData } from '../../generated/flags.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { currentRelease } from '../../generated/releases.ts';
import type { Serving, startServing } from '../assembly/serving.ts';
import { describedGates } from '../assembly/setup/chosen-gates.ts';
import { isInEtcd } from '../assembly/setup/etcd-flags.ts';
import type { Flags } from '../assembly/setup/flags.ts';
import { dataDirectory, prepareFiles } from '../assembly/setup/server-credentials.ts';
import type { Setup } from '../assembly/setup/setup.ts';
import { fileWarnings, startWarnings } from '../assembly/start-warnings.ts';
import { removeLeftFiles } from '../assembly/store/left-files.ts';
import { explainStart, tryFolderStore } from '../assembly/store/store-folder.ts';
import { createIdentity } from '../contract/identity.ts';
import { FollowedFiles, type Reread } from '../files/followed-files.ts';
import type { LogLevels } from '../observability/log-levels.ts';
import { serverAddress } from '../server/certificates/client-configuration.ts';
import type { LockNews } from '../server/directory-lock.ts';
import { FlagError } from '../server/flags/flag-data.ts';
import { parseFlags } from '../server/flags/flags.ts';
import { flagsHelp } from '../server/flags/flags-help.ts';
import { createLog, type ProcessLog } from '../server/log/log.ts';
import { logOptions } from '../server/log/log-flags.ts';
import { PROGRAM_VERSION } from '../server/program-version.ts';
import { StorageEnded } from '../storage/errors.ts';
import type { ServedStorage } from '../storage/storage.ts';
import { writeAdministratorsConfiguration } from './administrators-configuration.ts';
import { keepDebuggerOff } from './debugger-off.ts';
import { type ServiceManager, serviceManager } from './service-manager.ts';
import { type AnsweringWorkers, ServiceStatus } from './service-status.ts';
import { PORT_VARIABLE, START_VARIABLE } from './worker-protocol.ts';

const PROGRAM = 'cluster-apiserver';
/** set in a worker */
const workerPort = process.env[PORT_VARIABLE];

/** Exit codes: 0 after a clean end, 1 for anything that stops a start, 2 for flags that are wrong. */
export async function main(argv: readonly string[]): Promise<void> {
  let setup: Omit<Setup, 'log'>;
  let log: ProcessLog;
  try {
    // which one it is depends on no default that they differ in
    const { values } = parseFlags(argv, flagsData, createIdentity(identityData, 'cluster'));
    const identity = createIdentity(identityData, values.dialect);
    setup = { identity, parsed: parseFlags(argv, flagsData, identity), followedFiles: new FollowedFiles() };
    log = createLog(logOptions(setup.parsed.values));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${PROGRAM}: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { parsed } = setup;
  if (parsed.values.version) return void process.stdout.write(`${PROGRAM} ${PROGRAM_VERSION} (release ${currentRelease})\n`);
  try {
    if (parsed.values.help) return printHelp(setup);
    await serve({
      ...setup,
      log,
      setLogLevels: (levels) => log.setLevels(levels),
      giveBackMemory: () => void giveBackMemory(log),
      fail: endAtOnce,
    });
  } catch (error) {
    process.stderr.write(`${PROGRAM}: ${error instanceof Error ? error.message : String(error)}\n`);
    log.debug({ err: error }, 'the start failed');
    process.exitCode = 1;
    process.disconnect?.();
  }
}

async function giveBackMemory(log: ProcessLog): Promise<void> {
  const { giveBackFreedMemory } = await import('./freed-memory.ts');
  if (await giveBackFreedMemory()) log.debug({}, 'memory that was freed has gone back to the system');
}

const SUMMARY =
  'Serves the API of a cluster. Other commands, each with a --help of its own: check and recover (a store that may be damaged), snapshot (backups), ' +
  'rewrite-storage (behind a change of keys or of stored versions).';

/** @throws Error for a release that nobody knows */
function printHelp({ identity, parsed: { values } }: Omit<Setup, 'log'>): void {
  const options = { 'feature-gates': describedGates(values) };
  process.stdout.write(flagsHelp(PROGRAM, SUMMARY, flagsData, identity, { options }));
}

/** What `main` has made. */
type OwnSetup = Setup & Required<Pick<Setup, 'setLogLevels'>>;
/** With who hears of the start. */
type StartedSetup = OwnSetup & Required<Pick<Setup, 'startProgress'>>;

async function serve(given: OwnSetup): Promise<void> {
  endOnFaults(given.log);
  keepDebuggerOff(given.log);
  const manager = serviceManager(process.env, given.log);
  // a full disk, or a reader that has gone, is no reason to end
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (workerPort !== undefined) return serveAsWorker(given, Number(workerPort));
  const setup = { ...given, startProgress: manager.starting() };
  const { keepLocked, lockDirectory } = await import('../server/directory-lock.ts');
  const directory = dataDirectory(setup.parsed.values);
  lockDirectory(directory);
  keepLocked(directory, lockNews(setup.log));
  removeLeftFiles(directory);
  if (!isInEtcd(setup.parsed.values)) await tryFolderStore(directory, setup.identity.dialect, setup.startProgress);
  const warnings = [...startWarnings(setup.parsed), ...fileWarnings(setup.parsed.values, directory)];
  for (const warning of warnings) setup.log.warn({}, warning);
  await (setup.parsed.values.workers === 1 ? serveAlone(setup, manager) : serveWithWorkers(setup, manager));
}

const lockNews = (log: Setup['log']): LockNews => ({
  retaken: () => log.warn({}, 'the lock of the data directory was removed while it was held; it is made again'),
  lost(reason) {
    log.error({ reason: reason.message }, 'the lock of the data directory was removed, and another server has begun: this one ends');
    process.kill(process.pid, 'SIGTERM');
  },
});

/** A process that serves, and where the administrator finds how to reach it. */
interface OwnServing extends Serving {
  readonly storage: ServedStorage;
  /** takes the duties of all processes. @returns path of the client configuration */
  announceable(): Promise<string>;
}

/** What is served with is loaded while what the data directory needs is read. */
async function startHere(setup: StartedSetup, connection: Parameters<typeof startServing>[3]): Promise<OwnServing> {
  setup.startProgress('loads what it serves with');
  const [credentials, { startServing }, { openStore }] = await Promise.all([
    prepareFiles(setup.parsed.values, setup.identity),
    import('../assembly/serving.ts'),
    import('../assembly/store/store.ts'),
  ]);
  const { directory } = credentials;
  const explained = <T>(started: Promise<T>): Promise<T> =>
    started.catch((error) => Promise.reject(explainStart(error, directory, isInEtcd(setup.parsed.values))));
  setup.startProgress('opens the store');
  const { storage, ...ofStore } = await openStore(directory, setup);
  setup.startProgress('reads what it serves');
  const administrators = (): string =>
    writeAdministratorsConfiguration({ directory, certificates: serving.certificates() }, setup.identity, serving.url, setup.log);
  const serving = await explained(
    startServing(storage, { ...setup, ...ofStore, certificatesRenewed: administrators }, credentials, connection),
  );
  return {
    ...serving,
    storage,
    async announceable() {
      await explained(serving.lead());
      return resolve(administrators());
    },
  };
}

/** What the program runs, in one process or in several. */
interface Running {
  /** asked again and again: whether requests are answered */
  serves(): boolean;
  /** Reads again whatever may have changed. */
  readAgain(): Promise<Reread>;
  /** @param changed hears how many of its processes answer; absent where there is one alone */
  onChange?(changed: (workers: AnsweringWorkers) => void): void;
  stop(): Promise<void>;
}

async function serveAlone(setup: StartedSetup, manager: ServiceManager): Promise<void> {
  const serving = await startHere(setup, { port: setup.parsed.values['secure-port'] });
  // whoever asks is on the thread that serves
  const running: Running = { serves: () => true, readAgain: () => setup.followedFiles.readAgain(), stop: () => serving.stop() };
  await announce(running, setup, manager, async () => ({ url: serving.url, configuration: await serving.announceable() }));
}

async function serveWithWorkers(setup: StartedSetup, manager: ServiceManager): Promise<void> {
  const { workers: count, 'bind-address': address, 'secure-port': port, 'permit-port-sharing': sharesPort } = setup.parsed.values;
  const { log, setLogLevels, startProgress } = setup;
  const { Workers } = await import('./workers.ts');
  await prepareFiles(setup.parsed.values, setup.identity);
  const workers = await Workers.start({ count, address, port, sharesPort, log, setLogLevels, startProgress });
  await announce(workers, setup, manager, async () => ({ url: serverAddress(address, workers.port), configuration: await workers.ready }));
}

/** Says that the server is ready once it is; ends what runs when it does not come to that. */
async function announce(
  running: Running,
  setup: Setup,
  manager: ServiceManager,
  ready: () => Promise<{ url: string; configuration: string }>,
): Promise<void> {
  try {
    const { url, configuration } = await ready();
    // Whoever reads the announcement may ask for the end at once.
    const end = endOnSignals(running, setup, manager);
    const status = new ServiceStatus(manager, url);
    running.onChange?.((workers) => status.workers(workers));
    readAgainOnSignal(running, setup, status, end);
    manager.watchdog(() => running.serves());
    process.stdout.write(`${PROGRAM} is ready at ${url}\nclient configuration: ${configuration}\n`);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

function startOfServer(): Pick<Setup, 'startId'> {
  const startId = process.env[START_VARIABLE];
  return startId === undefined ? {} : { startId };
}

async function serveAsWorker(setup: OwnSetup, port: number): Promise<void> {
  endWithSupervisor(setup.log);
  const connections = new EventEmitter<{ connection: [Socket] }>();
  const [{ joinWorkers, tell }, { FiguresOfOthers }] = await Promise.all([import('./worker.ts'), import('./other-figures.ts')]);
  const others = new FiguresOfOthers(tell);
  const setLogLevels = (levels: Partial<LogLevels>): void => {
    setup.setLogLevels(levels);
    tell({ report: 'logLevels', levels });
  };
  let leave = () => {};
  const handedOver = (take: (connection: Socket) => void) => void connections.on('connection', take);
  const serving = await startHere(
    { ...setup, ...startOfServer(), otherFigures: others, setLogLevels, startProgress: (doing) => tell({ report: 'starting', doing }) },
    { port, handedOver, leaving: () => leave() },
  );
  const end = endOnSignals(serving, setup);
  // the supervisor hears it for all
  process.on('SIGHUP', () => {});
  leave = joinWorkers({
    storage: serving.storage,
    lead: serving.announceable,
    serve: () => serving.led(),
    figures: () => serving.figures(),
    resetFigures: () => serving.resetFigures(),
    others,
    setLogLevels: setup.setLogLevels,
    readAgain: () => setup.followedFiles.readAgain(),
    take: (connection) => void connections.emit('connection', connection),
    stop: () => end('order'),
    fail(error) {
      setup.log.error({ err: error }, 'the duties of all workers could not be taken');
      end('failure');
    },
  });
}

/** The lock of the data directory ends with the supervisor: another server may have the directory then, also while this process still starts. */
function endWithSupervisor(log: Setup['log']): void {
  const abandon = (): void => {
    // a start that has failed disconnects by itself, and ends by its code
    if (process.exitCode !== undefined) return;
    log.warn({}, 'the supervisor has ended');
    endAtOnce();
  };
  process.on('disconnect', abandon);
  if (!process.connected) abandon();
}

/** @returns what ends this process; when it is asked for a second time, at once */
function endOnSignals(running: Pick<Running, 'stop'>, { log, parsed }: Setup, manager?: ServiceManager): (why: string) => void {
  let ending = false;
  const end = (why: string): void => {
    if (ending) endAtOnce();
    ending = true;
    log.info({ why }, 'ending');
    manager?.stopping(longestEnd(parsed.values));
    running.stop().then(
      async () => {
        await manager?.told();
        process.exit(0);
      },
      (error) => {
        log.error({ err: error }, 'the end was not clean');
        endAtOnce();
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  return end;
}

/** Milliseconds that a server's end takes at most: what flags give it, and as much again as lasting connections have, with some for the rest. */
function longestEnd(flags: Flags): number {
  const { 'shutdown-delay-duration': delay, 'request-timeout': requests, 'shutdown-watch-termination-grace-period': watches } = flags;
  return delay + 2 * requests + watches + 30_000;
}

/** The end of a terminal ends who belongs to it. From elsewhere SIGHUP asks for files to be read again, one time after the other. */
function readAgainOnSignal(running: Running, { log }: Setup, status: ServiceStatus, end: (why: string) => void): void {
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    status.reading();
    const reread = await running.readAgain();
    log.info(reread, 'files have been read again');
    status.read(reread);
  };
  process.on('SIGHUP', () => {
    if (isatty(0)) return end('SIGHUP');
    reading = reading.then(read).catch((error) => log.error({ err: error }, 'files could not be read again'));
  });
}

/** What nobody caught ends the process: nothing is known of its state any more. */
function endOnFaults(log: Setup['log']): void {
  process.on('uncaughtException', (error) => {
    // the store is about to tell why, and to end the process
    if (error instanceof StorageEnded) return void setTimeout(endAtOnce, 1_000);
    try {
      log.error({ err: error }, 'uncaught');
    } finally {
      endAtOnce();
    }
  });
}

/** As a crash would: `process.exit` waits for a write under way, which waits for this thread and keeps all others from writing. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}
