/** The identity by which the agent talks to the API server: a client configuration, or a certificate that a joining node asks for (specification: Bootstrap tokens). */
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration } from '../../client/configuration/configuration.ts';
import { type FoundConnection, findConnection } from '../../client/configuration/connection.ts';
import { loadConfiguration } from '../../client/configuration/loading-rules.ts';
import { writeConfiguration } from '../../client/configuration/write.ts';
import { Client } from '../../client/resources/client.ts';
import type { ClientCertificate, ConnectionSettings, Credentials } from '../../client/transport/connection-settings.ts';
import { type Clock, WALL_CLOCK } from '../../client/work-queue/clock.ts';
import type { Identity } from '../../contract/identity.ts';
import { writeFileAtomically } from '../../files/atomic-file.ts';
import { readOwnFile } from '../../files/own-file.ts';
import type { Log } from '../../observability/log.ts';
import { CertificateRotation } from './certificate-rotation.ts';
import { CertificateStore, type StoredCertificate } from './certificate-store.ts';
import { RequestDenied, requestCertificate, requestName, type WantedCertificate } from './request-certificate.ts';

export interface NodeIdentityOptions {
  /** path of the client configuration (`--kubeconfig`); '' for none */
  readonly file: string;
  /** path of the client configuration for joining (`--bootstrap-kubeconfig`); '' for none */
  readonly bootstrapFile: string;
  /** folder of certificates */
  readonly folder: string;
  readonly nodeName: string;
  /** whether the certificate is renewed */
  readonly rotates: boolean;
  readonly identity: Identity;
  readonly log: Log;
  /** ends the wait for a certificate */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface NodeIdentity {
  readonly connection: ConnectionSettings;
  /** Renews the certificate from now on. @param client uses `connection` */
  start(client: Client): void;
  stop(): Promise<void>;
}

const OWNER_ALONE = 0o600;
// Milliseconds.
const FIRST_RETRY = 200;
const LONGEST_RETRY = 7_000;
const NODES_GROUP = 'system:nodes';

export const userOfNode = (nodeName: string): string => `system:node:${nodeName}`;

/**
 * A node that joins waits here for its certificate.
 * @returns undefined if the options name no server
 * @throws ConfigurationError, FileUnwritable
 */
export async function nodeIdentity(options: NodeIdentityOptions): Promise<NodeIdentity | undefined> {
  const { file, bootstrapFile, folder, identity } = options;
  if (file === '' && bootstrapFile === '') return undefined;
  if (bootstrapFile !== '' && file === '')
    throw new Error('--bootstrap-kubeconfig needs --kubeconfig, which says where the client configuration is kept');
  const store = new CertificateStore(folder, identity.text('${nodeAgent}-client'));
  if (bootstrapFile !== '' && !(await isUsable(file, identity))) await join(options, store);
  return await rotating(await findConnection(identity, { file }), options, store);
}

/** A client certificate of the configuration is renewed in the store. From then on the one in the store is used. */
async function rotating({ connection }: FoundConnection, options: NodeIdentityOptions, store: CertificateStore): Promise<NodeIdentity> {
  const { rotates, nodeName, identity, log, clock = WALL_CLOCK, random } = options;
  const { certificate } = rotates ? ((await connection.credentials?.get()) ?? {}) : {};
  if (certificate === undefined) return { connection, start: () => {}, stop: async () => {} };
  const { cert, key } = newest(certificate, store);
  let rotation: CertificateRotation | undefined;
  let pair = { certificate: { cert, key } };
  const credentials: Credentials = { get: () => pair, refused: () => false };
  return {
    connection: { ...connection, credentials },
    start(client) {
      rotation = new CertificateRotation({
        store,
        client,
        clock,
        log,
        ...(random !== undefined && { random }),
        wanted: () => clientCertificate(nodeName, identity),
        renewed: ({ cert, key }) => {
          pair = { certificate: { cert, key } };
        },
      });
      rotation.start();
    },
    stop: async () => rotation?.stop(),
  };
}

/** The certificate of the store, if it has the same user and lasts at least as long, because then it is a renewed one. Else the given one, which is stored. */
function newest({ cert, key }: ClientCertificate, store: CertificateStore): StoredCertificate {
  const [stored, given] = [store.read(), new X509Certificate(cert)];
  const isSame = stored?.parsed.subject === given.subject && stored.parsed.issuer === given.issuer;
  return isSame && stored.parsed.validToDate >= given.validToDate ? stored : store.write(cert, key);
}

function clientCertificate(nodeName: string, { text }: Identity): Omit<WantedCertificate, 'key'> {
  return {
    content: { commonName: userOfNode(nodeName), organizations: [NODES_GROUP] },
    signerName: text('${labelDomain}/kube-apiserver-client-kubelet'),
    purpose: 'client auth',
  };
}

/** Whether there is a client configuration, and its certificate, if any, is valid now. */
async function isUsable(file: string, identity: Identity): Promise<boolean> {
  if (!existsSync(file)) return false;
  try {
    const { connection } = await findConnection(identity, { file });
    const { certificate } = (await connection.credentials?.get()) ?? {};
    if (certificate === undefined) return connection.credentials !== undefined;
    const now = Date.now();
    const { validFromDate, validToDate } = new X509Certificate(certificate.cert);
    return validFromDate.getTime() <= now && now < validToDate.getTime();
  } catch {
    // a configuration that cannot be read is replaced
    return false;
  }
}

/** Gets a certificate by means of the configuration for joining, and writes the client configuration that uses it. */
async function join(options: NodeIdentityOptions, store: CertificateStore): Promise<void> {
  const { file, bootstrapFile, folder, nodeName, identity, log, signal } = options;
  const { connection } = await findConnection(identity, { file: bootstrapFile });
  const keyFile = path.join(folder, identity.text('${nodeAgent}-client.key.tmp'));
  const key = keptKey(keyFile);
  const wanted = clientCertificate(nodeName, identity);
  const client = new Client(connection, { identity, fieldManager: identity.names.nodeAgent });
  try {
    const certificate = await issuedCertificate(client, { ...wanted, key, name: requestName(key, wanted.content) }, log, signal);
    store.write(certificate, key.export({ type: 'pkcs8', format: 'pem' }) as string);
  } finally {
    await client.close();
  }
  rmSync(keyFile, { force: true });
  writeFileAtomically(file, await configurationText(bootstrapFile, store.current), OWNER_ALONE);
  log.info({ file }, 'the node has joined');
}

/** Asks until there is a certificate, or the request is denied. @throws RequestDenied; the reason of the signal */
async function issuedCertificate(client: Client, wanted: WantedCertificate, log: Log, signal: AbortSignal): Promise<string> {
  for (let pause = FIRST_RETRY; ; pause = Math.min(2 * pause, LONGEST_RETRY))
    try {
      return await requestCertificate(client, wanted, signal);
    } catch (error) {
      if (signal.aborted || error instanceof RequestDenied) throw error;
      log.warn({ err: error }, 'there is no certificate for the node yet; it is asked for again');
      await sleep(pause, undefined, { signal });
    }
}

/** The key is kept in a file while the certificate is awaited, so that an agent that starts again goes on with the same request. */
function keptKey(file: string): KeyObject {
  try {
    return createPrivateKey(readOwnFile(file));
  } catch {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileAtomically(file, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, OWNER_ALONE);
    return privateKey;
  }
}

/** Client configuration for the same server, with the certificate in the store. */
async function configurationText(bootstrapFile: string, certificate: string): Promise<string> {
  const { clusters, contexts, currentContext } = await loadConfiguration({ explicitPath: bootstrapFile, precedence: [] });
  const cluster = clusters.get(contexts.get(currentContext)?.cluster ?? '');
  const configuration: Configuration = {
    preferences: {},
    extensions: new Map(),
    clusters: new Map([['default-cluster', { ...cluster }]]),
    users: new Map([['default-auth', { clientCertificate: certificate, clientKey: certificate }]]),
    contexts: new Map([['default-context', { cluster: 'default-cluster', user: 'default-auth', namespace: 'default' }]]),
    currentContext: 'default-context',
  };
  return writeConfiguration(configuration);
}
