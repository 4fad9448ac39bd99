/** Opens the store in etcd that the flags name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { groupVersions } from '../../../generated/routes.ts';
import { keyPairProblem } from '../../certificates/key-pair.ts';
import type { EgressSelector } from '../../egress/egress-selector.ts';
import { readFlagFile } from '../../files/flag-file.ts';
import { type GroupResource, type ResourceOfPrefix, resourcesByPrefix } from '../../registry/encrypted-resources.ts';
import { LEASE_LIFE, serverLeasesAt } from '../../registry/etcd/server-leases.ts';
import { createValueCodec } from '../../registry/etcd/value-codec.ts';
import type { Log } from '../../server/log/log.ts';
import { StorageUnreachable } from '../../storage/errors.ts';
import { EtcdClient } from '../../storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../../storage/etcd/client/etcd-error.ts';
import { EtcdCompaction } from '../../storage/etcd/etcd-compaction.ts';
import { type EtcdStorage, openEtcdStorage } from '../../storage/etcd/etcd-storage.ts';
import { KeyNames } from '../../storage/etcd/key-names.ts';
import type { ExpiringKeys } from '../../storage/etcd/shared-leases.ts';
import type { ValueCodec } from '../../storage/etcd/value-codec.ts';
import { resourcePrefix } from '../../storage/storage.ts';
import { type EtcdEncryption, openEtcdEncryption } from '../encryption/open-etcd-encryption.ts';
import { type ChosenApi, chosenApi, emulate } from '../setup/chosen-api.ts';
import { egressOf } from '../setup/egress.ts';
import { leaseTimes } from '../setup/expiry-flags.ts';
import type { Flags } from '../setup/flags.ts';
import { leaderElection } from '../setup/leader-election-flags.ts';
import type { FindStoredResource, Setup } from '../setup/setup.ts';
import { assertOwnDialect } from './etcd-dialect.ts';
import { tellsProgressTruly } from './etcd-version.ts';
import type { EtcdWays } from './etcd-ways.ts';

/**
 * Limits in milliseconds of a call of etcd, and of the wait until what etcd has stored arrives here. Between them, a call gets a quarter of
 * a request's time, because a request may need several calls and its answer should say that etcd was the cause.
 */
const LONGEST_CALL = 10_000;
const SHORTEST_CALL = 500;
const CALLS_OF_REQUEST = 4;
/** Milliseconds between two attempts to reach etcd while the server starts. */
const RETRY = 500;

export interface EtcdStore {
  readonly storage: EtcdStorage;
  /** is closed with the store; absent: other servers are reached directly */
  readonly egress?: EgressSelector;
  /** Tells the store which custom resources are defined, once that is known. Values that were read before are read again by their kinds. */
  readonly resourcesKnown: (find: FindStoredResource) => void;
}

/**
 * @throws Error for invalid flags or an invalid configuration of encryption, and if etcd cannot be reached within
 * --storage-initialization-timeout
 */
export async function openEtcdStore(setup: Setup): Promise<EtcdStore> {
  const { parsed, identity, log, followedFiles } = setup;
  const { values: flags } = parsed;
  // invalid flags are reported before the start waits for etcd
  leaderElection(flags);
  let find: FindStoredResource = () => undefined;
  const { featureEnabled, builtIn, emulated } = await chosenApi(identity, flags);
  const plain = plainCodec(flags, { builtIn, emulated, featureEnabled, customResource: (prefix) => find(prefix) });
  const resources = resourcesByPrefix(identity.resolve(groupVersions));
  const resourceOf: ResourceOfPrefix = (prefix) => {
    const leases = serverLeasesAt(prefix);
    return leases === undefined ? resources(prefix) : { group: '', resource: leases.resource };
  };
  const encryption = await openEtcdEncryption({
    file: flags['encryption-provider-config'],
    reloads: flags['encryption-provider-config-automatic-reload'],
    log,
    followedFiles,
    resourceOf,
    async source() {
      const { createFileKinds } = await import('../setup/file-kinds.ts');
      return { kinds: createFileKinds(identity, featureEnabled), featureEnabled };
    },
  });
  const expiring = expiringKeys(flags, builtIn);
  let egress: EgressSelector | undefined;
  let storage: EtcdStorage;
  try {
    ({ egress, storage } = await reached(setup, { encryption, plain, resourceOf, expiring }, featureEnabled));
  } catch (error) {
    encryption.work.closing?.();
    throw error;
  }
  encryption.onChange((values) => void storage.readAgain((_key, isUnreadable) => values === 'all' || isUnreadable));
  return {
    storage,
    ...(egress && { egress }),
    resourcesKnown(known) {
      find = known;
      void storage.readAgain((key) => known(resourcePrefix(key)) !== undefined);
    },
  };
}

/** Opens the store when etcd can be reached. @throws what `openEtcdStore` throws */
async function reached(
  setup: Setup,
  keys: Omit<StoredKeys, keyof EgressToEtcd>,
  featureEnabled: (gate: string) => boolean,
): Promise<{ readonly storage: EtcdStorage; readonly egress: EgressSelector | undefined }> {
  const { egress, ways, end } = await egressToEtcd(setup, featureEnabled);
  try {
    return { storage: await whenReached(setup, () => open(setup, { ...keys, ways, end })), egress };
  } catch (error) {
    end();
    throw error;
  }
}

type PlainCodecParts = Pick<ChosenApi, 'builtIn' | 'emulated' | 'featureEnabled'> & { readonly customResource: FindStoredResource };

/** @throws Error that names --storage-media-type, for an unknown media type */
function plainCodec(flags: Flags, { builtIn, emulated, featureEnabled, customResource }: PlainCodecParts): ValueCodec {
  return ofFlag('storage-media-type', () =>
    createValueCodec({
      builtIn,
      groupVersions,
      ...(emulated && { emulated }),
      loadPast: emulate,
      mediaType: flags['storage-media-type'],
      writesCbor: featureEnabled('CBORServingAndStorage'),
      customResource,
      loadObjectMeta: async () => (await import('../../../generated/meta/v1/descriptors.ts')).ObjectMeta,
    }),
  );
}

function expiringKeys(flags: Flags, { snapshot }: Pick<ChosenApi['builtIn'], 'snapshot'>): readonly ExpiringKeys[] {
  const leases: ExpiringKeys = { life: LEASE_LIFE, shared: 0, expires: (prefix) => serverLeasesAt(prefix) !== undefined };
  const times = leaseTimes(flags);
  if (times === undefined) return [leases];
  const prefixes = new Set(snapshot.storedResources().flatMap(({ data }) => (data.expires && data.storage ? [data.storage.prefix] : [])));
  return [leases, { ...times, expires: (prefix) => prefixes.has(prefix) }];
}

interface EgressToEtcd {
  readonly egress?: EgressSelector | undefined;
  readonly ways?: EtcdWays | undefined;
  /** Closes the ways to etcd and to other servers. */
  readonly end: () => void;
}

/** @throws FileError @throws Error that names the flag, for an invalid address */
async function egressToEtcd({ parsed, identity, log }: Setup, featureEnabled: (gate: string) => boolean): Promise<EgressToEtcd> {
  const { values: flags } = parsed;
  const fileKinds = async () => (await import('../setup/file-kinds.ts')).createFileKinds(identity, featureEnabled);
  const egress = await egressOf(flags, { fileKinds, log });
  if (egress === undefined) return { end: () => {} };
  const { etcdWays } = await import('./etcd-ways.ts');
  let ways: EtcdWays | undefined;
  try {
    ways = await etcdWays(flags['etcd-servers'], egress, log);
  } catch (error) {
    egress.close();
    throw error instanceof TypeError ? new Error(`--etcd-servers: ${error.message}`, { cause: error }) : error;
  }
  const end = (): void => {
    ways?.close();
    egress.close();
  };
  return { egress, ways, end };
}

/** What is known of the keys and values in etcd, and of the way there. */
interface StoredKeys extends EgressToEtcd {
  readonly encryption: EtcdEncryption;
  /** reads and writes values that are not encrypted */
  readonly plain: ValueCodec;
  readonly resourceOf: ResourceOfPrefix;
  readonly expiring: readonly ExpiringKeys[];
}

/** Tries to open the store once; etcd may not be reachable. */
async function open(
  { parsed, identity, log, fail }: Setup,
  { encryption, plain, resourceOf, expiring, ways, end }: StoredKeys,
): Promise<EtcdStorage> {
  const { codec, work } = encryption;
  const { values: flags } = parsed;
  const { prefix } = new KeyNames(flags['etcd-prefix']);
  const client = clientOf(flags, ways);
  try {
    await assertOwnDialect(client, prefix, identity.dialect);
  } catch (error) {
    client.close();
    throw error;
  }
  // set after the store is open, because a failed attempt is repeated from the start
  let compaction: EtcdCompaction | undefined;
  const storage = await openEtcdStorage({
    client,
    prefix,
    codec: codec(plain, prefix),
    typeOf: (keys) => typeOf(resourceOf(keys), keys),
    catchingUp: callTimeout(flags),
    expiring,
    work: {
      ...work,
      closing() {
        void compaction?.stop();
        work.closing?.();
        end();
      },
    },
    watchdog: {
      timeout: Math.min(flags['etcd-healthcheck-timeout'], flags['etcd-readycheck-timeout']),
      sizeInterval: flags['etcd-db-metric-poll-interval'],
    },
    onEnd(reason) {
      log.error(
        { reason: reason.message },
        'etcd was restored or replaced: this server ends, and uses what etcd has now after its next start',
      );
      fail?.();
    },
    onTrouble(reason) {
      if (reason === undefined) log.info({}, 'the watch of etcd works again');
      else
        log.warn(
          { reason: reason.message },
          'the watch of etcd has failed: until it works again, only reads that accept older data are answered',
        );
    },
  });
  compaction = compactionOf(client, flags, log);
  await warnOfVersion(client, log);
  return storage;
}

/** What the metrics of 1.32 call a resource. @param prefix of its keys */
function typeOf(resource: GroupResource | undefined, prefix: string): string {
  if (resource === undefined) return prefix;
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** Calls `openOnce` again until etcd is reachable. @throws Error that names the etcd and the reason why it cannot be used */
async function whenReached(setup: Setup, openOnce: () => Promise<EtcdStorage>): Promise<EtcdStorage> {
  const { values: flags } = setup.parsed;
  const until = performance.now() + flags['storage-initialization-timeout'];
  for (let attempt = 1; ; attempt++) {
    try {
      return await openOnce();
    } catch (error) {
      const isAway = error instanceof StorageUnreachable || (error instanceof EtcdError && error.isUnavailable);
      if (!isAway) throw error;
      if (performance.now() >= until)
        throw new Error(`the etcd of --etcd-servers (${flags['etcd-servers']}) cannot be used: ${error.message}`);
      if (attempt === 1) setup.log.warn({ reason: error.message }, 'etcd cannot be reached yet');
      setup.startProgress?.('waits for etcd');
      await sleep(RETRY);
    }
  }
}

/** @returns milliseconds that one call of etcd may take */
function callTimeout(flags: Flags): number {
  return Math.min(LONGEST_CALL, Math.max(SHORTEST_CALL, flags['request-timeout'] / CALLS_OF_REQUEST));
}

/** @throws Error that names the flag, for invalid addresses and for files that cannot be used */
function clientOf(flags: Flags, ways: EtcdWays | undefined): EtcdClient {
  const files = {
    ...pemOf(flags, 'ca', 'etcd-cafile'),
    ...pemOf(flags, 'certificate', 'etcd-certfile'),
    ...pemOf(flags, 'key', 'etcd-keyfile'),
  };
  assertKeyPair(files);
  return ofFlag(
    'etcd-servers',
    () => new EtcdClient({ addresses: flags['etcd-servers'], requestTimeout: callTimeout(flags), targetOf: ways?.targetOf, ...files }),
  );
}

/** @throws Error that names the flag */
function ofFlag<T>(flag: 'etcd-servers' | 'storage-media-type', make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`--${flag}: ${(error as Error).message}`, { cause: error });
  }
}

/** Checks the pair once at the start, so that an error is not reported for each connection. @throws Error that names the flags */
function assertKeyPair({ certificate, key }: { readonly certificate?: () => string; readonly key?: () => string }): void {
  if ((certificate === undefined) !== (key === undefined)) throw new Error('--etcd-certfile and --etcd-keyfile need each other');
  const problem = certificate && key && keyPairProblem(certificate(), key());
  if (problem !== undefined) throw new Error(`--etcd-certfile and --etcd-keyfile: ${problem}`);
}

/** The file is read for each connection, because it may be replaced. */
function pemOf<N extends 'ca' | 'certificate' | 'key'>(
  flags: Flags,
  name: N,
  flag: 'etcd-cafile' | 'etcd-certfile' | 'etcd-keyfile',
): { readonly [K in N]?: () => string } {
  const file = flags[flag];
  if (file === '') return {};
  const read = (): string => readFlagFile(flag, file);
  read();
  return { [name]: read } as { readonly [K in N]: () => string };
}

/** Warns of an old version of the member that answers first. A failed call is not repeated, because nothing depends on the warning. */
async function warnOfVersion(client: EtcdClient, log: Log): Promise<void> {
  const { version } = await client.status().catch(() => ({ version: undefined }));
  if (version === undefined || tellsProgressTruly(version)) return;
  log.warn(
    { version },
    'this version of etcd may report the progress of a watch too early, so that a read may lack what was just written: use 3.5.13 or later',
  );
}

function compactionOf(client: EtcdClient, flags: Flags, log: Log): EtcdCompaction | undefined {
  const interval = flags['etcd-compaction-interval'];
  if (interval === 0) return undefined;
  return new EtcdCompaction({ client, interval, onError: (error) => log.warn({ err: error }, 'etcd could not be compacted') });
}
