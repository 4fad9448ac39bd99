/** What other servers say of the versions that they answer in OpenAPI documents: asked for with the first wish for a document, and kept. */
import { SUPERUSER_GROUP } from '../authorization/superuser.ts';
import type { User } from '../contract/request-context.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { requireEncodable } from '../openapi/encodable-swagger.ts';
import { openapiV3 } from '../openapi/gnostic/openapi-v3.ts';
import type { RemoteDocuments, RemoteV2, RemoteV3 } from '../openapi/remote-documents.ts';
import { isMembers, readSwagger, swaggerOf, used } from '../openapi/remote-swagger.ts';
import { ServedDocument } from '../openapi/served-document.ts';
import { upgradedSwagger } from '../openapi/swagger-upgrade.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { Refreshed } from './refreshed.ts';
import type { RemoteServers, WholeAnswer } from './remote-servers.ts';
import { type RemoteVersion, versionPath } from './remote-version.ts';

/** Who asks other servers for their documents, as in 1.32. */
const ASKING: User = { name: 'system:aggregator', uid: '', groups: [SUPERUSER_GROUP], extra: {} };

/** Milliseconds for an answer, and its bytes. */
const TIMEOUT = 10_000;
const MAX_BYTES = { v2: 8 * 1024 * 1024, v3: 4 * 1024 * 1024 };

/** Hashes of v3 documents by their paths below `/openapi/v3/`; undefined: the server has none in this version. */
type Listed = ReadonlyMap<string, string> | undefined;

/** Of one server, for all versions that it answers. */
interface Swagger {
  /** by paths of versions */
  readonly versions: ReadonlyMap<string, RemoteV2>;
  readonly etag: string | undefined;
}

/** What one server says. */
interface ServerDocuments {
  readonly listed: Refreshed<Listed>;
  readonly swagger: Refreshed<Swagger>;
}

export class RemoteOpenapi {
  readonly #servers: RemoteServers;
  /** by places of services */
  readonly #known = new Map<string, ServerDocuments>();
  readonly #upgraded = new WeakMap<RemoteV2, ServedDocument>();

  constructor(servers: RemoteServers) {
    this.#servers = servers;
    servers.versions.onChange(({ gone, come }) => {
      for (const each of [...gone, ...come]) this.#known.delete(keyOf(each));
    });
  }

  of(remote: RemoteVersion): RemoteDocuments {
    return { v3: () => this.#v3(remote), v2: () => this.#v2(remote) };
  }

  async #v3(remote: RemoteVersion): Promise<RemoteV3 | undefined> {
    const outcome = await this.#serverOf(remote).listed.get();
    if (outcome.error !== undefined) return undefined;
    if (outcome.value !== undefined) {
      const hash = outcome.value.get(versionPath(remote).slice(1));
      return hash === undefined ? undefined : { hash };
    }
    const v2 = await this.#v2(remote);
    return v2 && { hash: v2.hash, document: this.#upgradedOf(v2) };
  }

  #upgradedOf(v2: RemoteV2): ServedDocument {
    let document = this.#upgraded.get(v2);
    if (document === undefined) {
      const json = async () => Buffer.from(JSON.stringify(upgradedSwagger(v2.document)));
      document = new ServedDocument({ json, hash: v2.hash, table: openapiV3 });
      this.#upgraded.set(v2, document);
    }
    return document;
  }

  async #v2(remote: RemoteVersion): Promise<RemoteV2 | undefined> {
    const { value } = await this.#serverOf(remote).swagger.get();
    return value?.versions.get(versionPath(remote));
  }

  #serverOf(remote: RemoteVersion): ServerDocuments {
    const key = keyOf(remote);
    let server = this.#known.get(key);
    if (server === undefined) {
      server = {
        listed: new Refreshed(keeping(() => this.#list(remote))),
        swagger: new Refreshed(keeping((before: Swagger | undefined) => this.#loadSwagger(remote, before))),
      };
      this.#known.set(key, server);
    }
    return server;
  }

  /** @throws Error while the server does not say */
  async #list(remote: RemoteVersion): Promise<Listed> {
    const { status, body } = await this.#ask(remote, '/openapi/v3', MAX_BYTES.v3);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`failed to download the list of OpenAPI documents: ${status}`);
    const list = parseNativeJson<unknown>(body.toString('utf8'));
    const paths = isMembers(list) && isMembers(list.paths) ? list.paths : {};
    return new Map(Object.entries(paths).map(([path, item]) => [path, hashIn(isMembers(item) ? item.serverRelativeURL : undefined)]));
  }

  /** @throws Error while the server does not say, and for what is no document */
  async #loadSwagger(remote: RemoteVersion, before: Swagger | undefined): Promise<Swagger> {
    const { status, body, headers } = await this.#ask(remote, '/openapi/v2', MAX_BYTES.v2, before?.etag);
    if (status === 304 && before !== undefined) return before;
    if (status !== 200) throw new Error(`failed to download the OpenAPI document: ${status}`);
    const hash = headers.etag ?? documentHash(body);
    const all = await readSwagger(body);
    const versions = new Map<string, RemoteV2>();
    const usedBefore = used(all, all.paths);
    // the whole is not kept
    for (const each of this.#servers.versions.all().filter((other) => keyOf(other) === keyOf(remote))) {
      const document = swaggerOf(all, pathsOf(each), usedBefore);
      await requireEncodable(document);
      versions.set(versionPath(each), { hash, document });
    }
    return { versions, etag: headers.etag };
  }

  #ask(remote: RemoteVersion, path: string, maxBytes: number, etag?: string): Promise<WholeAnswer> {
    return this.#servers.ask(remote, { path, accept: 'application/json', etag, user: ASKING, timeout: TIMEOUT, maxBytes });
  }
}

/** Of the version all paths, of its group its own. */
function pathsOf(remote: RemoteVersion): (path: string) => boolean {
  const own = versionPath(remote);
  const group = remote.group === '' ? own : `/apis/${remote.group}`;
  return (path) => path === own || path === group || path === `${group}/` || path.startsWith(`${own}/`);
}

/** A document that was there stays while its server is away, as in 1.32. */
function keeping<T>(load: (before: T | undefined) => Promise<T>): () => Promise<T> {
  let last: { readonly value: T } | undefined;
  return async () => {
    try {
      last = { value: await load(last?.value) };
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last.value;
  };
}

/** Of an address such as `/openapi/v3/apis/shop.example/v1?hash=0A1B`. */
function hashIn(address: unknown): string {
  return typeof address === 'string' ? (new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('hash') ?? '') : '';
}

function keyOf({ service: { namespace, name, port } }: RemoteVersion): string {
  return `${namespace}/${name}:${port}`;
}
