import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { ServiceRoutes } from '../../outbound/webhook-client.ts';
import type { FoundObjects } from '../../registry/resource-store/objects-of-kinds.ts';
import type { WriteCondition } from '../../registry/resource-store/write-condition.ts';
import type { NamespacePhase } from '../../registry/stored-objects/namespace-phases.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { GroupResource } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { Rounds } from '../request/rounds.ts';
import type { QuotaStatuses } from '../resource-quota/quota-statuses.ts';

/** One admission plugin. An absent member means that the plugin has nothing to do in that phase. Members throw a StatusError to refuse a request. */
export interface AdmissionPlugin {
  /**
   * Whether a phase may concern objects of a resource, or their subresources. Absent: it may concern those of all resources. Called once for each resource and
   * phase.
   */
  concerns?(of: GroupResource, phase: 'mutate' | 'validate'): boolean;
  /** May change `attributes.object`. Called a second time with the same attributes where a later plugin has changed the object (`Rounds`). */
  mutate?(attributes: AdmissionAttributes, rounds?: Rounds): void | Promise<void>;
  /** Must not change anything. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
  /**
   * Runs last, when no plugin has refused the object: takes what the object uses up, such as a quota. If the object is not stored in the end, that stays taken
   * until a controller counts anew.
   * @returns what the plugin has counted on, which must still be so when the object is written; undefined where nothing of that can change
   * @throws StatusError where there is not enough
   */
  reserve?(attributes: AdmissionAttributes): undefined | Promise<WriteCondition | undefined>;
  /** Closes connections that the plugin keeps. */
  close?(): void;
}

/** What plugins get of the server. */
export interface PluginParts {
  readonly identity: Identity;
  readonly authorizer: Authorizer;
  readonly objects: ObjectLookup;
  readonly featureEnabled: (gate: string) => boolean;
  /** the release whose API is served, such as 1.32 */
  readonly release: string;
  /**
   * Returns the phase of a namespace; undefined if it does not exist. It returns a promise, or throws a StatusError, only if another server has the namespaces.
   */
  readonly namespacePhase: (name: string) => NamespacePhase | undefined | Promise<NamespacePhase | undefined>;
  /** Creates a namespace, unless it exists. @throws StatusError */
  readonly createNamespace: (name: string) => Promise<void>;
  /** Returns all objects of a resource that has few objects, such as `storageclasses`. All plugins share them. */
  readonly followed: (resource: string) => Followed;
  /** Returns the resources that a kind may stand for, by the rules of 1.32. @param apiVersion a version, or a group and a version */
  readonly resourcesOfKind: (apiVersion: string, kind: string) => readonly ServedAs[];
  /**
   * Objects of any kind, as they are now.
   * @param apiVersion a version, or a group and a version.
   * @returns undefined for a kind that is not served, or not stored
   */
  readonly objectsOfKind: (apiVersion: string, kind: string) => FoundObjects | undefined;
  /** false on a thread that other requests wait for: work that takes long throws LongObject there */
  readonly mayTakeLong: boolean;
  readonly quotaStatuses: QuotaStatuses;
  readonly serviceRoutes: ServiceRoutes;
  /** the ways to webhooks; absent: they are reached directly */
  readonly egress?: Egress | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
  /** seconds that pods tolerate a node that is not ready, or not reachable, where they do not say it themselves */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number };
  /**
   * The configuration that --admission-control-config-file has for a plugin; undefined where it has none. Valid, where the plugin's configuration has a kind.
   */
  readonly configuration: (plugin: string) => unknown;
}

/** The objects of a resource as they were when the phase began, in the stored version. Nobody may change them. Members throw LongObject. */
export interface Followed {
  /** another number whenever an object has changed */
  readonly changes: number;
  /** @param namespace '' for objects without a namespace */
  in(namespace: string): readonly ApiObject[];
  /** @returns undefined where there is no such object */
  get(namespace: string, name: string): ApiObject | undefined;
}

export interface ServedAs {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
}
