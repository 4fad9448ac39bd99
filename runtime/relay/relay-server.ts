import type { Identity } from '../contract/identity.ts';
import type { ResourceStore } from '../registry/resource-store/resource-store.ts';
import type { Registry } from '../registry/resources/registry.ts';
import type { Resource } from '../registry/resources/resource.ts';
import type { Outbound } from './outbound.ts';

/** The parts of the server that relaying uses: the objects that say where a request goes, and how connections are made. */
export interface RelayServer {
  readonly identity: Identity;
  readonly registry: Registry;
  /** how nodes, pods and services are reached */
  readonly outbound: Outbound;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
}
