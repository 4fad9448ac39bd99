/** Says of each flow schema whether the priority level exists that it refers to. */
import type { ApiObject } from '../contract/object.ts';
import type { Condition } from './conditions.ts';

/** @param levels names of the priority levels that there are */
export function danglingCondition({ spec }: ApiObject, levels: ReadonlySet<string>): Condition {
  const name: string = spec?.priorityLevelConfiguration?.name ?? '';
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
  return levels.has(name)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${subject} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${subject} but there is no such object` };
}
