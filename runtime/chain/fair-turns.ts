/** Has requests wait for their turn, or refuses them, between who asks and whether they may (--enable-priority-and-fairness). */
import type { Context, Next } from 'koa';
import { type ClientRequest, requestOf } from '../endpoints/client-request.ts';
import type { MeasuredRequests } from '../endpoints/measured-requests.ts';
import { isLongRunning } from '../endpoints/request-info.ts';
import { sendUnread } from '../endpoints/unread-body.ts';

/** Of one request. */
export interface RequestTurn {
  readonly mayRun: boolean;
  /** of the objects by which it was decided; absent: there are none */
  readonly schemaUid?: string;
  readonly levelUid?: string;
  /** Lets others have their turn. */
  end(): void;
}

export interface RequestTurns {
  /** @returns undefined for a request that nothing limits; a promise where it waits for others */
  begin(request: ClientRequest, isLongRunning: boolean): RequestTurn | Promise<RequestTurn> | undefined;
}

const TRY_AGAIN = Buffer.from('Too many requests, please try again later.\n');
const RETRY_AFTER_SECONDS = '1';

/** A turn ends with the handler: that of a watch does when the watch has begun. */
export function fairTurns(turns: RequestTurns, measured: MeasuredRequests) {
  const takeTurn = (turn: RequestTurn, request: ClientRequest, context: Context, next: Next): Promise<void> => {
    if (turn.schemaUid !== undefined) {
      request.answer.addUsual('x-kubernetes-pf-flowschema-uid', turn.schemaUid);
      request.answer.addUsual('x-kubernetes-pf-prioritylevel-uid', turn.levelUid ?? '');
    }
    if (!turn.mayRun) return refuse(request, context, measured);
    const answered = next();
    if (!request.answer.hasEnded) return answered.finally(() => turn.end());
    turn.end();
    return answered;
  };
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const turn = turns.begin(request, isLongRunning(request.info));
    if (turn === undefined) return next();
    if (!(turn instanceof Promise)) return takeTurn(turn, request, context, next);
    const goesOn = request.waits();
    return turn.then((taken) => {
      goesOn();
      return takeTurn(taken, request, context, next);
    });
  };
}

async function refuse(request: ClientRequest, context: Context, measured: MeasuredRequests): Promise<void> {
  const { info, registry } = request;
  const resource = info.isResource ? registry.resource(info.group, info.version, info.resource) : undefined;
  if (resource !== undefined) measured.begin(request, resource, false, context.req.headers['content-type']);
  if (request.isOver) return;
  context.res.setHeader('retry-after', RETRY_AFTER_SECONDS);
  context.res.setHeader('x-content-type-options', 'nosniff');
  await sendUnread(context, 429, 'text/plain; charset=utf-8', TRY_AGAIN);
}
