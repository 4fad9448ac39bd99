/** Changes of a pod that go through subresources of their own: containers to look into it, other resources, the node that it runs on. */
import type { Container, EphemeralContainer, Pod, PodSpec, PodStatus } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { PartRules, RuleContext, UpdateContext } from '../../../contract/kind-rules.ts';
import { deepEqual } from '../../../schema/equal.ts';
import { ofObject } from '../../../validation/findings.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { kept, MIRROR } from './pod-annotations.ts';
import { qosClassOf } from './pod-qos.ts';

export const ephemeralContainers: PartRules = {
  take(object, { spec }) {
    if (spec?.ephemeralContainers === undefined) delete object.spec?.ephemeralContainers;
    else object.spec = { ...object.spec, ephemeralContainers: spec.ephemeralContainers };
  },
  validateUpdate: validateEphemeralContainersUpdate,
};

/** Containers are found by their names. Those that run before others cannot be resized in 1.32, and stay as they are. */
export const resize: PartRules = {
  take(object, { spec }) {
    const sent = new Map<string, Container>((spec?.containers ?? []).map((container: Container) => [container.name, container]));
    let changed = false;
    for (const container of object.spec?.containers ?? []) {
      const wanted = sent.get(container.name);
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
  const [now, before] = [spec.containers ?? [], old.spec?.containers ?? []];
  return joined(
    old.status?.qosClass === qosClassOf(spec, context)
      ? NONE
      : [invalid('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')],
    nodeResizes(old.status) ? NONE : [forbidden('spec', 'Pod running on node without support for resize')],
    foundInEach(before, (container, index) => removed(now[index], container, `spec.containers[${index}].resources`)),
    before.every((container, index) => isSameBesides(now[index], container))
      ? NONE
      : [forbidden('spec', 'only cpu and memory resources are mutable')],
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

const LISTS = ['requests', 'limits'] as const;

function removed(container: Container | undefined, old: Container, path: string): readonly FieldError[] {
  return foundInEach(LISTS, (list) => {
    const now = container?.resources?.[list] ?? {};
    const removes = Object.keys(old.resources?.[list] ?? {}).some((name) => !Object.hasOwn(now, name));
    return removes ? [forbidden(`${path}.${list}`, `resource ${list} cannot be removed`)] : NONE;
  });
}

/** As 1.32 compares: claims count as lost, so that containers that have some cannot be resized, and where there was no list, anything may come. */
function isSameBesides(container: Container | undefined, old: Container): boolean {
  const { claims = [], ...before } = old.resources ?? {};
  const others = (list: Amounts | undefined): Amounts => ({ ...list, cpu: '', memory: '' });
  return (
    claims.length === 0 &&
    LISTS.every((list) => before[list] === undefined || deepEqual(others(container?.resources?.[list]), others(before[list])))
  );
}

type Amounts = Readonly<Record<string, string>>;
