/** Fills secrets that ask for the token of a service account, and deletes them when the account has gone (specification: service account tokens). */
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, type Entry, prefixEnd } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';

const SECRETS = 'secrets/';
const ACCOUNTS = 'serviceaccounts/';
/** Begins keys of the queue that stand for secrets that have gone. */
const GONE = 'gone/';
const WORKERS = 5;
/** The number of secrets that are examined in one turn while listing. */
const SLICE = 250;

export class SecretTokens implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #accounts: Resource;
  readonly #objects: ObjectLookup;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #type: string;
  readonly #nameAnnotation: string;
  readonly #uidAnnotation: string;

  constructor(server: ControllerServer) {
    const resource = server.registry.current.resource('', 'v1', 'secrets');
    const accounts = server.registry.current.resource('', 'v1', 'serviceaccounts');
    if (resource === undefined || accounts === undefined) throw new Error('--controllers: secrets and service accounts are not served');
    const { text } = server.identity;
    this.#server = server;
    this.#resource = resource;
    this.#accounts = accounts;
    this.#objects = server.objects;
    this.#writer = new ControllerWriter(server);
    this.#type = text('${labelDomain}/service-account-token');
    this.#nameAnnotation = text('${labelDomain}/service-account.name');
    this.#uidAnnotation = text('${labelDomain}/service-account.uid');
    this.#queue = new WorkQueue({
      name: 'serviceaccount_tokens_secret',
      metrics: server.metrics,
      workers: WORKERS,
      process: (key) => this.#sync(key),
      failed: (secret, error) => server.log.warn({ name: secret, err: error }, 'the token of a secret could not be made'),
    });
  }

  async list(revision: number): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, SECRETS, { size: SLICE, atRevision: revision })) this.#add(slice);
  }

  changed({ key, operation, value }: Change): void {
    if (key.startsWith(SECRETS)) {
      if (this.#mayAsk(value)) this.#queue.add(operation === 'delete' ? this.#goneKey(value) : key);
    } else if (key.startsWith(ACCOUNTS) && operation !== 'update') {
      const namespace = key.slice(ACCOUNTS.length, key.indexOf('/', ACCOUNTS.length));
      const start = `${SECRETS}${namespace}/`;
      this.#add(this.#server.storage.range({ start, end: prefixEnd(start) }));
    }
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  #add(secrets: Iterable<Entry>): void {
    for (const { key, value } of secrets) if (this.#mayAsk(value)) this.#queue.add(key);
  }

  /** Names the account as well, whose list of secrets may hold the one that has gone. */
  #goneKey(value: Buffer): string {
    const { metadata } = new StoredObject(value).parse();
    return `${GONE}${metadata.namespace}/${metadata.name}/${metadata.annotations?.[this.#nameAnnotation] ?? ''}`;
  }

  /** Cheap, and true of all that ask. */
  #mayAsk(value: Buffer): boolean {
    return value.includes(this.#type);
  }

  async #sync(key: string): Promise<void> {
    if (key.startsWith(GONE)) return this.#forget(key.slice(GONE.length));
    const [namespace = '', name = ''] = key.slice(SECRETS.length).split('/');
    const secret = this.#objects.get('secrets', namespace, name);
    if (secret === undefined || secret.type !== this.#type || secret.metadata.deletionTimestamp !== undefined) return;
    const account = this.#accountOf(secret);
    const named = { resource: this.#resource, namespace, name };
    try {
      if (account === undefined) await this.#writer.delete(named, { preconditions: { uid: secret.metadata.uid as string } });
      else if (this.#server.serviceAccounts.issuesForSecrets && this.#isUnfilled(secret)) {
        const token = await this.#server.serviceAccounts.issueForSecret(account, name);
        await this.#writer.update(named, 'object', (old) => (this.#isUnfilled(old) ? this.#filled(old, account, token) : old));
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Takes a secret that has gone out of the list of its account. */
  async #forget(gone: string): Promise<void> {
    const [namespace = '', secret = '', name = ''] = gone.split('/');
    const isListed = ({ secrets }: ApiObject) => ((secrets ?? []) as { name?: string }[]).some((each) => each.name === secret);
    const account = this.#objects.get('serviceaccounts', namespace, name);
    if (account === undefined || !isListed(account) || this.#objects.get('secrets', namespace, secret) !== undefined) return;
    try {
      await this.#writer.update({ resource: this.#accounts, namespace, name }, 'object', (old) =>
        isListed(old) ? { ...old, secrets: old.secrets.filter((each: { name?: string }) => each.name !== secret) } : old,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The account that a secret names, unless it is another one than the secret was made for. */
  #accountOf({ metadata: { namespace = '', annotations = {} } }: ApiObject): ApiObject | undefined {
    const account = this.#objects.get('serviceaccounts', namespace, annotations[this.#nameAnnotation] ?? '');
    const uid = annotations[this.#uidAnnotation] ?? '';
    return uid === '' || uid === account?.metadata.uid ? account : undefined;
  }

  #isUnfilled({ data }: ApiObject): boolean {
    return !data?.token || !data.namespace || data['ca.crt'] !== base64(this.#server.authority);
  }

  #filled(secret: ApiObject, account: ApiObject, token: string): ApiObject {
    const { name = '', uid = '', namespace = '' } = account.metadata;
    const annotations = { ...secret.metadata.annotations, [this.#nameAnnotation]: name, [this.#uidAnnotation]: uid };
    const data: Record<string, string> = { ...secret.data, 'ca.crt': base64(this.#server.authority) };
    data.namespace ||= base64(namespace);
    data.token ||= base64(token);
    return { ...secret, metadata: { ...secret.metadata, annotations }, data };
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
