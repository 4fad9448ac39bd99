/** Changes of a pod that go through subresources of their own: containers to look into it, other resources, the node that it runs on. */
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { PartRules, RuleContext, UpdateContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Struct } from '../struct.ts';
import { isSidecar } from './containers.ts';
import { eachItem } from './findings.ts';
import { MIRROR } from './pod-annotations.ts';
import { qosClassOf } from './pod-qos.ts';
import { validatePodAnnotationUpdate } from './pod-update.ts';
import { compare } from './quantities.ts';

export const ephemeralContainers: PartRules = {
  take(object, { spec }) {
    if (spec?.ephemeralContainers === undefined) delete object.spec?.ephemeralContainers;
    else object.spec = { ...object.spec, ephemeralContainers: spec.ephemeralContainers };
  },
  validateUpdate: validateEphemeralContainersUpdate,
};

export const resize: PartRules = {
  take(object, { spec }) {
    let changed = false;
    for (const list of ['initContainers', 'containers'])
      for (const [index, container] of ((object.spec?.[list] ?? []) as Struct[]).entries()) {
        const wanted: Struct | undefined = spec?.[list]?.[index];
        if (wanted === undefined) continue;
        changed ||= !deepEqual(container.resources, wanted.resources);
        container.resources = wanted.resources;
        if (wanted.resizePolicy === undefined) delete container.resizePolicy;
        else container.resizePolicy = wanted.resizePolicy;
      }
    if (changed) object.status = { ...object.status, resize: 'Proposed' };
  },
  validateUpdate: validateResize,
};

/** Of a pod whose ephemeral containers alone have changed: they can be added, and never changed or taken away. */
function validateEphemeralContainersUpdate(pod: ApiObject, old: ApiObject, context: UpdateContext): readonly FieldError[] {
  if (old.metadata.annotations?.[context.text(MIRROR)] !== undefined)
    return [forbidden('[]', 'static pods do not support ephemeral containers')];
  const path = 'spec.ephemeralContainers';
  const now = new Map(((pod.spec?.ephemeralContainers ?? []) as Struct[]).map((container) => [container.name, container]));
  return [
    ...validatePodAnnotationUpdate(pod, old, context),
    ...((old.spec?.ephemeralContainers ?? []) as Struct[]).flatMap((container) => {
      const { name } = container;
      const quoted = JSON.stringify(name);
      if (!now.has(name)) return [forbidden(path, `existing ephemeral containers ${quoted} may not be removed\n`)];
      if (deepEqual(container, now.get(name))) return [];
      const shown = (containers: unknown): Struct => (containers as readonly Struct[]).findLast((each) => each.name === name);
      const difference = context.changeText('spec.ephemeralContainers[]', container, shown);
      return [forbidden(path, `existing ephemeral containers ${quoted} may not be changed\n${difference}`)];
    }),
  ];
}

/** Of a pod whose containers' resources and resize policies alone have changed. */
function validateResize(pod: ApiObject, old: ApiObject, context: RuleContext): readonly FieldError[] {
  const refusal = unresizable(old, context);
  if (refusal !== undefined) return [forbidden('[]', refusal)];
  const errors: FieldError[] = [];
  if (old.status?.qosClass !== qosClassOf(pod.spec))
    errors.push(invalid('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  if (!nodeResizes(old.status)) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  errors.push(...validateContainers(pod.spec, old.spec, 'initContainers'), ...validateContainers(pod.spec, old.spec, 'containers'));
  return errors;
}

function unresizable(pod: ApiObject, context: RuleContext): string | undefined {
  if (pod.metadata.annotations?.[context.text(MIRROR)] !== undefined) return 'static pods cannot be resized';
  return pod.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

/** A node that can change resources of running containers reports them. Where none runs, nobody can say. */
function nodeResizes(status: Struct): boolean {
  const running = ((status?.containerStatuses ?? []) as Struct[]).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function validateContainers(spec: Struct, old: Struct, list: 'initContainers' | 'containers'): readonly FieldError[] {
  return eachItem(old[list] as readonly Struct[] | undefined, `spec.${list}`, (container, at, index) => {
    const now: Struct = spec[list]?.[index];
    if (list === 'initContainers' && !isSidecar(container))
      return deepEqual(now, container) ? [] : [forbidden('spec', 'resources for non-sidecar init containers are immutable')];
    const noun =
      list === 'containers'
        ? 'only cpu and memory resources are mutable'
        : 'only cpu and memory resources for sidecar containers are mutable';
    return [
      ...validateResizedContainer(now, container, `${at}.resources`),
      ...(deepEqual(withoutCompute(now), withoutCompute(container)) ? [] : [forbidden('spec', noun)]),
    ];
  });
}

const COMPUTE = ['cpu', 'memory'];

function withoutCompute(container: Struct): Struct {
  const strip = (list: Readonly<Record<string, string>> | undefined): [string, string][] =>
    Object.entries(list ?? {}).filter(([name]) => !COMPUTE.includes(name));
  const { requests, limits } = container?.resources ?? {};
  return { ...container, resizePolicy: undefined, resources: { requests: strip(requests), limits: strip(limits) } };
}

function validateResizedContainer(container: Struct, old: Struct, path: string): readonly FieldError[] {
  const removed = (list: string): boolean =>
    Object.keys(old.resources?.[list] ?? {}).some((name) => !Object.hasOwn(container?.resources?.[list] ?? {}, name));
  const errors: FieldError[] = [];
  if (removed('requests')) errors.push(forbidden(`${path}.requests`, 'resource requests cannot be removed'));
  if (removed('limits')) errors.push(forbidden(`${path}.limits`, 'resource limits cannot be removed'));
  const policy = ((container?.resizePolicy ?? []) as Struct[]).find(({ resourceName }) => resourceName === 'memory')?.restartPolicy;
  if (policy === 'RestartContainer') return errors;
  const limit: string | undefined = container?.resources?.limits?.memory;
  const before: string | undefined = old.resources?.limits?.memory;
  const at = `${path}.limits[memory]`;
  if (limit !== undefined && before === undefined)
    errors.push(forbidden(at, 'memory limits cannot be added unless resizePolicy is RestartContainer'));
  else if (limit !== undefined && before !== undefined && compare(limit, before) < 0)
    errors.push(forbidden(at, 'memory limits cannot be decreased unless resizePolicy is RestartContainer'));
  return errors;
}
