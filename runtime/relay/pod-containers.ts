import type { ApiObject } from '../contract/object.ts';
import { newBadRequest } from '../status/status.ts';
import { neededObject } from './needed-objects.ts';
import type { RelayServer } from './relay-server.ts';

/** Reads the pod that a request names. @throws StatusError NotFound */
export function storedPod(server: RelayServer, namespace: string, name: string): Promise<ApiObject> {
  return neededObject(server, 'pods', namespace, name, 'pods');
}

/**
 * The container that a request is about: the one that it names, or else the only one of the pod.
 * @param wanted '' for none
 * @throws StatusError BadRequest
 */
export function chosenContainer(pod: ApiObject, wanted: string): string {
  const { name } = pod.metadata;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map((container: { name: string }) => container.name);
  if (wanted !== '') {
    if (names.includes(wanted)) return wanted;
    throw newBadRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0].name;
  if (containers.length === 0) throw newBadRequest(`a container name must be specified for pod ${name}`);
  throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
}
