/** Pods for tests, decoded and with their defaults as the server has them. */
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { loadKind } from '../kind.ts';

const pods = await loadKind('v1', 'Pod');
export const { rules } = pods;

export const container = { name: 'c', image: 'nginx:1.27' };

/** @param spec besides one container */
export function pod(spec: object = {}, metadata: object = {}, status?: object): ApiObject {
  return pods.decode({
    metadata: { name: 'p', namespace: 'n', ...metadata },
    spec: { containers: [container], ...spec },
    ...(status === undefined ? {} : { status }),
  }).object;
}

/** A pod with one container. @param members besides its name and image */
export const podOf = (members: object, spec: object = {}): ApiObject => pod({ containers: [{ ...container, ...members }], ...spec });
