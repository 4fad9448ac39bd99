/** Provides the agent's serving certificate: one from files, one that the agent requests from the cluster, or one that the agent signs itself. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Client } from '../../client/resources/client.ts';
import { type Clock, WALL_CLOCK } from '../../client/work-queue/clock.ts';
import type { Identity } from '../../contract/identity.ts';
import { writeFileAtomically } from '../../files/atomic-file.ts';
import { watchFiles } from '../../files/file-watches.ts';
import { readOwnFile } from '../../files/own-file.ts';
import { parseAddress } from '../../formats/ip-text.ts';
import type { Log } from '../../observability/log.ts';
import { issueCertificate } from '../../server/certificates/certificate-issuer.ts';
import type { CertificateAndKey } from '../../server/certificates/certificate-request.ts';
import { CertificateRotation } from '../identity/certificate-rotation.ts';
import { CertificateStore } from '../identity/certificate-store.ts';
import { userOfNode } from '../identity/node-identity.ts';

export interface ServingIdentityOptions {
  readonly configuration: NodeAgentConfiguration;
  /** the folder in which the agent keeps its certificates, which exists */
  readonly folder: string;
  readonly nodeName: string;
  readonly hostname: string;
  /** IP addresses of the node, which the certificate is for, besides the host name */
  readonly addresses: readonly string[];
  readonly identity: Identity;
  readonly client: Client | undefined;
  readonly featureEnabled: (gate: string) => boolean;
  readonly log: Log;
  /** Is called whenever `current` has a new certificate. */
  readonly renewed: () => void;
  readonly clock?: Clock;
}

export interface ServingIdentity {
  /** The certificate and key to serve with now, as PEM texts. */
  current(): CertificateAndKey;
  /** Ends the watching of files and the requests for certificates. */
  stop(): Promise<void>;
}

const ROTATION_GATE = 'RotateKubeletServerCertificate';
const HOUR = 60 * 60 * 1_000;
const YEAR = 365 * 24 * HOUR;
/** The milliseconds that a self-signed certificate must still be valid to be used at the start; otherwise the agent makes another one. */
const LEAST_LEFT = 24 * HOUR;
/** Milliseconds between looks at the files of the certificate and of its key. */
const INTERVAL = 60_000;

/**
 * Chooses among the ways by the configuration: files if it names them; a requested certificate with `serverTLSBootstrap`, the feature gate and a client of the
 * API server; otherwise a self-signed one.
 * @throws Error that names the field or the file that cannot be used
 */
export async function servingIdentity(options: ServingIdentityOptions): Promise<ServingIdentity> {
  const { tlsCertFile = '', tlsPrivateKeyFile = '', serverTLSBootstrap } = options.configuration;
  if (tlsCertFile !== '' || tlsPrivateKeyFile !== '') return ofFiles(tlsCertFile, tlsPrivateKeyFile, options);
  const own = ownCertificate(options);
  if (!serverTLSBootstrap || !options.featureEnabled(ROTATION_GATE) || options.client === undefined)
    return { current: () => own, stop: async () => {} };
  return requested(options.client, own, options);
}

async function ofFiles(certFile: string, keyFile: string, { log, renewed }: ServingIdentityOptions): Promise<ServingIdentity> {
  if (certFile === '' || keyFile === '') throw new Error('tlsCertFile and tlsPrivateKeyFile need each other');
  const read = (): CertificateAndKey => {
    const pair = { certificate: readOwnFile(certFile), key: readOwnFile(keyFile) };
    if (!fits(pair)) throw new Error(`tlsPrivateKeyFile: ${keyFile} does not hold the key of ${certFile}`);
    return pair;
  };
  let current = read();
  const end = await watchFiles([certFile, keyFile], {
    interval: INTERVAL,
    changed: () => {
      current = read();
      renewed();
    },
    failed: (error, file) => log.error({ err: error, file }, 'the new serving certificate is not used'),
  });
  return { current: () => current, stop: async () => end() };
}

function fits({ certificate, key }: CertificateAndKey): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Requests a certificate from the cluster, and renews it. Until one is signed, the agent serves with its self-signed one, which no client trusts. */
function requested(client: Client, own: CertificateAndKey, options: ServingIdentityOptions): ServingIdentity {
  const { folder, identity, nodeName, hostname, addresses, log, renewed, clock = WALL_CLOCK } = options;
  const rotation = new CertificateRotation({
    store: new CertificateStore(folder, identity.text('${nodeAgent}-server')),
    client,
    clock,
    log,
    renewed,
    wanted: () => ({
      content: {
        commonName: userOfNode(nodeName),
        organizations: ['system:nodes'],
        dnsNames: [hostname],
        addresses: addresses.map(addressBytes),
      },
      signerName: identity.text('${labelDomain}/kubelet-serving'),
      purpose: 'server auth',
    }),
  });
  rotation.start();
  return {
    current: () => (rotation.current === undefined ? own : { certificate: rotation.current.cert, key: rotation.current.key }),
    stop: () => rotation.stop(),
  };
}

function addressBytes(text: string): Buffer {
  const parsed = parseAddress(text);
  if (typeof parsed === 'string') throw new Error(`${text}: ${parsed}`);
  return Buffer.from(parsed.bytes);
}

/**
 * Reads the self-signed certificate from the folder, or makes a new one if none is there, or if it ends soon or lacks a name. Only its owner may read the key.
 */
function ownCertificate({ folder, identity, hostname, addresses }: ServingIdentityOptions): CertificateAndKey {
  const [certificateFile, keyFile] = ['crt', 'key'].map((end) => path.join(folder, `${identity.text('${nodeAgent}')}.${end}`)) as [
    string,
    string,
  ];
  const names = [...new Set([hostname, ...addresses])];
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const kept = { certificate: readOwnFile(certificateFile), key: readOwnFile(keyFile) };
    if (fits(kept) && lasts(kept.certificate, names)) return kept;
  }
  const now = Date.now();
  const request = { commonName: hostname, organizations: [], usage: 'server', names, notBefore: now - HOUR, notAfter: now + YEAR } as const;
  const made = issueCertificate(request);
  writeFileAtomically(keyFile, made.key, 0o600);
  writeFileAtomically(certificateFile, made.certificate, 0o644);
  return made;
}

function lasts(certificate: string, names: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate);
  const isNamed = names.every((name) => (isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined);
  return isNamed && parsed.validToDate.getTime() > Date.now() + LEAST_LEFT;
}
