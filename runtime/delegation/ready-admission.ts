/** Admission that knows what the delegating server has, before it lets anything through. */
import type { Admission, AdmissionAttributes } from '../admission/request/attributes.ts';
import { newForbidden } from '../status/status.ts';
import type { ClusterObjects } from './cluster-objects.ts';

/** A write waits until all objects are known that may count for it, and is refused, in the words of 1.32, where that takes too long. */
export function readyAdmission(admission: Admission, objects: Pick<ClusterObjects, 'missing' | 'ready' | 'close'>): Admission {
  let isReady = false;
  const whenReady = async <T>({ resource, name }: AdmissionAttributes, next: () => T | Promise<T>): Promise<T> => {
    if (!isReady && !(await objects.ready())) throw newForbidden(resource.groupResource, name, 'not yet ready to handle request');
    isReady = true;
    return next();
  };
  return {
    mutate: (attributes) => (isReady ? admission.mutate(attributes) : whenReady(attributes, () => admission.mutate(attributes))),
    validate: (attributes) => (isReady ? admission.validate(attributes) : whenReady(attributes, () => admission.validate(attributes))),
    close: () => admission.close?.(),
  };
}
