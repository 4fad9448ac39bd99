/** OpenAPI documents of the versions that other servers answer. They are asked for when somebody first wants a document, and cached. */
import { SUPERUSER_GROUP } from '../authorization/superuser.ts';
import type { User } from '../contract/request-context.ts';
import type { RemoteDocuments, RemoteV2, RemoteV3 } from '../openapi/remote-documents.ts';
import type { VersionPaths } from '../openapi/remote-swagger.ts';
import { ServedDocument } from '../openapi/served-document.ts';
import type { DocumentWork } from './document-work.ts';
import { Refreshed } from './refreshed.ts';
import type { RemoteServers, WholeAnswer } from './remote-servers.ts';
import { type RemoteVersion, versionPath } from './remote-version.ts';

/** The user as whom this server asks for documents, as in 1.32. */
const ASKING: User = { name: 'system:aggregator', uid: '', groups: [SUPERUSER_GROUP], extra: {} };

/** Limits of an answer: milliseconds, and bytes. */
const TIMEOUT = 10_000;
const MAX_BYTES = { v2: 8 * 1024 * 1024, v3: 4 * 1024 * 1024 };

/** Hashes of the v3 documents that one server answers here, by their paths below `/openapi/v3/`; undefined: the server has no v3 documents at all. */
type Listed = ReadonlyMap<string, string> | undefined;

/** The v2 document of one server, for all versions that it answers here. */
interface Swagger {
  /** by paths of versions */
  readonly versions: ReadonlyMap<string, RemoteV2>;
  readonly etag: string | undefined;
  /** of the bytes that the server sent */
  readonly digest: string;
}

/** The documents of one server. */
interface ServerDocuments {
  readonly listed: Refreshed<Listed>;
  readonly swagger: Refreshed<Swagger>;
}

interface Heard<T> {
  readonly value: T;
}

/** Holds the last good answer; `heard` is absent before the first one. */
interface Last<T> {
  heard?: Heard<T>;
}

/** The last good answers of one server. They outlive changes of its APIServices, such as the change which says that the server is not available. */
interface LastHeard {
  readonly listed: Last<Listed>;
  readonly swagger: Last<Swagger>;
}

export class RemoteOpenapi {
  readonly #servers: RemoteServers;
  readonly #work: DocumentWork;
  /** by places of services */
  readonly #known = new Map<string, ServerDocuments>();
  /** by places of services: after a change of an APIService its server is asked anew, and most then send the same as before */
  readonly #last = new Map<string, LastHeard>();
  readonly #upgraded = new WeakMap<RemoteV2, ServedDocument>();

  constructor(servers: RemoteServers, work: DocumentWork) {
    this.#servers = servers;
    this.#work = work;
    servers.versions.onChange(({ gone, come }) => {
      for (const each of [...gone, ...come]) this.#known.delete(keyOf(each));
      const left = new Set(servers.versions.all().map(keyOf));
      for (const each of gone) if (!left.has(keyOf(each))) this.#last.delete(keyOf(each));
    });
  }

  of(remote: RemoteVersion): RemoteDocuments {
    return { v3: () => this.#v3(remote), v2: () => this.#v2(remote) };
  }

  async #v3(remote: RemoteVersion): Promise<RemoteV3 | undefined> {
    const listed = await this.#listedOf(remote);
    if (listed === undefined) return undefined;
    if (listed.value !== undefined) {
      const hash = listed.value.get(versionPath(remote).slice(1));
      return hash === undefined ? undefined : { hash };
    }
    const v2 = await this.#v2(remote);
    return v2 && { hash: v2.hash, document: this.#upgradedOf(v2) };
  }

  #upgradedOf(v2: RemoteV2): ServedDocument {
    let document = this.#upgraded.get(v2);
    if (document === undefined) {
      const { document: of, about, hash } = v2;
      const made = (form: 'json' | 'protobuf') => async () =>
        bufferOf(await this.#work.do('upgradeSwagger', { document: of, about, form }, of.length));
      document = new ServedDocument({ json: made('json'), hash, table: made('protobuf') });
      this.#upgraded.set(v2, document);
    }
    return document;
  }

  async #v2(remote: RemoteVersion): Promise<RemoteV2 | undefined> {
    const swagger = remote.available
      ? (await this.#serverOf(remote).swagger.get()).value
      : this.#lastHeard(keyOf(remote)).swagger.heard?.value;
    return swagger?.versions.get(versionPath(remote));
  }

  /** Nobody is asked about a version that is not available: otherwise everyone who wants a document would wait for a server that hangs. */
  async #listedOf(remote: RemoteVersion): Promise<Heard<Listed> | undefined> {
    if (!remote.available) return this.#lastHeard(keyOf(remote)).listed.heard;
    const outcome = await this.#serverOf(remote).listed.get();
    return outcome.error === undefined ? { value: outcome.value } : undefined;
  }

  #serverOf(remote: RemoteVersion): ServerDocuments {
    const key = keyOf(remote);
    let server = this.#known.get(key);
    if (server === undefined) {
      const last = this.#lastHeard(key);
      server = {
        listed: new Refreshed(keeping(() => this.#list(remote), last.listed)),
        swagger: new Refreshed(keeping(() => this.#loadSwagger(remote, last.swagger.heard?.value), last.swagger)),
      };
      this.#known.set(key, server);
    }
    return server;
  }

  #lastHeard(key: string): LastHeard {
    let last = this.#last.get(key);
    if (last === undefined) {
      last = { listed: {}, swagger: {} };
      this.#last.set(key, last);
    }
    return last;
  }

  /** @throws Error while the server does not say */
  async #list(remote: RemoteVersion): Promise<Listed> {
    const { status, body } = await this.#ask(remote, '/openapi/v3', MAX_BYTES.v3);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`failed to download the list of OpenAPI documents: ${status}`);
    const paths = this.#versionsOf(remote).map((each) => versionPath(each).slice(1));
    const hashes = await this.#work.do('listDocuments', { body, paths }, body.length);
    return new Map(paths.flatMap((path, index): [string, string][] => (hashes[index] === undefined ? [] : [[path, hashes[index]]])));
  }

  /** @throws Error if the server does not answer, or its answer is no OpenAPI document */
  async #loadSwagger(remote: RemoteVersion, read: Swagger | undefined): Promise<Swagger> {
    const versions = this.#versionsOf(remote).map((each): [string, VersionPaths] => [versionPath(each), { version: versionPath(each) }]);
    const last = ofSameVersions(read, versions);
    const { status, body, headers } = await this.#ask(remote, '/openapi/v2', MAX_BYTES.v2, last?.etag);
    if (status === 304 && last !== undefined) return last;
    if (status !== 200) throw new Error(`failed to download the OpenAPI document: ${status}`);
    const { etag } = headers;
    const order = { body, versions: versions.map(([, about]) => about), digest: last?.digest };
    const { digest, document } = await this.#work.do('readSwagger', order, body.length);
    const hash = etag ?? digest;
    return document === undefined
      ? { ...(last as Swagger), etag }
      : { versions: new Map(versions.map(([path, about]) => [path, { hash, document, about }])), etag, digest };
  }

  /** All versions that the server of this version answers. */
  #versionsOf(remote: RemoteVersion): readonly RemoteVersion[] {
    const key = keyOf(remote);
    return this.#servers.versions.all().filter((each) => keyOf(each) === key);
  }

  #ask(remote: RemoteVersion, path: string, maxBytes: number, etag?: string): Promise<WholeAnswer> {
    return this.#servers.ask(remote, { path, accept: 'application/json', etag, user: ASKING, timeout: TIMEOUT, maxBytes });
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** What was read before, if it was read for the same versions. */
function ofSameVersions(read: Swagger | undefined, versions: readonly [string, VersionPaths][]): Swagger | undefined {
  return read?.versions.size === versions.length && versions.every(([path]) => read.versions.has(path)) ? read : undefined;
}

/** Loads a document, but gives the last good one while its server fails, as in 1.32. */
function keeping<T>(load: () => Promise<T>, last: Last<T>): () => Promise<T> {
  return async () => {
    try {
      last.heard = { value: await load() };
    } catch (error) {
      if (last.heard === undefined) throw error;
    }
    return last.heard.value;
  };
}

function keyOf({ service: { namespace, name, port } }: RemoteVersion): string {
  return `${namespace}/${name}:${port}`;
}
