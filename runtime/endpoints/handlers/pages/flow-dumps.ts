import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import type { FlowTurn } from '../../../fairness/flow-control.ts';
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../../../fairness/flow-dumps.ts';
import type { PriorityLevel } from '../../../fairness/priority-levels.ts';
import { FLOW_DUMPS_PATH } from '../../flow-dumps-path.ts';
import { requestOf } from '../../request/client-request.ts';
import { notFoundPage } from '../resource.ts';

/** The priority levels as they are at the moment. */
export interface FlowDumps {
  readonly all: readonly PriorityLevel<FlowTurn>[];
}

/** Tables of text that show what flow control does. */
export function flowDumpsHandler(levels: FlowDumps) {
  return async (context: Context): Promise<void> => {
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
