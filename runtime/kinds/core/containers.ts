/** What the rules of pods say about their containers again and again. */
import type { Struct } from '../struct.ts';

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
export const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

/** A container that starts before the regular ones and stays. */
export const isSidecar = (container: Struct): boolean => container.restartPolicy === 'Always';

/** Every container of a spec with its path: those that run before the others first, then regular ones, then ephemeral ones. */
export function containersOf(spec: Struct, path: string): { container: Struct; path: string }[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    ((spec[list] ?? []) as readonly Struct[]).map((container, index) => ({ container, path: `${path}.${list}[${index}]` })),
  );
}
