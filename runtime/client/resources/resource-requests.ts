/** The requests of one resource: all methods, of which types show those that the resource has. */
import { isConflict } from '../objects/api-error.ts';
import type { AnyObject, List, ListMetadata, PartialObject, Table } from '../objects/object.ts';
import type { JsonPatchOperation } from '../objects/patches.ts';
import type { Status } from '../objects/status.ts';
import { itemsOf } from './answer-json.ts';
import { BackOff } from './back-off.ts';
import { endedWithClient } from './ended-with-client.ts';
import type { WatchEvent } from './methods.ts';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PagesOptions,
  TableOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import {
  collectionParameters,
  listParameters,
  type QueryParameters,
  queryText,
  readParameters,
  tableParameters,
  writeParameters,
} from './query.ts';
import type { ClientRequest, Requester } from './requester.ts';
import type { Resource, SubresourceKind } from './resource.ts';
import { resumedWatch } from './resumed-watch.ts';

const JSON_TYPE = 'application/json';
/** Objects of a page, as of kubectl. */
const PAGE = 500;
/** How often `modify` starts again because others have changed the object. */
const MAX_CONFLICTS = 10;
/** Many who change one object at a time would else meet each time. */
const CONFLICT_BACK_OFF = { first: 10, longest: 1_000 };

type Named = AnyObject & { readonly metadata?: { readonly name?: string } };

export class ResourceRequests {
  readonly client: Requester;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly #subresource: string | undefined;
  /** kind of the objects that are sent and answered */
  readonly #kind: { readonly kind: string; readonly apiVersion: string };

  constructor(client: Requester, resource: Resource, namespace?: string, subresource?: string) {
    this.client = client;
    this.resource = resource;
    this.namespace = namespace;
    this.#subresource = subresource;
    const own: SubresourceKind = (subresource !== undefined && resource.subresources?.[subresource]) || resource;
    this.#kind = { kind: own.kind, apiVersion: apiVersionOf(client.identity.text(own.group), own.version) };
  }

  in(namespace: string = this.client.defaultNamespace): ResourceRequests {
    return new ResourceRequests(this.client, this.resource, namespace);
  }

  subresource(name: string): ResourceRequests {
    return new ResourceRequests(this.client, this.resource, this.namespace, name);
  }

  get(name: string, options: GetOptions = {}): Promise<AnyObject> {
    return this.#read(this.path(name, readParameters(options)), options);
  }

  getTable(name: string, options: GetOptions & TableOptions = {}): Promise<Table<unknown>> {
    return this.#read(this.path(name, readParameters(options), tableParameters(options)), options, this.#as('Table'));
  }

  getMetadata(name: string, options: GetOptions = {}): Promise<PartialObject> {
    return this.#read(this.path(name, readParameters(options)), options, this.#as('PartialObjectMetadata'));
  }

  async list(options: ListOptions = {}): Promise<List<AnyObject>> {
    return this.#completed(await this.#read(this.path(undefined, listParameters(options)), options), this.#kind);
  }

  async *pages({ limit = PAGE, ...given }: PagesOptions = {}): AsyncGenerator<List<AnyObject>, void> {
    const options = { ...given, signal: endedWithClient(this.client, given.signal) };
    let page = await this.list({ ...options, limit });
    yield page;
    while (page.metadata.continue) {
      // the token alone states the version of a page
      const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
      page = await this.list({ ...rest, limit, continue: page.metadata.continue });
      yield page;
    }
  }

  listTable(options: ListOptions & TableOptions = {}): Promise<Table<unknown>> {
    return this.#read(this.path(undefined, listParameters(options), tableParameters(options)), options, this.#as('Table'));
  }

  async listMetadata(options: ListOptions = {}): Promise<List<PartialObject>> {
    const path = this.path(undefined, listParameters(options));
    const list = await this.#read<ReceivedList>(path, options, this.#as('PartialObjectMetadataList'));
    const apiVersion = `${this.client.identity.text('meta.${groupDomain}')}/v1`;
    return this.#completed(list, { kind: 'PartialObjectMetadata', apiVersion }) as List<PartialObject>;
  }

  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<AnyObject>, never> {
    return resumedWatch(this, options);
  }

  /** The arguments of a subresource's method begin with the object's name. */
  create(
    ...given: [object: AnyObject, options?: WriteOptions] | [name: string, object: AnyObject, options?: WriteOptions]
  ): Promise<AnyObject> {
    const [name, object, options] = typeof given[0] === 'string' ? (given as [string, AnyObject, WriteOptions?]) : [undefined, ...given];
    return this.#write('POST', name, JSON_TYPE, this.#complete(object as AnyObject), (options ?? {}) as WriteOptions);
  }

  update(object: Named, options: WriteOptions = {}): Promise<AnyObject> {
    return this.#write('PUT', nameOf(object), JSON_TYPE, this.#complete(object), options);
  }

  async modify(name: string, change: (object: AnyObject) => Named | undefined, options: WriteOptions = {}): Promise<AnyObject> {
    const signal = endedWithClient(this.client, options.signal);
    const backOff = new BackOff(CONFLICT_BACK_OFF);
    for (let conflicts = 0; ; conflicts++) {
      const object = await this.get(name, { signal });
      try {
        return await this.update(change(object) ?? object, { ...options, signal });
      } catch (error) {
        if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
        await backOff.wait(signal);
      }
    }
  }

  jsonPatch(name: string, patch: readonly JsonPatchOperation[], options: WriteOptions = {}): Promise<AnyObject> {
    return this.#write('PATCH', name, 'application/json-patch+json', patch, options);
  }

  mergePatch(name: string, patch: object, options: WriteOptions = {}): Promise<AnyObject> {
    return this.#write('PATCH', name, 'application/merge-patch+json', patch, options);
  }

  strategicMergePatch(name: string, patch: object, options: WriteOptions = {}): Promise<AnyObject> {
    return this.#write('PATCH', name, 'application/strategic-merge-patch+json', patch, options);
  }

  apply(object: Named, options: ApplyOptions = {}): Promise<AnyObject> {
    if ((options.fieldManager ?? this.client.fieldManager) === undefined)
      throw new TypeError('apply needs a fieldManager, in its options or in those of the client');
    return this.#write('PATCH', nameOf(object), 'application/apply-patch+yaml', this.#complete(object), options);
  }

  delete(name: string, options: DeleteOptions = {}): Promise<AnyObject | Status> {
    return this.#delete(this.path(name), options);
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<List<AnyObject> | Status> {
    const answer = await this.#delete<ReceivedList | Status>(this.path(undefined, collectionParameters(options)), options);
    return answer.kind === 'Status' ? (answer as Status) : this.#completed(answer as ReceivedList, this.#kind);
  }

  /** @param name undefined for the collection. @param parameters of the query */
  path(name?: string, ...parameters: readonly QueryParameters[]): string {
    const { group, version, name: resource } = this.resource;
    const known = this.client.identity.text(group);
    const root = known === '' ? `/api/${version}` : `/apis/${known}/${version}`;
    const place = this.namespace === undefined ? '' : `/namespaces/${segment(this.namespace)}`;
    const object = name === undefined ? '' : `/${segment(name)}`;
    const part = this.#subresource === undefined ? '' : `/${this.#subresource}`;
    return `${root}${place}/${resource}${object}${part}${queryText(...parameters)}`;
  }

  #read<T>(path: string, { signal }: { readonly signal?: AbortSignal | undefined }, accept?: string): Promise<T> {
    return this.client.request({ method: 'GET', path, signal, ...(accept !== undefined && { accept }) });
  }

  #write(
    method: ClientRequest['method'],
    name: string | undefined,
    type: string,
    body: unknown,
    options: ApplyOptions,
  ): Promise<AnyObject> {
    const path = this.path(name, writeParameters(options, this.client.fieldManager));
    return this.client.request({ method, path, body: { type, text: JSON.stringify(body) }, signal: options.signal });
  }

  #delete<T extends AnyObject | Status>(path: string, options: DeleteOptions): Promise<T> {
    const { signal, dryRun, preconditions, gracePeriodSeconds, propagationPolicy } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(dryRun && { dryRun: ['All'] }),
      ...(preconditions && { preconditions }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(propagationPolicy && { propagationPolicy }),
    };
    return this.client.request({ method: 'DELETE', path, body: { type: JSON_TYPE, text: JSON.stringify(body) }, signal });
  }

  /** Adds the kind and the version to an object that is sent. */
  #complete(object: AnyObject): AnyObject {
    const { kind, apiVersion } = this.#kind;
    return { ...object, kind: object.kind ?? kind, apiVersion: object.apiVersion ?? apiVersion };
  }

  /** Adds the kind and the version to the items of a list, because servers state them only for the list. */
  #completed(list: ReceivedList, { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string }): List<AnyObject> {
    const items = itemsOf<AnyObject>(list, this.path());
    for (const item of items) {
      item.kind ??= kind;
      item.apiVersion ??= apiVersion;
    }
    return { metadata: { resourceVersion: '', ...list.metadata }, items };
  }

  #as(kind: string): string {
    return `application/json;as=${kind};v=v1;g=${this.client.identity.text('meta.${groupDomain}')}`;
  }
}

interface ReceivedList {
  readonly kind?: string;
  readonly metadata?: ListMetadata;
  readonly items?: unknown;
}

/** Encodes one part of a path. @throws TypeError for a name that would change the path, such as an empty one, which would mean all objects */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new TypeError(`${JSON.stringify(name)} is no name of an object or a namespace`);
  return encodeURIComponent(name);
}

export const apiVersionOf = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`);

function nameOf({ metadata }: Named): string {
  if (!metadata?.name) throw new TypeError('the object has no metadata.name');
  return metadata.name;
}
