/** Says of each flow schema whether the priority level exists that it refers to. */
import type { ApiObject } from '../contract/object.ts';
import { ConditionController, storedObjects } from './conditions/condition-controller.ts';
import type { Condition } from './conditions/conditions.ts';
import type { ControllerServer } from './controller/controller-server.ts';

const MANAGER = 'api-priority-and-fairness-config-consumer-v1';

/** @returns undefined where flow control is not served */
export function flowSchemaLevels(server: ControllerServer): ConditionController | undefined {
  const { registry, identity, storage } = server;
  const group = identity.text('flowcontrol.apiserver.${groupDomain}');
  const resource = registry.current.resourceOfForm(group, 'v1', 'flowschemas');
  const levels = registry.current.resourceOfForm(group, 'v1', 'prioritylevelconfigurations');
  if (resource === undefined || levels === undefined) return undefined;
  return new ConditionController(server, {
    resource,
    others: [levels],
    manager: MANAGER,
    round() {
      const names = new Set(storedObjects(storage, levels).map(({ metadata }) => metadata.name ?? ''));
      return (schema) => danglingCondition(schema, names);
    },
  });
}

/** @param levels names of the priority levels that there are */
export function danglingCondition({ spec }: ApiObject, levels: ReadonlySet<string>): Condition {
  const name: string = spec?.priorityLevelConfiguration?.name ?? '';
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
  return levels.has(name)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${subject} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${subject} but there is no such object` };
}
