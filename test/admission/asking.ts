/** Asks one plugin about a write, and tells what came of it. */

import { metricsData } from '../../generated/metrics.ts';
import type { AdmissionPlugin, PluginParts } from '../../runtime/admission/plugin-interface/plugin.ts';
import type { AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { identity } from '../kinds/context.ts';

export interface Asked {
  readonly operation?: AdmissionAttributes['operation'];
  /** default: the core group */
  readonly group?: string;
  /** default: pods */
  readonly resource?: string;
  readonly subresource?: string;
  /** default: that of the resource, where it matters */
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: object;
  readonly old?: object;
  readonly dryRun?: boolean;
}

const KINDS: Readonly<Record<string, string>> = { namespaces: 'Namespace', pods: 'Pod' };

export function attributesOf({
  operation = 'create',
  group = '',
  resource = 'pods',
  subresource = '',
  ...asked
}: Asked): AdmissionAttributes {
  const { namespace = 'a', name = 'x', dryRun = false } = asked;
  // in one: what both share stays so
  const { object, old } = structuredClone({ object: asked.object, old: asked.old });
  const { kind = KINDS[resource] ?? 'Any' } = asked;
  return {
    request: OWN_WORK,
    user: { name: 'jane', uid: '', groups: [], extra: {} },
    operation,
    resource: {
      groupResource: { group, resource },
      groupVersion: { group, version: 'v1' },
      data: { name: resource, scope: 'Namespaced', storage: { prefix: resource } },
    },
    subresource,
    kind: { group, kind },
    namespace,
    name,
    object: object && { metadata: { name }, ...object },
    old: old && { metadata: { name }, ...old },
    options: { dryRun },
  } as never;
}

/** Parts of which those that are not given are not to be needed. @param stored objects by `RESOURCE`, or by `RESOURCE/NAMESPACE` */
export function partsOf(parts: Partial<PluginParts> = {}, stored: Readonly<Record<string, readonly object[]>> = {}): PluginParts {
  const unasked = (): never => {
    throw new Error('nobody asks');
  };
  const objects = (resource: string, namespace: string) =>
    (stored[namespace === '' ? resource : `${resource}/${namespace}`] ?? []) as readonly ApiObject[];
  const named = (resource: string, namespace: string, name: string) =>
    objects(resource, namespace).find(({ metadata }) => metadata.name === name);
  return {
    identity,
    authorizer: { authorize: unasked, rules: unasked },
    objects: {
      get: named,
      shared: named,
      async *inPieces(resource: string, namespace: string) {
        for (const object of objects(resource, namespace)) yield [object];
      },
      count: (resource: string, namespace: string) => objects(resource, namespace).length,
    } as unknown as PluginParts['objects'],
    featureEnabled: () => false,
    release: '1.32',
    namespacePhase: unasked,
    createNamespace: unasked,
    followed: (resource) => ({
      changes: 0,
      in: (namespace) => objects(resource, namespace),
      get: (namespace, name) => named(resource, namespace, name),
    }),
    resourcesOfKind: unasked,
    objectsOfKind: unasked,
    mayTakeLong: true,
    metrics: new Metrics(metricsData),
    quotaStatuses: { guard: unasked, catchUp: unasked, use: unasked },
    serviceRoutes: { resolve: unasked },
    log: { warn: unasked },
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    configuration: () => undefined,
    ...parts,
  };
}

/** @returns the object after both phases, or the message of the refusal */
export async function asked(plugin: AdmissionPlugin, asked: Asked): Promise<ApiObject | string | undefined> {
  const attributes = attributesOf(asked);
  try {
    await plugin.mutate?.(attributes);
    await plugin.validate?.(attributes);
    await plugin.reserve?.(attributes);
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  return attributes.object;
}
