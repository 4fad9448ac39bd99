/** Answers requests for OpenAPI documents; see `Openapi`. */
import { documentHash, entityTag } from '../discovery/entity-tag.ts';
import { acceptedForm, protobufMediaType } from './accept.ts';
import { Catalog, type OpenapiView } from './catalog.ts';
import { inSlices, slices } from './gnostic/slices.ts';
import { jsonSlices } from './json-slices.ts';
import type { MergedSwagger } from './merged-swagger.ts';
import { headerText, type OpenapiAnswer, type RequestHeaders } from './openapi-answer.ts';
import { preconditionStatus } from './preconditions.ts';
import type { RemoteDocuments } from './remote-documents.ts';
import type { ServedDocument } from './served-document.ts';

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';

/** Each document is made on its first request, and kept. */
export class OpenapiService {
  readonly #catalog: Catalog;
  #list: Promise<Paths> | undefined;
  /** since when documents are what they are, by their paths */
  readonly #modified = new Map<string, { readonly hash: string; readonly seconds: number }>();

  constructor(view: OpenapiView) {
    this.#catalog = new Catalog(view);
  }

  invalidate(): void {
    this.#catalog.invalidate();
    this.#list = undefined;
  }

  /** See `Openapi.handle`. */
  async handle(path: string, query: URLSearchParams, headers: RequestHeaders): Promise<OpenapiAnswer | 'elsewhere' | undefined> {
    if (path === V2) return this.#answer(this.#catalog.swagger(), 'v2', headers);
    if (path === V3) return this.#listAnswer(headers);
    if (!path.startsWith(`${V3}/`)) return undefined;
    const name = path.slice(V3.length + 1);
    const remote = this.#catalog.remotes().find(([path]) => path === name)?.[1];
    if (remote !== undefined) return this.#remoteAnswer(name, remote, query, headers);
    const document = (await this.#catalog.documents()).get(name);
    if (document === undefined) return NOT_FOUND;
    return this.#answer(document, 'v3', headers, {
      address: documentAddress(name, await document.hash(true)),
      hash: query.get('hash') ?? '',
    });
  }

  async #remoteAnswer(
    name: string,
    remote: RemoteDocuments,
    query: URLSearchParams,
    headers: RequestHeaders,
  ): Promise<OpenapiAnswer | 'elsewhere'> {
    const v3 = await remote.v3();
    if (v3 === undefined) return NOT_FOUND;
    const hash = query.get('hash') ?? '';
    const address = documentAddress(name, v3.hash);
    if (v3.document !== undefined) return this.#answer(v3.document, 'v3', headers, { address, hash });
    // its own server would redirect to itself
    if (hash !== '' && v3.hash !== '' && hash !== v3.hash) return { status: 301, headers: { vary: 'Accept', location: address }, body: '' };
    return 'elsewhere';
  }

  /** @param request the requested hash, and the address with the current one */
  async #answer(
    document: ServedDocument | MergedSwagger,
    version: 'v2' | 'v3',
    headers: RequestHeaders,
    request?: { readonly address: string; readonly hash: string },
  ): Promise<OpenapiAnswer> {
    const form = acceptedForm(headerText(headers.accept), version);
    if (form === undefined) return { status: 406, headers: { vary: 'Accept' }, body: '' };
    const hash = await document.hash(true);
    const modified = this.#modifiedAt(request === undefined ? V2 : (request.address.split('?', 1)[0] as string), hash);
    // as in 1.32, where v2 alone is compressed for whoever takes that
    const vary = version === 'v2' ? 'Accept-Encoding, Accept' : 'Accept';
    const tagged = { etag: entityTag(hash), vary };
    const contentType = form === 'json' ? 'application/json' : protobufMediaType(version);
    if (request !== undefined && request.hash !== '' && request.hash !== hash)
      return { status: 301, headers: { ...tagged, 'content-type': contentType, location: request.address }, body: '' };
    const caching = request !== undefined && request.hash !== '' ? cacheForever() : {};
    const dated = { ...tagged, ...caching, 'last-modified': new Date(modified * 1000).toUTCString() };
    const status = preconditionStatus(headers, { tag: tagged.etag, modified });
    if (status === 304) return { status, headers: { ...tagged, ...caching }, body: '' };
    if (status !== undefined) return { status, headers: dated, body: '' };
    const body = await (form === 'json' ? document.json() : document.protobuf());
    return { status: 200, headers: { ...dated, 'content-type': contentType }, body };
  }

  /** @returns whole seconds since 1970: when this process has first answered with a document of that hash */
  #modifiedAt(path: string, hash: string): number {
    const known = this.#modified.get(path);
    if (known?.hash === hash) return known.seconds;
    // definitions come and go; whoever asks for a document again gets a later date, which is no harm
    if (this.#modified.size >= MOST_DATES) this.#modified.clear();
    const seconds = Math.floor(Date.now() / 1000);
    this.#modified.set(path, { hash, seconds });
    return seconds;
  }

  async #listAnswer(headers: RequestHeaders): Promise<OpenapiAnswer> {
    if (this.#list === undefined) {
      const made = this.#makeList();
      this.#list = made;
      made.catch(() => {
        if (this.#list === made) this.#list = undefined;
      });
    }
    const body = await this.#withRemotes(await this.#list);
    const etag = entityTag(documentHash(body));
    // 1.32 puts the list together for each request
    const now = new Date();
    const status = preconditionStatus(headers, { tag: etag, modified: Math.floor(now.getTime() / 1000) });
    if (status === 304) return { status, headers: { etag }, body: '' };
    const dated = { etag, 'last-modified': now.toUTCString() };
    if (status !== undefined) return { status, headers: dated, body: '' };
    // and sets no type, so that Go guesses this one from the text
    return { status: 200, headers: { ...dated, 'content-type': 'text/plain; charset=utf-8' }, body };
  }

  /** Asks for the documents of other servers on each request; they come from a cache. */
  async #withRemotes(own: Paths): Promise<Buffer> {
    const remotes = this.#catalog.remotes();
    const heard = await Promise.all(
      remotes.map(async ([name, remote]): Promise<[string, Paths[string]][]> => {
        const v3 = await remote.v3();
        return v3 === undefined ? [] : [[name, { serverRelativeURL: documentAddress(name, v3.hash) }]];
      }),
    );
    if (remotes.length === 0) return await listBytes(own);
    const all = [...Object.entries(own), ...heard.flat()].sort(([a], [b]) => (a < b ? -1 : 1));
    return Buffer.from(JSON.stringify({ paths: Object.fromEntries(all) }));
  }

  async #makeList(): Promise<Paths> {
    const pause = slices();
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const [name, document] of await this.#catalog.documents()) {
      paths[name] = { serverRelativeURL: documentAddress(name, await document.hash(false)) };
      await pause();
    }
    return paths;
  }
}

/** The addresses of documents by path. */
type Paths = Readonly<Record<string, { readonly serverRelativeURL: string }>>;

const NOT_FOUND: OpenapiAnswer = { status: 404, headers: {}, body: '' };
const listed = new WeakMap<Paths, Promise<Buffer>>();

/** The bytes are made once for each set of paths. */
function listBytes(paths: Paths): Promise<Buffer> {
  const bytes = listed.get(paths) ?? inSlices(jsonSlices({ paths })).then((text) => Buffer.from(text));
  listed.set(paths, bytes);
  return bytes;
}

/** An address with a hash always has the same document, so clients and proxies may keep it. @param hash '': there is none */
function documentAddress(name: string, hash: string): string {
  return hash === '' ? `${V3}/${name}` : `${V3}/${name}?hash=${hash}`;
}

/** The most documents whose dates are remembered. */
const MOST_DATES = 4_096;
const YEAR = 365 * 24 * 60 * 60 * 1000;

function cacheForever(): Record<string, string> {
  return { 'cache-control': 'public, immutable', expires: new Date(Date.now() + YEAR).toUTCString() };
}
