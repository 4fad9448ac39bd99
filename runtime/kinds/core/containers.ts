/** What the rules of pods say about their containers again and again. */
import type { Struct } from '../struct.ts';

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
export const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

/** A container that starts before the regular ones and stays. */
export const isSidecar = (container: Struct): boolean => container.restartPolicy === 'Always';

/** Every container of a spec with its path: those that run before the others first, then regular ones, then ephemeral ones. */
export function containersOf(spec: Struct, path: string): { container: Struct; path: string }[] {
  const found: { container: Struct; path: string }[] = [];
  for (const list of CONTAINER_LISTS) {
    const containers: readonly Struct[] | undefined = spec[list];
    if (!containers) continue;
    for (let i = 0; i < containers.length; i++) found.push({ container: containers[i], path: `${path}.${list}[${i}]` });
  }
  return found;
}

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];
