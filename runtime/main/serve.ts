/** From flags to a server that is ready, and down again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPolicyHash } from '../../generated/default-policy-hash.ts';
import { featureGates } from '../../generated/feature-gates.ts';
import { flagsData } from '../../generated/flags.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import { createAuthenticator } from '../authentication/create-authenticator.ts';
import { readTokenKeys } from '../authentication/service-accounts/keys.ts';
import { ensureDefaultPolicy } from '../authorization/rbac/default-policy.ts';
import type { DefaultPolicy } from '../contract/default-policy.ts';
import { createIdentity, type Identity } from '../contract/identity.ts';
import { type ControllerName, chosenControllers } from '../controllers/chosen-controllers.ts';
import type { ApiServer } from '../endpoints/api-server.ts';
import { createApp } from '../endpoints/chain.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { featureGate } from '../registry/feature-gates.ts';
import { storedTerms } from '../registry/stored-terms.ts';
import { serverAddress, writeClientConfiguration } from '../server/client-configuration.ts';
import { FlagError } from '../server/flag-data.ts';
import { type FlagValues, type ParsedFlags, parseFlags } from '../server/flags.ts';
import { flagsHelp } from '../server/flags-help.ts';
import { listen } from '../server/listen.ts';
import { createLog } from '../server/log.ts';
import { prepareCertificates } from '../server/serving-certificates.ts';
import { HistoryWindow } from '../storage/history-window.ts';
import { IndexFollower } from '../storage/lmdb/index-follower.ts';
import { openLmdbStorage } from '../storage/lmdb/lmdb-storage.ts';
import { ensureSystemNamespaces, startSystemObjects } from '../system-objects/start.ts';
import { assembleServer } from './assemble.ts';
import { Health } from './health.ts';

export type Flags = FlagValues<typeof flagsData>;

const PROGRAM = 'cluster-apiserver';
const VERSION = '0.1.0';

/** Exit codes: 0 after a clean end, 1 for anything that stops a start, 2 for flags that are wrong. */
export async function main(argv: readonly string[]): Promise<void> {
  let parsed: ReturnType<typeof parseFlags<typeof flagsData>>;
  let identity: Identity;
  try {
    identity = createIdentity(identityData, parseFlags(argv, flagsData).values.dialect);
    parsed = parseFlags(argv, flagsData, identity);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${PROGRAM}: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const flags = parsed.values;
  if (flags.help) return void process.stdout.write(flagsHelp(PROGRAM, 'Serves the API of a cluster.', flagsData, identity));
  if (flags.version) return void process.stdout.write(`${PROGRAM} ${VERSION} (release ${currentRelease})\n`);
  const log = createLog({ verbosity: flags.v });
  for (const warning of parsed.warnings) log.warn({}, warning);
  try {
    const running = await serve(parsed, identity, log);
    endOnSignals(running, log);
  } catch (error) {
    process.stderr.write(`${PROGRAM}: ${error instanceof Error ? error.message : String(error)}\n`);
    log.debug({ err: error }, 'the start failed');
    process.exitCode = 1;
  }
}

interface Running {
  stop(): Promise<void>;
}

async function serve(parsed: ParsedFlags<typeof flagsData>, identity: Identity, log: ReturnType<typeof createLog>): Promise<Running> {
  const { values: flags, given } = parsed;
  const chosen = chosenControllers(flags.controllers);
  const directory = flags['data-dir'] === '' ? join(process.cwd(), 'data') : flags['data-dir'];
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const storage = openLmdbStorage({ directory: join(directory, 'store'), dialect: identity.dialect, terms: storedTerms(groupVersions) });
  const health = new Health(storage, flags['livez-grace-period']);
  try {
    const certificates = await prepareCertificates(flags, directory, identity);
    let address = `${flags['bind-address']}:${flags['secure-port']}`;
    const tokenKeys = readTokenKeys(flags, certificates.folder);
    const audiences = flags['api-audiences'].length > 0 ? flags['api-audiences'] : flags['service-account-issuer'];
    const authenticator = await createAuthenticator({
      flags,
      given,
      identity,
      storage,
      log,
      ...certificates,
      tokenKeys,
      audiences,
      fileKinds: () => loadFileKinds(flags, identity),
    });
    const server = assembleServer({
      flags,
      identity,
      storage,
      log,
      groupVersions,
      featureGates,
      release: currentRelease,
      authenticator,
      audiences,
      tokenKeys,
      loadDefaultPolicy,
      externalAddress: () => address,
    });
    const app = createApp({ server, authenticator, health, requestTimeout: flags['request-timeout'] });
    const listener = await listen({
      handler: app.callback(),
      tls: certificates.serving,
      address: flags['bind-address'],
      port: flags['secure-port'],
      http2: !flags['disable-http2-serving'],
      maxStreams: flags['http2-max-streams-per-connection'],
    });
    address = `${flags['bind-address']}:${listener.port}`;
    await ensureSystemNamespaces(server);
    const stopSystemObjects = await startSystemObjects(server);
    await ensureDefaultPolicy(server, { hash: defaultPolicyHash, load: loadDefaultPolicy });
    const history = new HistoryWindow(storage, flags['history-window'], (error) => log.error({ err: error }, 'compaction failed'));
    history.start();
    const index = new IndexFollower(storage, (error) => log.error({ err: error }, 'indexing failed'));
    const url = serverAddress(flags['bind-address'], listener.port);
    const configuration = writeClientConfiguration({
      file: join(directory, 'admin.conf'),
      name: identity.names.defaultService as string,
      server: url,
      authority: certificates.authority,
      user: certificates.administrator,
    });
    health.started();
    const controllers = startControllers(server, chosen);
    controllers.catch((error) => log.error({ err: error }, 'controllers do not run'));
    process.stdout.write(`${PROGRAM} is ready at ${url}\nclient configuration: ${configuration}\n`);
    return {
      async stop() {
        health.stopping();
        await new Promise((resolve) => setTimeout(resolve, flags['shutdown-delay-duration']));
        await stopSystemObjects();
        server.watchHub.close();
        await controllers.then(
          (running) => running.stop(),
          () => {},
        );
        await listener.close(GRACE);
        await index.stop();
        await history.stop();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function loadDefaultPolicy(): Promise<DefaultPolicy> {
  return (await import('../../generated/default-policy.ts')).defaultPolicy;
}

/** Their modules are loaded when the server is ready, so that a start does not wait for them. */
async function startControllers(server: ApiServer, chosen: readonly ControllerName[]): Promise<{ stop(): Promise<void> }> {
  const { Controllers } = await import('../controllers/controllers.ts');
  return Controllers.start(server, chosen);
}

/** Loaded where a flag names a file that needs it. */
async function loadFileKinds(flags: Flags, identity: Identity): Promise<FileKinds> {
  const { createFileKinds } = await import('./file-kinds.ts');
  return createFileKinds(identity, featureGate(featureGates, new Map(Object.entries(flags['feature-gates'])), currentRelease));
}

/** Milliseconds that requests under way have when the server ends. */
const GRACE = 10_000;

function endOnSignals(running: Running, log: ReturnType<typeof createLog>): void {
  let ending = false;
  const end = (signal: string): void => {
    if (ending) process.exit(1);
    ending = true;
    log.info({ signal }, 'ending');
    running.stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'the end was not clean');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
}
