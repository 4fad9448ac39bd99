/** Changes of a pod that go through subresources of their own: containers to look into it, other resources, the node that it runs on. */
import type { Container, EphemeralContainer, Pod, PodSpec, PodStatus } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { PartRules, RuleContext, UpdateContext } from '../../../contract/kind-rules.ts';
import { deepEqual } from '../../../schema/equal.ts';
import { ofObject } from '../../../validation/findings.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { isSidecar } from '../containers/containers.ts';
import { compare } from '../resource-amounts/quantities.ts';
import { kept, MIRROR } from './pod-annotations.ts';
import { qosClassOf } from './pod-qos.ts';

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
      for (const [index, container] of (object.spec?.[list] ?? []).entries()) {
        const wanted: Container | undefined = spec?.[list]?.[index];
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
function validateEphemeralContainersUpdate(pod: Pod, old: Pod, context: UpdateContext): readonly FieldError[] {
  if (isStatic(old, context)) return [forbidden('[]', 'static pods do not support ephemeral containers')];
  const now = new Map(pod.spec?.ephemeralContainers?.map((container) => [container.name, container]));
  return joined(
    ofObject(kept(pod, old, context)),
    foundInEach(old.spec?.ephemeralContainers, (container) => {
      const change = changeOf(container, now.get(container.name), context);
      if (change === undefined) return NONE;
      const detail = `existing ephemeral containers ${JSON.stringify(container.name)} may not be ${change}`;
      return [forbidden('spec.ephemeralContainers', detail)];
    }),
  );
}

const isStatic = ({ metadata }: Pod, context: RuleContext): boolean => metadata?.annotations?.[context.text(MIRROR)] !== undefined;

/** What happened to a container, as 1.32 tells it; undefined: nothing. */
function changeOf(old: EphemeralContainer, now: EphemeralContainer | undefined, context: UpdateContext): string | undefined {
  if (now === undefined) return 'removed\n';
  if (deepEqual(old, now)) return undefined;
  const shown = (containers: unknown): unknown => (containers as readonly EphemeralContainer[]).findLast(({ name }) => name === old.name);
  return `changed\n${context.changeText('spec.ephemeralContainers[]', old, shown)}`;
}

/** Of a pod whose containers' resources and resize policies alone have changed. */
function validateResize(pod: Pod, old: Pod, context: RuleContext): readonly FieldError[] {
  const refusal = unresizable(old, context);
  if (refusal !== undefined) return [forbidden('[]', refusal)];
  const { spec = NO_SPEC } = pod;
  return joined(
    old.status?.qosClass === qosClassOf(spec)
      ? NONE
      : [invalid('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')],
    nodeResizes(old.status) ? NONE : [forbidden('spec', 'Pod running on node without support for resize')],
    validateContainers(spec, old.spec, 'initContainers'),
    validateContainers(spec, old.spec, 'containers'),
  );
}

const NO_SPEC: PodSpec = { containers: [] };

function unresizable(pod: Pod, context: RuleContext): string | undefined {
  if (isStatic(pod, context)) return 'static pods cannot be resized';
  return pod.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

/** A node that can change resources of running containers reports them. Where none runs, nobody can say. */
function nodeResizes(status: PodStatus | undefined): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

type List = 'initContainers' | 'containers';

function validateContainers(spec: PodSpec, old: PodSpec | undefined, list: List): readonly FieldError[] {
  return foundInEach(old?.[list], (container, index) => {
    const now = spec[list]?.[index];
    const isFixed = list === 'initContainers' && !isSidecar(container);
    const refusal = isFixed ? changeOfFixed(now, container) : changeOfOthers(now, container, list);
    return joined(
      isFixed ? NONE : validateResizedContainer(now, container, `spec.${list}[${index}].resources`),
      refusal === undefined ? NONE : [forbidden('spec', refusal)],
    );
  });
}

type MaybeContainer = Partial<Container> | undefined;

function changeOfFixed(now: MaybeContainer, old: Container): string | undefined {
  return deepEqual(now, old) ? undefined : 'resources for non-sidecar init containers are immutable';
}

function changeOfOthers(now: MaybeContainer, old: Container, list: List): string | undefined {
  if (deepEqual(withoutCompute(now), withoutCompute(old))) return undefined;
  return `only cpu and memory resources ${list === 'containers' ? '' : 'for sidecar containers '}are mutable`;
}

const COMPUTE = ['cpu', 'memory'];

function withoutCompute(container: MaybeContainer): object {
  const strip = (list: Readonly<Record<string, string>> | undefined): [string, string][] =>
    Object.entries(list ?? {}).filter(([name]) => !COMPUTE.includes(name));
  const { requests, limits } = container?.resources ?? {};
  return { ...container, resizePolicy: undefined, resources: { requests: strip(requests), limits: strip(limits) } };
}

function validateResizedContainer(container: MaybeContainer, old: Container, path: string): readonly FieldError[] {
  const memory = memoryChange(container, old);
  return joined(
    foundInEach(['requests', 'limits'] as const, (list) => {
      const now = container?.resources?.[list] ?? {};
      const removes = Object.keys(old.resources?.[list] ?? {}).some((name) => !Object.hasOwn(now, name));
      return removes ? [forbidden(`${path}.${list}`, `resource ${list} cannot be removed`)] : NONE;
    }),
    memory === undefined
      ? NONE
      : [forbidden(`${path}.limits[memory]`, `memory limits cannot be ${memory} unless resizePolicy is RestartContainer`)],
  );
}

/** What happens to the limit of a container that goes on running with it; undefined: nothing that it could not bear. */
function memoryChange(container: MaybeContainer, old: Container): 'added' | 'decreased' | undefined {
  const policy = container?.resizePolicy?.find(({ resourceName }) => resourceName === 'memory')?.restartPolicy;
  const limit = container?.resources?.limits?.memory;
  const before = old.resources?.limits?.memory;
  if (policy === 'RestartContainer' || limit === undefined) return undefined;
  if (before === undefined) return 'added';
  return compare(limit, before) < 0 ? 'decreased' : undefined;
}
