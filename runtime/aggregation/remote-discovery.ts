/** The resources that other servers have in the versions that they answer. They are asked for when somebody first wants aggregated discovery, and cached. */
import { SUPERUSER_GROUP } from '../authorization/superuser.ts';
import type { Identity } from '../contract/identity.ts';
import type { User } from '../contract/request-context.ts';
import { AGGREGATED_KIND } from '../discovery/aggregated.ts';
import type { ResourcesText } from '../discovery/registry-view.ts';
import type { DocumentWork } from './document-work.ts';
import { type Outcome, Refreshed } from './refreshed.ts';
import type { RemoteServers, WholeAnswer } from './remote-servers.ts';
import { type RemoteVersion, versionPath } from './remote-version.ts';

/** The user as whom this server sends its own requests, and who may read everything. */
export const AGGREGATOR: User = { name: 'system:kube-aggregator', uid: '', groups: [SUPERUSER_GROUP], extra: {} };

/** Limits of an answer: milliseconds, as in 1.32, and bytes. */
const LIMITS = { timeout: 5_000, maxBytes: 8 * 1024 * 1024 };

/** undefined: the server does not answer */
type Resources = ResourcesText | undefined;

/** Aggregated discovery of one server, by `group/version`. `versions` is undefined if the server has none: then each version is asked for by itself. */
interface Described {
  readonly versions: ReadonlyMap<string, ResourcesText> | undefined;
  readonly etag: string | undefined;
}

/** What one server says in both forms of discovery. */
class ServerDiscovery {
  readonly aggregated: Refreshed<Described>;
  /** by paths of versions */
  readonly listed = new Map<string, Refreshed<ResourcesText>>();

  constructor(load: (before: Described | undefined) => Promise<Described>) {
    this.aggregated = new Refreshed(load);
  }
}

export class RemoteDiscovery {
  readonly #servers: RemoteServers;
  readonly #work: DocumentWork;
  readonly #group: string;
  /** by places of services */
  readonly #known = new Map<string, ServerDiscovery>();

  constructor(servers: RemoteServers, work: DocumentWork, identity: Identity) {
    this.#servers = servers;
    this.#work = work;
    this.#group = identity.text('apidiscovery.${groupDomain}');
    servers.versions.onChange(({ gone, come }) => {
      // any change of an APIService has its server asked anew
      for (const each of [...gone, ...come]) this.#known.delete(keyOf(each));
    });
  }

  /**
   * No promise if the answer is known. The promise never rejects. As in 1.32 nobody is asked about a version that is not available: otherwise everyone who
   * wants discovery would wait for a server that hangs.
   */
  resources(remote: RemoteVersion): Resources | Promise<Resources> {
    if (!remote.available) return undefined;
    const server = this.#serverOf(remote);
    const outcome = server.aggregated.get();
    return outcome instanceof Promise
      ? outcome.then((heard) => this.#resourcesIn(heard, server, remote))
      : this.#resourcesIn(outcome, server, remote);
  }

  #resourcesIn({ value }: Outcome<Described>, server: ServerDiscovery, remote: RemoteVersion): Resources | Promise<Resources> {
    if (value === undefined) return undefined;
    if (value.versions !== undefined) return value.versions.get(versionName(remote)) ?? NOTHING;
    const path = versionPath(remote);
    let listed = server.listed.get(path);
    if (listed === undefined) {
      listed = new Refreshed(() => this.#list(remote));
      server.listed.set(path, listed);
    }
    const outcome = listed.get();
    return outcome instanceof Promise ? outcome.then((heard) => heard.value) : outcome.value;
  }

  #serverOf(remote: RemoteVersion): ServerDiscovery {
    const key = keyOf(remote);
    let server = this.#known.get(key);
    if (server === undefined) {
      server = new ServerDiscovery((before) => this.#describe(remote, before));
      this.#known.set(key, server);
    }
    return server;
  }

  /** @throws Error while the server does not say */
  async #describe(remote: RemoteVersion, before: Described | undefined): Promise<Described> {
    const accept = ['v2', 'v2beta1'].map((version) => `application/json;g=${this.#group};v=${version};as=${AGGREGATED_KIND}`).join(',');
    const answer = await this.#servers.ask(remote, { path: '/apis', accept, etag: before?.etag, user: AGGREGATOR, ...LIMITS });
    if (answer.status === 304 && before !== undefined) return before;
    if (answer.status === 503) throw new Error(`the service ${keyOf(remote)} is unavailable`);
    if (answer.status !== 200 || !this.#isAggregated(answer)) return { versions: undefined, etag: undefined };
    const { body, headers } = answer;
    const versions = this.#servers.versions.all().filter((each) => keyOf(each) === keyOf(remote));
    const names = versions.map(versionName);
    const texts = await this.#work.do('describeAll', { body, versions: names }, body.length);
    return { versions: new Map(names.map((name, index) => [name, texts[index] ?? NOTHING])), etag: headers.etag };
  }

  #isAggregated({ headers }: WholeAnswer): boolean {
    const [, ...parameters] = (headers['content-type'] ?? '').split(';').map((each) => each.trim());
    return (
      parameters.includes(`g=${this.#group}`) &&
      parameters.includes(`as=${AGGREGATED_KIND}`) &&
      (parameters.includes('v=v2') || parameters.includes('v=v2beta1'))
    );
  }

  /** @throws Error while the server does not say */
  async #list(remote: RemoteVersion): Promise<ResourcesText> {
    const { status, body } = await this.#servers.ask(remote, {
      path: versionPath(remote),
      accept: 'application/json',
      user: AGGREGATOR,
      ...LIMITS,
    });
    if (status !== 200) throw new Error(`failed to download legacy discovery for ${versionPath(remote)}: ${status}`);
    return this.#work.do('describeVersion', { body }, body.length);
  }
}

const NOTHING: ResourcesText = Buffer.from('[]');

const versionName = ({ group, version }: RemoteVersion): string => `${group}/${version}`;

function keyOf({ service: { namespace, name, port } }: RemoteVersion): string {
  return `${namespace}/${name}:${port}`;
}
