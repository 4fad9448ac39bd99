/** Makes the conditions of the node's status, and the events about their changes, with the reasons and messages of 1.32. */

import type { NodeCondition } from '../../../generated/client/core/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Occurrence } from '../contract/part.ts';
import type { Pressure } from './pressure.ts';

type Text = Identity['text'];

/** A condition without its times. */
export interface ConditionState {
  readonly type: Pressure | 'Ready';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The reason and message of a pressure's condition, while there is pressure and while there is none. The agent's name is put before each. */
interface Words {
  readonly type: Pressure;
  readonly yes: readonly [reason: string, message: string];
  readonly no: readonly [reason: string, message: string];
}

const PRESSURE_WORDS: readonly Words[] = [
  {
    type: 'MemoryPressure',
    yes: ['HasInsufficientMemory', 'has insufficient memory available'],
    no: ['HasSufficientMemory', 'has sufficient memory available'],
  },
  { type: 'DiskPressure', yes: ['HasDiskPressure', 'has disk pressure'], no: ['HasNoDiskPressure', 'has no disk pressure'] },
  {
    type: 'PIDPressure',
    yes: ['HasInsufficientPID', 'has insufficient PID available'],
    no: ['HasSufficientPID', 'has sufficient PID available'],
  },
];

/**
 * Makes the conditions of a node, with `Ready` as the last one.
 * @param problems why the node is not ready; empty if it is ready
 */
export function conditionStates(pressures: ReadonlySet<Pressure>, problems: readonly string[], text: Text): ConditionState[] {
  const [agent, kind] = ['${nodeAgent}', '${nodeAgentKind}'].map(text) as [string, string];
  const states = PRESSURE_WORDS.map(({ type, yes, no }): ConditionState => {
    const [reason, message] = pressures.has(type) ? yes : no;
    return { type, status: pressures.has(type) ? 'True' : 'False', reason: `${kind}${reason}`, message: `${agent} ${message}` };
  });
  const isReady = problems.length === 0;
  return [
    ...states,
    {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: `${kind}${isReady ? 'Ready' : 'NotReady'}`,
      message: isReady ? `${agent} is posting ready status` : aggregateText(problems),
    },
  ];
}

/**
 * Adds times to conditions. The time of the last transition stays if the status is the one that the server has.
 * @param known the conditions that the server has
 * @param now the time of this report, by RFC 3339
 */
export function withTimes(states: readonly ConditionState[], known: readonly NodeCondition[], now: string): NodeCondition[] {
  return states.map((state) => {
    const before = known.find(({ type }) => type === state.type);
    const isSame = before?.status === state.status && before.lastTransitionTime != null;
    return { ...state, lastHeartbeatTime: now, lastTransitionTime: isSame ? before.lastTransitionTime : now } as NodeCondition;
  });
}

const EVENT_REASONS: Readonly<Record<string, string>> = {
  MemoryPressureTrue: 'NodeHasInsufficientMemory',
  MemoryPressureFalse: 'NodeHasSufficientMemory',
  DiskPressureTrue: 'NodeHasDiskPressure',
  DiskPressureFalse: 'NodeHasNoDiskPressure',
  PIDPressureTrue: 'NodeHasInsufficientPID',
  PIDPressureFalse: 'NodeHasSufficientPID',
  ReadyTrue: 'NodeReady',
  ReadyFalse: 'NodeNotReady',
};

/** Makes an event about each condition whose status differs from before, and about each that there was not before. */
export function transitionEvents(states: readonly ConditionState[], before: readonly ConditionState[], nodeName: string): Occurrence[] {
  return states
    .filter(({ type, status }) => before.find((each) => each.type === type)?.status !== status)
    .map(({ type, status }) => nodeEvent(EVENT_REASONS[`${type}${status}`] as string, nodeName));
}

/** Makes an event about the node, whose message repeats the reason, as in 1.32. */
export const nodeEvent = (reason: string, nodeName: string): Occurrence => ({
  type: 'Normal',
  reason,
  message: `Node ${nodeName} status is now: ${reason}`,
});
