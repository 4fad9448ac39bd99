/** What the garbage collector asks of the API servers behind this one, and has them do: by paths of the API, which are the keys of their objects. */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { type OwnedObject, type OwnedObjects, ownedObject } from '../../aggregation/owned-objects.ts';
import type { Question, WholeAnswer } from '../../aggregation/remote-servers.ts';
import type { RemoteVersion } from '../../aggregation/remote-version.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../../authentication/service-account-names.ts';
import { type WatchLine, watchLines } from '../../client/resources/watch-lines.ts';
import type { TransportAnswer } from '../../client/transport/transport.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ObjectMeta } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import type { DeleteOptions } from '../../registry/resource-store/deletion.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { isConflict, newConflict, OBJECT_MODIFIED } from '../../status/status.ts';

/** The limits of one answer: milliseconds and bytes. */
const LIMITS = { timeout: 30_000, maxBytes: 32 * 1024 * 1024 };
/** The number of objects of one page. */
const PAGE = 500;
/** How often a change is tried that others are faster than. */
const TRIES = 5;
/** Seconds after which a server ends a watch: at least these, and at most twice as many, as clients of 1.32 ask for. */
const WATCH = 300;
/** Milliseconds that a server may take longer for that. */
const OVERTIME = 30_000;

export type OtherServers = Pick<Aggregation, 'ownedObjects' | 'resources' | 'servers' | 'versions'>;

/** Another server has answered by something else than what it was asked for. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';

  constructor(method: string, path: string, status: number) {
    super(`${method} ${path}: another API server answers ${status}`);
  }
}

/** The members of metadata that the collector changes, and the uid, which it must not change. */
export type EditMetadata = (metadata: ObjectMeta) => void;

export class RemoteRequests {
  readonly #servers: OtherServers;
  readonly #user: User;
  readonly #one: string;
  readonly #many: string;
  readonly #ending = new AbortController();

  constructor(servers: OtherServers, { text }: Pick<Identity, 'text'>) {
    this.#servers = servers;
    const namespace = text('${systemNamespace}');
    const name = serviceAccountUserName(namespace, 'generic-garbage-collector');
    this.#user = { name, uid: '', groups: [...serviceAccountGroups(namespace), 'system:authenticated'], extra: {} };
    const metadataOnly = (kind: string): string => `${text(`application/json;as=${kind};v=v1;g=meta.\${groupDomain}`)},application/json`;
    this.#one = metadataOnly('PartialObjectMetadata');
    this.#many = metadataOnly('PartialObjectMetadataList');
  }

  /** @param next token of the page; '' for the first one. @throws ExchangeError, ServiceError, RemoteRefusal, Error for what is no list */
  async page(path: string, next: string): Promise<OwnedObjects> {
    const query = `?limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
    const { body } = await this.#ask(path, { method: 'GET', path: `${path}${query}`, accept: this.#many });
    return this.#servers.ownedObjects(body);
  }

  /** The changes after a version, until the server ends the watch. @throws as `watchLines`; ExchangeError, ServiceError, RemoteRefusal */
  watch(path: string, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchLine[], void> {
    const seconds = Math.floor(WATCH * (1 + Math.random()));
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(seconds),
    });
    const send = async ({ path: asked, signal: ending }: { path: string; signal?: AbortSignal | undefined }): Promise<TransportAnswer> => {
      const servers = await this.#servers.servers();
      const head = await servers.stream(this.#remote(path), {
        path: asked,
        accept: this.#one,
        user: this.#user,
        signal: ending ?? signal,
      });
      if (head.statusCode === 200) return head as TransportAnswer;
      head.destroy();
      throw new RemoteRefusal('GET', path, head.statusCode ?? 0);
    };
    return watchLines({ send }, { path: `${path}?${query}`, signal, idleTimeout: () => seconds * 1_000 + OVERTIME });
  }

  /** @returns undefined where it is not there. @throws ExchangeError, ServiceError, RemoteRefusal */
  async object(key: string): Promise<OwnedObject | undefined> {
    const { status, body } = await this.#ask(key, { method: 'GET', path: key, accept: this.#one }, 404);
    return status === 404 ? undefined : ownedObject(parseNativeJson<unknown>(body.toString()));
  }

  /** An object that is not there is no error. @throws as `object`; StatusError Conflict where it has changed */
  async delete(
    key: string,
    { propagationPolicy, preconditions }: Pick<DeleteOptions, 'propagationPolicy' | 'preconditions'>,
  ): Promise<void> {
    const json = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy, preconditions });
    await this.#ask(key, { method: 'DELETE', path: key, accept: 'application/json', json }, 404);
  }

  /** Tries again when another writer was faster. @returns the object's resourceVersion; '' where it is not there. @throws as `delete` */
  async editMetadata(key: string, edit: EditMetadata): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#edit(key, edit);
      } catch (error) {
        if (tries === TRIES || !isConflict(error)) throw error;
      }
    }
  }

  async #edit(key: string, edit: EditMetadata): Promise<string> {
    const found = await this.object(key);
    if (found === undefined) return '';
    const { uid, resourceVersion } = found;
    const metadata = { uid, ownerReferences: found.owners.map((each) => ({ ...each })), finalizers: [...found.finalizers] } as ObjectMeta;
    edit(metadata);
    const { ownerReferences = null, finalizers = null } = metadata;
    const json = JSON.stringify({ metadata: { uid, resourceVersion, ownerReferences, finalizers } });
    const contentType = 'application/merge-patch+json';
    const { status, body } = await this.#ask(key, { method: 'PATCH', path: key, accept: this.#one, json, contentType }, 404);
    return status === 404 ? '' : (ownedObject(parseNativeJson<unknown>(body.toString()))?.resourceVersion ?? '');
  }

  /** Ends what is under way but watches, and all that is asked later. */
  stop(): void {
    this.#ending.abort();
  }

  /** @param path of the API. @throws ExchangeError, ServiceError; StatusError Conflict; RemoteRefusal for what is neither success nor `unless` */
  async #ask(
    path: string,
    question: Required<Pick<Question, 'method'>> & Pick<Question, 'path' | 'accept' | 'json' | 'contentType'>,
    unless?: number,
  ): Promise<WholeAnswer> {
    const remote = this.#remote(path);
    const servers = await this.#servers.servers();
    const answer = await servers.ask(remote, { ...question, user: this.#user, signal: this.#ending.signal, ...LIMITS });
    const { status } = answer;
    if ((status >= 200 && status < 300) || status === unless) return answer;
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (status === 409) throw newConflict({ group: remote.group, resource: path.split('/').at(-2) ?? '' }, name, OBJECT_MODIFIED);
    throw new RemoteRefusal(question.method, path, status);
  }

  /** @throws RemoteRefusal where nobody answers for the path any longer */
  #remote(path: string): RemoteVersion {
    const remote = this.#servers.versions.forPath(path);
    if (remote?.available !== true) throw new RemoteRefusal('GET', path, 503);
    return remote;
  }
}
