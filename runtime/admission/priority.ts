import type { ApiObject } from '../contract/object.ts';
import { SYSTEM_PRIORITIES } from '../kinds/scheduling/system-classes.ts';
import { newForbidden } from '../status/status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import type { AdmissionPlugin } from './plugin.ts';

const DEFAULT_PRIORITY = 0;
const DEFAULT_PREEMPTION = 'PreemptLowerPriority';

/** Works out a new pod's priority from the name of its class; a client may not choose the number itself. */
export function priority(): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(attributes) {
      const { operation, resource, subresource, object, old } = attributes;
      if (resource.groupResource.group !== '' || resource.groupResource.resource !== 'pods' || subresource !== '' || object === undefined)
        return;
      if (operation === 'create') resolve(attributes, object);
      else if (old !== undefined) keep(object, old);
    },
  };
}

function resolve(attributes: AdmissionAttributes, pod: ApiObject): void {
  const name: string = pod.spec.priorityClassName ?? '';
  const computed = name === '' ? DEFAULT_PRIORITY : SYSTEM_PRIORITIES.get(name);
  if (computed === undefined) throw refusal(attributes, `no PriorityClass with name ${name} was found`);
  const given: number | undefined = pod.spec.priority;
  if (given !== undefined && given !== computed)
    throw refusal(
      attributes,
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
    );
  const preemption: string | undefined = pod.spec.preemptionPolicy;
  if (preemption !== undefined && preemption !== DEFAULT_PREEMPTION)
    throw refusal(
      attributes,
      `the string value of PreemptionPolicy (${preemption}) must not be provided in pod spec; priority admission controller computed ${DEFAULT_PREEMPTION} from the given PriorityClass name`,
    );
  pod.spec.priority = computed;
  pod.spec.preemptionPolicy = DEFAULT_PREEMPTION;
}

/** An update that leaves them out means those that the pod has. */
function keep(pod: ApiObject, old: ApiObject): void {
  if (pod.spec.priority === undefined && old.spec?.priority !== undefined) pod.spec.priority = old.spec.priority;
  if (pod.spec.preemptionPolicy === undefined && old.spec?.preemptionPolicy !== undefined)
    pod.spec.preemptionPolicy = old.spec.preemptionPolicy;
}

function refusal({ resource, name }: AdmissionAttributes, cause: string) {
  return newForbidden(resource.groupResource, name, cause);
}
