import type { Authorizer } from '../authorization/authorizer.ts';
import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Egress } from '../outbound/egress.ts';
import type { FindService } from '../outbound/webhook-client.ts';
import type { NamespacePhase } from '../registry/namespace-phases.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import type { ObjectsOfKind } from '../registry/objects-of-kinds.ts';
import type { WriteCondition } from '../registry/write-condition.ts';
import type { GroupResource } from '../status/status.ts';
import type { AdmissionAttributes } from './request/attributes.ts';
import type { Rounds } from './request/rounds.ts';
import type { QuotaStatuses } from './resource-quota/quota-statuses.ts';

/** One admission plugin; a member that is absent has nothing to do in that phase. All throw StatusError to refuse. */
export interface AdmissionPlugin {
  /**
   * Whether a phase may have something to do with objects of a resource, or with what is below their paths; absent: it may with those of all. It is asked once for
   * each resource.
   */
  concerns?(of: GroupResource, phase: 'mutate' | 'validate'): boolean;
  /** May change `attributes.object`. Called once more for the same attributes where `rounds` says that a later plugin has changed the object. */
  mutate?(attributes: AdmissionAttributes, rounds?: Rounds): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
  /**
   * Takes what the object uses up, once no plugin refuses it. What is taken for an object that is not stored in the end stays taken until somebody finds that.
   * @returns what it has counted on; undefined where nothing of that can change. @throws StatusError where there is not enough
   */
  reserve?(attributes: AdmissionAttributes): undefined | Promise<WriteCondition | undefined>;
  /** Ends connections that are kept. */
  close?(): void;
}

/** What plugins are made of. */
export interface PluginParts {
  readonly identity: Identity;
  readonly authorizer: Authorizer;
  readonly objects: ObjectLookup;
  readonly featureEnabled: (gate: string) => boolean;
  /** the one whose API is served, such as 1.32 */
  readonly release: string;
  /** undefined for a namespace that does not exist. A promise, and StatusError, only where another server has the namespaces. */
  readonly namespacePhase: (name: string) => NamespacePhase | undefined | Promise<NamespacePhase | undefined>;
  /** One namespace more, unless it is there. @throws StatusError */
  readonly createNamespace: (name: string) => Promise<void>;
  /** All objects of a resource that has few, such as `storageclasses`; the same for all plugins. */
  readonly followed: (resource: string) => Followed;
  /** The resources that 1.32 takes a kind for. @param apiVersion a version, or a group and a version */
  readonly resourcesOfKind: (apiVersion: string, kind: string) => readonly ServedAs[];
  /** Objects of any kind, as they are now. @param apiVersion a version, or a group and a version. @returns undefined for a kind that is not served, or not stored */
  readonly objectsOfKind: (apiVersion: string, kind: string) => Pick<ObjectsOfKind, 'namespaced' | 'get' | 'selected'> | undefined;
  /** whether what takes long is done here: others wait for this thread otherwise, and such work throws LongObject */
  readonly mayTakeLong: boolean;
  readonly quotaStatuses: QuotaStatuses;
  readonly findService: FindService;
  /** the ways to webhooks; absent: they are reached directly */
  readonly egress?: Egress | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
  /** seconds that pods which do not say tolerate a node that is not ready, and one that cannot be reached */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number };
  /** What --admission-control-config-file has for a plugin, valid where the plugin's configuration has a kind; undefined where it has nothing. */
  readonly configuration: (plugin: string) => unknown;
}

/** Objects as they were stored when the phase began, in the stored version, which nobody may change. @throws LongObject */
export interface Followed {
  /** another number each time that something has changed */
  readonly changes: number;
  /** @param namespace '' for what has none */
  in(namespace: string): readonly ApiObject[];
  /** @returns undefined for one that is not there */
  get(namespace: string, name: string): ApiObject | undefined;
}

export interface ServedAs {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
}
