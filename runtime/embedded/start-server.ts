/**
 * Servers inside of another program, such as a test: any number of them in one process, which they leave as it is. They hear no signals, end no process,
 * and do not keep one from ending once they are stopped.
 *
 *   const server = await startServer();
 *   await server.client.request('POST', '/api/v1/namespaces', { metadata: { name: 'one' } });
 *   await server.stop();
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { flagsData } from '../../generated/flags.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { startServing } from '../assembly/serving.ts';
import { Endings } from '../assembly/setup/endings.ts';
import { nodeProblem } from '../assembly/setup/needed-node.js';
import type { Setup } from '../assembly/setup/setup.ts';
import { startWarnings } from '../assembly/start-warnings.ts';
import { createIdentity, type Dialect, type Identity } from '../contract/identity.ts';
import { FollowedFiles } from '../files/followed-files.ts';
import { parseFlags } from '../server/flags/flags.ts';
import { createLog } from '../server/log/log.ts';
import { logOptions } from '../server/log/log-flags.ts';
import { MemoryStorage } from '../storage/memory/memory-storage.ts';
import { Client } from './client.ts';
import type { ClientConfig } from './client-config.ts';
import { latestClientConfig } from './latest-client-config.ts';
import { FORK_OPTIONS, optionProblem } from './option-problem.ts';
import { commandLine, type ServerFlags } from './server-flags.ts';
import { type OpenedStore, openFolder, openMemory } from './server-store.ts';
import type { StoreOption } from './store-option.ts';

export { ApiError } from '../client/objects/api-error.ts';
export type { Client } from './client.ts';
export type { ClientConfig, Dialect, ServerFlags, StoreOption };

export interface ServerOptions {
  /** names that the API uses for itself; default `cluster` */
  readonly dialect?: Dialect;
  /** default `memory` */
  readonly store?: StoreOption;
  /** on which it listens; default 0, which takes a free one */
  readonly port?: number;
  /** as on the command line of the program, such as `{ 'feature-gates': { AllAlpha: true }, controllers: ['*', '-garbage-collector-controller'] }` */
  readonly flags?: ServerFlags;
  /**
   * Custom resource definitions, as objects, that an aggregated server (the flag `delegated-authentication`) serves besides those of files. They are not stored.
   */
  readonly definitions?: readonly object[];
  /**
   * Takes the lines of the log, each a record as JSON unless the flag `logging-format` is given, line end included; false: nobody does. Default: the standard error.
   * The flags `v` and `vmodule` say how much is written: warnings and errors by default.
   */
  readonly log?: { write(line: string): void } | false;
}

export interface EmbeddedServer extends AsyncDisposable {
  readonly dialect: Dialect;
  /** such as https://127.0.0.1:41234 */
  readonly url: string;
  /** as it is now: the server renews the certificate within two months of its end, which is a year after it was made, and asking again gives the new one */
  readonly clientConfig: ClientConfig;
  /** requests with the rights of the administrator */
  readonly client: Client;
  /**
   * Starts another server with the same flags, over a copy of all that this one has stored: its objects, their uids and resourceVersions. From then on
   * neither sees what the other does. Writes under way are not in it. The copy of a server in memory has no history: a watch begins at the present.
   * @param options what is not as here: the port, which is free again by default, the log, and of a server over a folder the folder of the copy
   * @throws Error where this server is stopped, for the folder of a server in memory, and for a folder that has a store or cannot be used
   */
  fork(options?: Pick<ServerOptions, 'log' | 'port' | 'store'>): Promise<EmbeddedServer>;
  /**
   * Waits for requests under way, ten seconds at most, and resolves when nothing of the server is left: no listener, connection, timer or file that it has
   * open, nor what it has kept in memory. Calling it again gives the same promise.
   */
  stop(): Promise<void>;
}

/**
 * Resolves when the server is ready: what every cluster has is there from the first request on, and its controllers are about to run.
 * @throws Error, for flags that are wrong, for a port that is taken, and for a folder that cannot be used or that another server has
 */
export async function startServer(options: ServerOptions = {}): Promise<EmbeddedServer> {
  const problem = nodeProblem(process.versions.node) ?? optionProblem(options);
  if (problem !== undefined) throw new Error(problem);
  const { dialect = 'cluster', store = 'memory', port = 0 } = options;
  const setup = setupOf(identityOf(dialect), options);
  if (store === 'memory' && setup.parsed.given.has(ENCRYPTION)) setup.log.warn({}, `--${ENCRYPTION} has no effect on a server in memory`);
  return start(setup, port, (endings) => (store === 'memory' ? openMemory(setup) : openFolder(store.directory, setup, endings)));
}

/** What is kept in memory is not encrypted: the file is not read. */
const ENCRYPTION = 'encryption-provider-config';
/** What errors call the flags whose places options take. */
const LISTEN_FLAGS = { address: '--bind-address', port: 'the option `port`' };

async function start(setup: Setup, port: number, open: (endings: Endings) => Promise<OpenedStore>): Promise<EmbeddedServer> {
  const endings = new Endings();
  // what is left to a turn of its own, such as news of the last writes, has had it by then
  endings.add(() => nextTurn());
  try {
    const store = await open(endings);
    // its connections end behind the server, which lets answers that are under way end
    let client: Client | undefined;
    endings.add(() => client?.close());
    const { storage, credentials, prepared } = store;
    const administratorToken = randomBytes(24).toString('base64url');
    const serving = await startServing(
      storage,
      { ...setup, prepared, alone: storage instanceof MemoryStorage, administratorToken },
      credentials,
      { port, flags: LISTEN_FLAGS },
    );
    endings.add(() => serving.stop(0));
    await serving.lead();
    const place = { name: setup.identity.names.defaultService as string, server: serving.url, token: administratorToken };
    const clientConfig = latestClientConfig(place, serving.certificates);
    client = new Client(clientConfig());
    store.keep?.();
    return running(setup, store, clientConfig, client, endings);
  } catch (error) {
    await endings.run();
    throw error;
  }
}

function running(setup: Setup, store: OpenedStore, latest: () => ClientConfig, client: Client, endings: Endings): EmbeddedServer {
  // whoever keeps a server that is stopped does not keep what it stored
  let stored: OpenedStore | undefined = store;
  let config = latest;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    const last = config();
    config = () => last;
    stored = undefined;
    stopped ??= endings.run();
    return stopped;
  };
  const fork: EmbeddedServer['fork'] = async (options = {}) => {
    if (stored === undefined) throw new Error('the server is stopped');
    const problem = optionProblem(options, FORK_OPTIONS);
    if (problem !== undefined) throw new Error(problem);
    const { port = 0, log, store: place } = options;
    const origin = stored;
    const forkSetup = log === undefined ? setup : { ...setup, log: logOf(setup.parsed, log) };
    return start(forkSetup, port, (forkEndings) => origin.fork(place, forkSetup, forkEndings));
  };
  return {
    dialect: setup.identity.dialect,
    url: latest().server,
    get clientConfig() {
      return config();
    },
    client,
    fork,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** One of each dialect for all servers: what is compiled of schemas is kept by it. */
const identities = new Map<Dialect, Identity>();

function identityOf(dialect: Dialect): Identity {
  let identity = identities.get(dialect);
  if (identity === undefined) {
    identity = createIdentity(identityData, dialect);
    identities.set(dialect, identity);
  }
  return identity;
}

/** @throws FlagError */
function setupOf(identity: Identity, { flags = {}, log: destination, definitions }: ServerOptions): Setup {
  const parsed = parseFlags([`--dialect=${identity.dialect}`, ...commandLine(flags)], flagsData, identity);
  const log = logOf(parsed, destination);
  for (const warning of startWarnings(parsed)) log.warn({}, warning);
  return { parsed, identity, log, followedFiles: new FollowedFiles(), ...(definitions && { definitions }) };
}

/** @throws FlagError */
function logOf({ values, given }: Setup['parsed'], destination: ServerOptions['log']): Setup['log'] {
  const options = logOptions(values);
  // what takes the lines is a program
  const format = given.has('logging-format') ? options.format : 'json';
  if (destination === undefined) return createLog({ ...options, format });
  const taker = destination || SILENCE;
  return createLog({ ...options, format, destination: taker, otherDestination: taker });
}

const SILENCE = { write() {} };
