/**
 * Servers inside of another program, such as a test: any number of them in one process, which they leave as it is. They hear no signals, end no process,
 * and do not keep one from ending once they are stopped.
 *
 *   const server = await startServer();
 *   await server.client.request('POST', '/api/v1/namespaces', { metadata: { name: 'one' } });
 *   await server.stop();
 */
import { randomBytes } from 'node:crypto';
import { flagsData } from '../../generated/flags.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { Endings } from '../assembly/endings.ts';
import { startServing } from '../assembly/serving.ts';
import type { Setup } from '../assembly/setup.ts';
import { createIdentity, type Dialect, type Identity } from '../contract/identity.ts';
import { parseFlags } from '../server/flags.ts';
import { createLog } from '../server/log.ts';
import { Client } from './client.ts';
import { type ClientConfig, clientConfigOf } from './client-config.ts';
import { commandLine, type ServerFlags } from './server-flags.ts';
import { openStore } from './server-store.ts';
import type { StoreOption } from './store-option.ts';

export { ApiError, type Client } from './client.ts';
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
   * Takes the lines of the log, each a record as JSON, line end included; false: nobody does. Default: the standard error. The flag `v` says how
   * much is written: warnings and errors by default.
   */
  readonly log?: { write(line: string): void } | false;
}

export interface EmbeddedServer extends AsyncDisposable {
  readonly dialect: Dialect;
  /** such as https://127.0.0.1:41234 */
  readonly url: string;
  readonly clientConfig: ClientConfig;
  /** requests with the rights of the administrator */
  readonly client: Client;
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
  const { dialect = 'cluster', store = 'memory', port = 0 } = options;
  const endings = new Endings();
  try {
    const token = randomBytes(24).toString('base64url');
    const setup = setupOf(identityOf(dialect), options, token);
    const { storage, credentials } = await openStore(store, setup, endings);
    // its connections end behind the server, which lets answers that are under way end
    let client: Client | undefined;
    endings.add(() => client?.close());
    const serving = await startServing(storage, setup, credentials, { port });
    endings.add(() => serving.stop());
    await serving.lead();
    const { authority, administrator } = credentials.certificates;
    const clientConfig = clientConfigOf(
      {
        server: serving.url,
        certificateAuthority: authority,
        clientCertificate: administrator.certificate,
        clientKey: administrator.key,
        token,
      },
      setup.identity.names.defaultService as string,
    );
    client = new Client(clientConfig);
    return embedded(dialect, clientConfig, client, endings);
  } catch (error) {
    await endings.run();
    throw error;
  }
}

function embedded(dialect: Dialect, clientConfig: ClientConfig, client: Client, endings: Endings): EmbeddedServer {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= endings.run();
    return stopped;
  };
  return { dialect, url: clientConfig.server, clientConfig, client, stop, [Symbol.asyncDispose]: stop };
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
function setupOf(identity: Identity, { flags = {}, log: destination }: ServerOptions, administratorToken: string): Setup {
  const parsed = parseFlags([`--dialect=${identity.dialect}`, ...commandLine(flags)], flagsData, identity);
  const log = createLog({ verbosity: parsed.values.v, ...(destination !== undefined && { destination: destination || SILENCE }) });
  for (const warning of parsed.warnings) log.warn({}, warning);
  return { parsed, identity, log, administratorToken };
}

const SILENCE = { write() {} };
