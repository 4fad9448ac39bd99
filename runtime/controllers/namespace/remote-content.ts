/** What other API servers have in a namespace: it is deleted there, and what stays for now is counted, as in 1.32 by requests like those of clients. */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { joinedPages, type ListedObjects, NO_OBJECTS } from '../../aggregation/object-pages.ts';
import type { RemoteServers, WholeAnswer } from '../../aggregation/remote-servers.ts';
import { type RemoteVersion, versionPath } from '../../aggregation/remote-version.ts';
import { ServiceError } from '../../aggregation/service-address.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../../authentication/service-account-names.ts';
import { ExchangeError } from '../../connections/exchange-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { ApiResourceDiscovery } from '../../discovery/described-resource.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import type { ContentReport } from './conditions.ts';

/** The limits of one answer: milliseconds and bytes. */
const LIMITS = { timeout: 30_000, maxBytes: 32 * 1024 * 1024 };
/** The number of objects of one page. */
const PAGE = 500;
/** The most pages of one list in one round, because a server might send pages without end. */
const MOST_PAGES = 1_000;
/** The most bytes of one list in one round. */
const MOST_BYTES = 64 * 1024 * 1024;
const OPTIONS = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' });

/** One resource that another server has in the namespace. */
interface Place {
  readonly remote: RemoteVersion;
  readonly resource: ApiResourceDiscovery;
  /** the path of its objects in the namespace */
  readonly path: string;
}

/** The result of a round for one resource. */
export interface RemoteRemaining extends Pick<ListedObjects, 'count' | 'finalizers' | 'grace'> {
  /** the resource as `name.group` */
  readonly name: string;
  /** the resource as `group/version, Resource=name` */
  readonly place: string;
  /** what went wrong with the deletion */
  readonly failure?: string;
}

export interface RemoteReport extends Pick<ContentReport, 'undiscovered'> {
  readonly failures: readonly string[];
  /** the resources with remaining objects, and those whose objects could not be deleted */
  readonly resources: readonly RemoteRemaining[];
}

const NOTHING: RemoteReport = { failures: [], resources: [] };

type OtherServers = Pick<Aggregation, 'listedObjects' | 'resources' | 'servers' | 'versions'>;

/** How other servers are asked, and their lists read. */
interface Asking extends Pick<OtherServers, 'listedObjects'> {
  readonly servers: RemoteServers;
}

export class RemoteContent {
  readonly #aggregation: OtherServers | undefined;
  readonly #user: User;
  readonly #accept: string;

  constructor(aggregation: OtherServers | undefined, { text }: Pick<Identity, 'text'>) {
    this.#aggregation = aggregation;
    const namespace = text('${systemNamespace}');
    const name = serviceAccountUserName(namespace, 'namespace-controller');
    this.#user = { name, uid: '', groups: [...serviceAccountGroups(namespace), 'system:authenticated'], extra: {} };
    this.#accept = `${text('application/json;as=PartialObjectMetadataList;v=v1;g=meta.${groupDomain}')},application/json`;
  }

  /** @returns as `delete` says it, which is not done */
  async undiscovered(namespace: string): Promise<string | undefined> {
    if (this.#aggregation === undefined || this.#aggregation.versions.size === 0) return undefined;
    return (await discovered(this.#aggregation, namespace)).undiscovered;
  }

  async delete(namespace: string): Promise<RemoteReport> {
    const aggregation = this.#aggregation;
    if (aggregation === undefined || aggregation.versions.size === 0) return NOTHING;
    const asking: Asking = { servers: await aggregation.servers(), listedObjects: (body) => aggregation.listedObjects(body) };
    const { places, undiscovered } = await discovered(aggregation, namespace);
    const failures: string[] = [];
    const resources: RemoteRemaining[] = [];
    for (const place of places) {
      try {
        const remaining = await this.#deleteResource(asking, place);
        if (remaining !== undefined) resources.push(remaining);
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
    return { failures, resources, ...(undiscovered !== undefined && { undiscovered }) };
  }

  /** @returns undefined where nothing is left. @throws RemoteError, ExchangeError, ServiceError */
  async #deleteResource(asking: Asking, place: Place): Promise<RemoteRemaining | undefined> {
    const { remote, resource } = place;
    const { verbs } = resource;
    const failure = await this.#deleteAll(asking, place).catch(messageOf);
    const { count, finalizers, grace } = verbs.includes('list') ? await this.#list(asking, place) : NO_OBJECTS;
    if (count === 0 && failure === undefined) return undefined;
    return {
      name: `${resource.resource}.${remote.group}`,
      count,
      finalizers,
      grace,
      place: `${remote.group}/${remote.version}, Resource=${resource.resource}`,
      ...(failure !== undefined && { failure }),
    };
  }

  /** All at once, or one after the other where the server knows no other way. @throws as `#ask` */
  async #deleteAll(asking: Asking, place: Place): Promise<undefined> {
    const { verbs } = place.resource;
    if (verbs.includes('deletecollection')) {
      const { status } = await this.#ask(asking, place, { method: 'DELETE', path: place.path, unless: [404, 405] });
      if (status < 300) return undefined;
    }
    if (!verbs.includes('list')) return undefined;
    for (const name of (await this.#list(asking, place)).names) {
      const path = `${place.path}/${encodeURIComponent(name)}`;
      await this.#ask(asking, place, { method: 'DELETE', path, unless: [404] });
    }
    return undefined;
  }

  /** Lists as many objects as one round may hold. The others are found when these are gone. @throws as of `#ask`, and for an endless list without objects */
  async #list(asking: Asking, place: Place): Promise<ListedObjects> {
    let all = NO_OBJECTS;
    let bytes = 0;
    for (let pages = 0; pages < MOST_PAGES && bytes < MOST_BYTES; pages++) {
      const path = `${place.path}?limit=${PAGE}${all.next === '' ? '' : `&continue=${encodeURIComponent(all.next)}`}`;
      const { status, body } = await this.#ask(asking, place, { method: 'GET', path, unless: [404, 405] });
      if (status >= 300) return all;
      bytes += body.length;
      all = joinedPages(all, await asking.listedObjects(body).catch(refused));
      if (all.next === '') return all;
    }
    if (all.count === 0) throw new RemoteError(`the list has nothing on ${MOST_PAGES} pages, and goes on`);
    return all;
  }

  /** @param unless other status that are an answer. @throws RemoteError for all others but those of success; ExchangeError; ServiceError */
  async #ask(
    { servers }: Asking,
    { remote }: Place,
    { method, path, unless }: { readonly method: 'GET' | 'DELETE'; readonly path: string; readonly unless: readonly number[] },
  ): Promise<WholeAnswer> {
    const sent = method === 'DELETE' ? { json: OPTIONS, accept: 'application/json' } : { accept: this.#accept };
    const answer = await servers.ask(remote, { method, path, user: this.#user, ...sent, ...LIMITS });
    if (answer.status < 300 || unless.includes(answer.status)) return answer;
    throw new RemoteError(saidBy(answer));
  }
}

/** What another server has answered instead of doing it. */
class RemoteError extends Error {}

/** Refuses an answer that is no list. @throws RemoteError */
function refused({ message }: Error): never {
  throw new RemoteError(message);
}

/** @throws what is no failure of another server */
function messageOf(error: unknown): string {
  if (error instanceof RemoteError || error instanceof ExchangeError || error instanceof ServiceError) return error.message;
  throw error;
}

/** Characters of another server's text; and bytes of an answer in which a status is looked for. */
const SHOWN = 1_024;
const MOST_STATUS_BYTES = 64 * 1024;

function saidBy({ status, body }: WholeAnswer): string {
  const text = body.toString('utf8', 0, SHOWN).trim();
  try {
    if (body.length > MOST_STATUS_BYTES) throw new SyntaxError('it is too long for a status');
    const { message } = parseNativeJson<{ message?: unknown }>(body.toString());
    if (typeof message === 'string' && message !== '') return message.slice(0, SHOWN);
  } catch {
    // said as it is
  }
  return text === '' ? `the server answers ${status}` : text;
}

/** Finds the resources of other servers, each once, in the first version of its group that has it. */
async function discovered(
  aggregation: Pick<Aggregation, 'resources' | 'versions'>,
  namespace: string,
): Promise<{ readonly places: readonly Place[]; readonly undiscovered: string | undefined }> {
  const versions = aggregation.versions
    .all()
    .toSorted((a, b) => (a.group === b.group ? b.versionPriority - a.versionPriority : a.group < b.group ? -1 : 1));
  const places = new Map<string, Place>();
  const stale: string[] = [];
  for (const remote of versions) {
    const resources = remote.available ? await aggregation.resources(remote) : undefined;
    if (resources === undefined) stale.push(`${remote.group}/${remote.version}`);
    await eachInTurns(resources ?? [], (resource) => {
      const { scope, verbs, resource: name } = resource;
      const key = `${remote.group}/${name}`;
      if (scope !== 'Namespaced' || !verbs.includes('delete') || places.has(key)) return;
      places.set(key, { remote, resource, path: `${versionPath(remote)}/namespaces/${namespace}/${encodeURIComponent(name)}` });
    });
  }
  return { places: [...places.values()], undiscovered: stale.length === 0 ? undefined : staleText(stale) };
}

/** Tells in the words of 1.32 which group versions are not known. */
function staleText(stale: readonly string[]): string {
  const each = stale.toSorted().map((version) => `${version}: stale GroupVersion discovery: ${version}`);
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${each.join(', ')}`;
}
