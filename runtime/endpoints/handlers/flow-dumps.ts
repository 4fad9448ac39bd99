import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import type { FlowTurn } from '../../fairness/flow-control.ts';
import type { PriorityLevel } from '../../fairness/priority-levels.ts';
import { requestOf } from '../client-request.ts';
import { notFoundPage } from './resource.ts';

export const FLOW_DUMPS_PATH = '/debug/api_priority_and_fairness/';

/** The priority levels as they are at the moment. */
export interface FlowDumps {
  readonly all: readonly PriorityLevel<FlowTurn>[];
}

/** Tables of text that show what flow control does. What writes them is loaded with the first request. */
export function flowDumpsHandler(levels: FlowDumps) {
  return async (context: Context): Promise<void> => {
    const { dumpPriorityLevels, dumpQueues, dumpRequests } = await import('../../fairness/flow-dumps.ts');
    const { info } = requestOf(context);
    const dumps: Readonly<Record<string, () => string>> = {
      dump_priority_levels: () => dumpPriorityLevels(levels.all),
      dump_queues: () => dumpQueues(levels.all),
      dump_requests: () => dumpRequests(levels.all, (info.query.get('includeRequestDetails') ?? '') !== ''),
    };
    const name = info.path.slice(FLOW_DUMPS_PATH.length);
    const dump = Object.hasOwn(dumps, name) ? dumps[name] : undefined;
    if (dump === undefined) return notFoundPage(context);
    answerOf(context).send(200, 'text/plain; charset=utf-8', dump());
  };
}
