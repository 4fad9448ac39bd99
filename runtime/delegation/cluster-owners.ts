/** Owners that the delegating server has. */
import { ApiError } from '../client/objects/api-error.ts';
import type { Client } from '../client/resources/client.ts';
import { ConnectionError } from '../client/transport/transport.ts';
import type { OwnerPlace, OwnerSource } from '../controllers/controller/owner-source.ts';
import type { DiscoveredResource } from './parameter-kinds.ts';

/** Milliseconds for an answer, and for which what a version has is known. */
const TIMEOUT = 10_000;
const KNOWN = 60_000;
const MAX_KNOWN = 256;

export class ClusterOwners implements OwnerSource {
  readonly isEmpty = false;
  readonly #client: Client;
  readonly #accept: string;
  /** by apiVersion; the oldest make room for new ones */
  readonly #versions = new Map<string, { readonly resources: Promise<readonly DiscoveredResource[]>; readonly until: number }>();

  constructor(client: Client) {
    this.#client = client;
    this.#accept = `${client.identity.text('application/json;as=PartialObjectMetadata;v=v1;g=meta.${groupDomain}')},application/json`;
  }

  async place(apiVersion: string, kind: string): Promise<OwnerPlace | undefined> {
    const found = (await this.#resources(apiVersion)).find((each) => each.kind === kind && !each.name.includes('/'));
    if (found === undefined) return undefined;
    return { resource: found.name, namespaced: found.namespaced, get: (path) => this.#get(path) };
  }

  async #get(path: string): ReturnType<OwnerPlace['get']> {
    try {
      const body = await this.#client.request<unknown>({ method: 'GET', path, accept: this.#accept, signal: AbortSignal.timeout(TIMEOUT) });
      return { status: 200, body: JSON.stringify(body) };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.code, body: error.body };
      if (isSilence(error)) return undefined;
      throw error;
    }
  }

  #resources(apiVersion: string): Promise<readonly DiscoveredResource[]> {
    const known = this.#versions.get(apiVersion);
    if (known !== undefined && performance.now() < known.until) return known.resources;
    const resources = this.#discover(apiVersion);
    this.#versions.delete(apiVersion);
    this.#versions.set(apiVersion, { resources, until: performance.now() + KNOWN });
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > MAX_KNOWN) this.#versions.delete(oldest as string);
    return resources;
  }

  /** None where the server does not say. */
  async #discover(apiVersion: string): Promise<readonly DiscoveredResource[]> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    try {
      const signal = AbortSignal.timeout(TIMEOUT);
      const { resources = [] } = await this.#client.request<{ resources?: readonly DiscoveredResource[] }>({ method: 'GET', path, signal });
      return resources;
    } catch (error) {
      if (error instanceof ApiError || isSilence(error)) return [];
      throw error;
    }
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof DOMException && error.name === 'TimeoutError');
