/** Informers of the resources of a client. */

import type { AnyObject, PartialObject } from '../objects/object.ts';
import type { FieldSelector, LabelSelector } from '../objects/selectors.ts';
import { fieldSelectorText, labelSelectorText } from '../objects/selectors.ts';
import type { Client } from '../resources/client.ts';
import type { Answer, ResourcePlace } from '../resources/methods.ts';
import type { Resource, ResourceTypes } from '../resources/resource.ts';
import { apiVersionOf, type ResourceRequests } from '../resources/resource-requests.ts';
import { tellListeners } from './error-listeners.ts';
import { Informer, type InformerOptions, type InformerSource } from './informer.ts';

/** @param place such as `client.resource(pods)` or `client.resource(pods).in('default')` */
export function informer<R extends ResourceTypes>(place: ResourcePlace<R>, options?: InformerOptions<Answer<R>>): Informer<Answer<R>> {
  return new Informer<Answer<R>>(sourceOf(place), options);
}

/** An informer that keeps only the metadata of objects. */
export function metadataInformer<R extends ResourceTypes>(
  place: ResourcePlace<R>,
  options?: InformerOptions<PartialObject<R['scope']>>,
): Informer<PartialObject<R['scope']>> {
  const { client, ...source } = sourceOf(place);
  const group = client.identity.text('meta.${groupDomain}');
  const form = (kind: string): string => `application/json;as=${kind};v=v1;g=${group}`;
  return new Informer<PartialObject<R['scope']>>(
    {
      ...source,
      client,
      kind: { kind: 'PartialObjectMetadata', apiVersion: `${group}/v1` },
      accept: { list: form('PartialObjectMetadataList'), watch: form('PartialObjectMetadata') },
    },
    options,
  );
}

function sourceOf<R extends ResourceTypes>(place: ResourcePlace<R>): InformerSource {
  const requests = place as unknown as ResourceRequests;
  const { client, resource } = requests;
  return {
    client,
    path: (name, ...parameters) => requests.path(name, ...parameters),
    kind: { kind: resource.kind, apiVersion: apiVersionOf(client.identity.text(resource.group), resource.version) },
  };
}

/** Which objects of a resource a shared informer keeps. */
export interface SharedChoice {
  /** absent: all namespaces */
  readonly namespace?: string;
  readonly labels?: LabelSelector;
  readonly fields?: FieldSelector;
}

/** Informers that all parts of a program share: one for each resource, namespace and selection. */
export class Informers {
  readonly #client: Client;
  readonly #options: Pick<InformerOptions<AnyObject>, 'hold' | 'streaming' | 'pageSize' | 'idleTimeout'>;
  readonly #informers = new Map<string, Informer<AnyObject>>();
  readonly #errorListeners = new Set<(error: unknown, resource: string) => void>();

  constructor(client: Client, options: Pick<InformerOptions<AnyObject>, 'hold' | 'streaming' | 'pageSize' | 'idleTimeout'> = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** @returns the running informer of a resource. It is a new one if the last was stopped, also by the end of its client. */
  of<R extends ResourceTypes>(resource: Resource<R>, { namespace, labels = '', fields = '' }: SharedChoice = {}): Informer<Answer<R>> {
    const { group, version, name } = resource;
    const selection = [labelSelectorText(labels), fieldSelectorText(fields)];
    const key = JSON.stringify([group, version, name, namespace, ...selection]);
    const known = this.#informers.get(key);
    if (known?.isStopped === false) return known as unknown as Informer<Answer<R>>;
    const all = this.#client.resource(resource) as unknown as ResourceRequests;
    const place = (namespace === undefined ? all : all.in(namespace)) as unknown as ResourcePlace<R>;
    const made = informer(place, { ...this.#options, ...(labels !== '' && { labels }), ...(fields !== '' && { fields }) });
    made.onError((error) => this.#fail(error, name));
    this.#informers.set(key, made as unknown as Informer<AnyObject>);
    return made.start();
  }

  /** Resolves when each informer has its initial objects. @throws InformerStopped; the reason of the signal */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((each) => each.synced(signal)));
  }

  /** Adds a listener of errors of all informers. Errors without a listener become warnings of the process. @returns a function that removes it */
  onError(listener: (error: unknown, resource: string) => void): () => void {
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  /** Stops all of them. */
  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((each) => each.stop()));
    this.#informers.clear();
  }

  #fail(error: unknown, resource: string): void {
    tellListeners(this.#errorListeners, error, resource);
  }
}
