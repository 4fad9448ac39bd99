import type { Identity } from '../contract/identity.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { Outbound } from './outbound.ts';

/** What relaying uses of the server: the objects that say where others are, and how they are reached. */
export interface RelayServer {
  readonly identity: Identity;
  readonly registry: Registry;
  /** how nodes, pods and services are reached */
  readonly outbound: Outbound;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
}
