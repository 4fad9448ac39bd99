/** Gets a certificate through the API server: creates a CertificateSigningRequest and waits until a signer has signed it. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CertificateSigningRequest, certificatesigningrequests } from '../../../generated/client/certificates/v1/index.ts';
import { createSigningRequest, type SigningRequestContent } from '../../certificates/create-signing-request.ts';
import { pemBlocks } from '../../certificates/pem.ts';
import { isAlreadyExists } from '../../client/objects/api-error.ts';
import type { Client } from '../../client/resources/client.ts';

export interface WantedCertificate {
  readonly content: SigningRequestContent;
  /** name of the signer, such as that of serving certificates of nodes */
  readonly signerName: string;
  readonly purpose: 'client auth' | 'server auth';
  /** private, of an elliptic curve */
  readonly key: KeyObject;
  /** name of the request, by which it is found again after a restart; absent: the server gives it a name */
  readonly name?: string;
}

/** The request was denied or has failed, so nobody will sign it. */
export class RequestDenied extends Error {
  override readonly name = 'RequestDenied';
}

/** Milliseconds between two looks at the request. */
const FIRST_LOOK = 50;
const LONGEST_PAUSE = 2_000;
/** Milliseconds after which another request is made, as in 1.32. */
const PATIENCE = 15 * 60_000;

/** @returns PEM: the certificate and its intermediates. @throws RequestDenied; ApiError; ConnectionError; the reason of the signal */
export async function requestCertificate(client: Client, wanted: WantedCertificate, signal: AbortSignal): Promise<string> {
  const requests = client.resource(certificatesigningrequests);
  let request = await sentRequest(client, wanted, signal);
  const until = performance.now() + PATIENCE;
  for (let pause = FIRST_LOOK; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const certificate = issued(request);
    if (certificate !== undefined) return certificate;
    if (performance.now() > until)
      throw new Error(`nobody has signed the request ${request.metadata.name} within ${PATIENCE / 60_000} minutes`);
    await sleep(pause, undefined, { signal });
    request = await requests.get(request.metadata.name as string, { signal });
  }
}

async function sentRequest(client: Client, wanted: WantedCertificate, signal: AbortSignal): Promise<CertificateSigningRequest> {
  const requests = client.resource(certificatesigningrequests);
  const { content, key, name, signerName, purpose } = wanted;
  const spec = {
    request: Buffer.from(createSigningRequest(content, key)).toString('base64'),
    signerName,
    // keys of elliptic curves cannot encipher other keys, so this usage is left out for them
    usages: ['digital signature', purpose],
  };
  const metadata = name === undefined ? { generateName: 'csr-' } : { name };
  try {
    return await requests.create({ metadata, spec }, { signal });
  } catch (error) {
    if (name === undefined || !isAlreadyExists(error)) throw error;
    const found = await requests.get(name, { signal });
    if (found.spec.signerName === signerName && asksFor(found.spec.request, key)) return found;
    throw new Error(`there is a request ${name} of somebody else`, { cause: error });
  }
}

/** The name of a request comes from its content, so that the same agent finds it again. */
export function requestName(key: KeyObject, content: SigningRequestContent): string {
  const digest = createHash('sha512').update(publicBytes(key)).update('CN=').update(content.commonName);
  for (const name of content.organizations) digest.update('|O=').update(name);
  return `node-csr-${digest.digest('base64url').slice(0, 43).toLowerCase().replaceAll('_', '0').replace(/-$/, '0')}`;
}

const publicBytes = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

function asksFor(request: string, key: KeyObject): boolean {
  const [block] = pemBlocks(Buffer.from(request, 'base64').toString('latin1'));
  return block?.bytes.includes(publicBytes(key)) ?? false;
}

/** @throws RequestDenied */
function issued({ metadata, status = {} }: CertificateSigningRequest): string | undefined {
  for (const { type, reason = '', message = '' } of status.conditions ?? []) {
    if (type === 'Denied')
      throw new RequestDenied(`certificate signing request ${metadata.name} is denied, reason: ${reason}, message: ${message}`);
    if (type === 'Failed')
      throw new RequestDenied(`certificate signing request ${metadata.name} failed, reason: ${reason}, message: ${message}`);
  }
  return status.certificate ? Buffer.from(status.certificate, 'base64').toString('latin1') : undefined;
}
