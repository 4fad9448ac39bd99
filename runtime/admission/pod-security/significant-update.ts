/** Which changes of a pod can make it break rules that it kept before: others are let through, whatever its namespace wants by now. */
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import { SECCOMP_CONTAINER } from '../../kinds/core/pods/pod-annotations.ts';
import type { PodParts } from './evaluation.ts';

type AnyContainer = Container | EphemeralContainer;
const EMPTY: PodSpec = { containers: [] };

/** As of 1.32: images, annotations of the system call filters of containers (not that of the pod), and containers that come. */
export function isSignificant(pod: PodParts, old: PodParts, text: Identity['text']): boolean {
  const [now, before] = [pod.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}];
  const isChanged = (key: string): boolean => (now[key] ?? '') !== (before[key] ?? '');
  const differs = (container: AnyContainer, other: AnyContainer | undefined): boolean =>
    other === undefined || (container.image ?? '') !== (other.image ?? '') || isChanged(`${text(SECCOMP_CONTAINER)}${container.name}`);
  const listDiffers = (list: 'containers' | 'initContainers'): boolean => {
    const [own, others] = [pod.spec?.[list] ?? [], old.spec?.[list] ?? []];
    return own.length !== others.length || own.some((container, index) => differs(container, others[index]));
  };
  const debuggers = new Map((old.spec ?? EMPTY).ephemeralContainers?.map((container) => [container.name, container]));
  return (
    listDiffers('containers') ||
    listDiffers('initContainers') ||
    ((pod.spec ?? EMPTY).ephemeralContainers ?? []).some((container) => differs(container, debuggers.get(container.name)))
  );
}
