/**
 * Signs the public description of the cluster with each token of new nodes that may be used for that: who knows the token knows by the
 * signature that the description is the cluster's (specification: bootstrap tokens, "Signed ConfigMap").
 */
import { BOOTSTRAP_SECRET_PREFIX, hasExpired, isTokenId, secretText } from '../../authentication/bootstrap-tokens.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { BootstrapSecrets, untilExpiration } from './bootstrap-secrets.ts';

const NAME = 'cluster-info';
const CONTENT = 'kubeconfig';
/** The prefix of the keys of signatures, which end with the id of the token. */
const SIGNATURE = 'jws-kubeconfig-';

export class ClusterInfoSigner implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #objects: ObjectLookup;
  readonly #secrets: BootstrapSecrets;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #namespace: string;

  constructor(server: ControllerServer) {
    const resource = server.registry.current.resource('', 'v1', 'configmaps');
    if (resource === undefined) throw new Error('--controllers: configmaps are not served');
    this.#server = server;
    this.#resource = resource;
    this.#objects = server.objects;
    this.#secrets = new BootstrapSecrets(server);
    this.#writer = new ControllerWriter(server);
    this.#namespace = server.identity.text('${publicNamespace}');
    this.#queue = new WorkQueue({
      name: 'bootstrap_signer_queue',
      metrics: server.metrics,
      workers: 1,
      process: () => this.#sync(),
      failed: (_key, error) => server.log.warn({ err: error }, `the config map ${NAME} could not be signed`),
    });
  }

  async list(): Promise<void> {
    this.#queue.add(NAME);
  }

  changed(change: Change): void {
    if (change.key === `configmaps/${this.#namespace}/${NAME}` || this.#secrets.mayBe(change)) this.#queue.add(NAME);
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  async #sync(): Promise<void> {
    const stored = this.#objects.get('configmaps', this.#namespace, NAME);
    const content: unknown = stored?.data?.[CONTENT];
    if (stored === undefined || typeof content !== 'string') return;
    const signatures = await this.#signatures(content);
    if (isSigned(stored, signatures)) return;
    try {
      await this.#writer.update({ resource: this.#resource, namespace: this.#namespace, name: NAME }, 'object', (old) =>
        // A content that has changed meanwhile is signed by itself, in its turn.
        old.data?.[CONTENT] === content ? { ...old, data: { ...withoutSignatures(old), ...signatures } } : old,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Makes the signatures of a content. @returns them by their keys in the config map */
  async #signatures(content: string): Promise<Record<string, string>> {
    const now = Date.now();
    const signatures: Record<string, string> = {};
    for (const secret of this.#secrets.all()) {
      const [id, token] = [secretText(secret, 'token-id'), secretText(secret, 'token-secret')];
      if (!isTokenId(id) || token === '' || secret.metadata.name !== BOOTSTRAP_SECRET_PREFIX + id) continue;
      if (secretText(secret, 'usage-bootstrap-signing') !== 'true' || hasExpired(secret, now)) continue;
      const left = untilExpiration(secret, now);
      if (left !== undefined) this.#queue.addAfter(NAME, left + 1);
      const key = this.#server.identity.signsWithFullToken ? `${id}.${token}` : token;
      signatures[SIGNATURE + id] = await detachedSignature(content, id, key);
    }
    return signatures;
  }
}

/** A signature by HMAC and SHA-256 (RFC 7515, appendix F): its head and its end, the content left out in between. */
async function detachedSignature(content: string, id: string, key: string): Promise<string> {
  const { CompactSign } = await import('jose');
  const signed = await new CompactSign(Buffer.from(content)).setProtectedHeader({ alg: 'HS256', kid: id }).sign(Buffer.from(key));
  const [head, , signature] = signed.split('.');
  return `${head}..${signature}`;
}

function withoutSignatures({ data }: ApiObject): Record<string, string> {
  return Object.fromEntries(Object.entries((data ?? {}) as Record<string, string>).filter(([key]) => !key.startsWith(SIGNATURE)));
}

function isSigned(object: ApiObject, signatures: Readonly<Record<string, string>>): boolean {
  const data = (object.data ?? {}) as Record<string, string>;
  const present = Object.keys(data).filter((key) => key.startsWith(SIGNATURE));
  const wanted = Object.keys(signatures);
  return present.length === wanted.length && wanted.every((key) => data[key] === signatures[key]);
}
