/** The step between authentication and authorization that makes requests wait for their turn, or refuses them (--enable-priority-and-fairness). */
import type { Context, Next } from 'koa';
import { headerLine } from '../connections/usual-headers.ts';
import { sendUnread } from '../endpoints/answers/unread-body.ts';
import { type ClientRequest, requestOf } from '../endpoints/request/client-request.ts';
import type { MeasuredRequests } from '../endpoints/request/measured-requests.ts';
import { isLongRunning } from '../endpoints/request/request-info.ts';
import { firstTurn } from '../event-loop/turns.ts';
import { RefusalPace } from './refusal-pace.ts';

/** The turn of one request. */
export interface RequestTurn {
  /** whether the request may run; otherwise it is refused */
  readonly mayRun: boolean;
  /** uid of the flow schema that was applied; absent if there is none */
  readonly schemaUid?: string;
  /** uid of the priority level of that flow schema; absent if there is none */
  readonly levelUid?: string;
  /** Must be called when a request that has waited begins or goes on. */
  started(): void;
  /** Lends the turn to others until `resume`, while nothing is done for the request. */
  rest(): void;
  /** Takes the turn back after `rest`. @returns a promise if the request has to wait for others first */
  resume(): Promise<void> | undefined;
  /** Lets others go first if it is their turn. @returns a promise if somebody else goes first */
  giveWay(): Promise<void> | undefined;
  /** Gives the turn back. */
  end(): void;
}

export interface RequestTurns {
  /** Finds the turn of a request. @returns undefined for a request that nothing limits; a promise if it has to wait for others */
  begin(request: ClientRequest, isLongRunning: boolean): RequestTurn | Promise<RequestTurn> | undefined;
}

/** Keeps track of answers that wait for their clients. */
export interface KeptAnswers {
  /**
   * Adds an answer that is held in memory until its client has read it.
   * @param answer its user, its bytes, the time by `performance.now()` until which it is held, and a function that breaks it off
   * @returns a function to call when the client has read everything, or is gone
   */
  add(answer: { readonly user: string; readonly bytes: number; readonly until: number; cut(): void }): () => void;
}

export interface FairTurns {
  readonly turns: RequestTurns;
  readonly unread: KeptAnswers;
}

/** Answers of up to this many bytes do not count as kept: the system's buffers hold them as a rule, or a stream of HTTP/2, which has a buffer anyway. */
const SMALL = 8 * 1024;

const TRY_AGAIN = Buffer.from('Too many requests, please try again later.\n');
const RETRY_AFTER_SECONDS = '1';

/**
 * Makes the step. A request's turn ends when its handler ends: that of a watch ends when the watch has begun, all others when the whole answer is given to the
 * connection. The part of the answer that the connection still holds then is limited by `unread`.
 */
export function fairTurns({ turns, unread }: FairTurns, measured: MeasuredRequests) {
  const leave = (turn: RequestTurn, request: ClientRequest): void => {
    turn.end();
    const { held } = request.answer;
    if (held > SMALL) keep(request, held, unread);
  };
  const pace = new RefusalPace();
  const lines = new FlowLines();
  const takeTurn = (turn: RequestTurn, request: ClientRequest, context: Context, next: Next): Promise<void> => {
    if (turn.schemaUid !== undefined) request.answer.addUsual(lines.of(turn.schemaUid, turn.levelUid ?? ''));
    if (!turn.mayRun) return refuse(request, context, measured, pace.next());
    request.turn = turn;
    const answered = next();
    if (request.answer.hasEnded) {
      leave(turn, request);
      return answered;
    }
    // this is `finally` with three promises fewer for each request
    return answered.then(
      () => leave(turn, request),
      (error) => {
        leave(turn, request);
        throw error;
      },
    );
  };
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const turn = turns.begin(request, isLongRunning(request.info));
    if (turn === undefined) return next();
    if (!(turn instanceof Promise)) return takeTurn(turn, request, context, next);
    const goesOn = request.waits();
    const began = performance.now();
    return turn.then(async (taken) => {
      goesOn();
      request.took('apf-queue-wait', performance.now() - began);
      // Many requests may get their turns at once. They begin between pieces of other long work, so that a request that comes now waits for only a few of them.
      if (taken.mayRun) await firstTurn();
      taken.started();
      return takeTurn(taken, request, context, next);
    });
  };
}

/** The headers with the uids of the flow schema and the level. The last text is cached, because consecutive answers mostly have the same. */
class FlowLines {
  #schemaUid = '';
  #levelUid = '';
  #lines = FlowLines.#made('', '');

  of(schemaUid: string, levelUid: string): string {
    if (schemaUid !== this.#schemaUid || levelUid !== this.#levelUid) {
      this.#lines = FlowLines.#made(schemaUid, levelUid);
      [this.#schemaUid, this.#levelUid] = [schemaUid, levelUid];
    }
    return this.#lines;
  }

  static #made(schemaUid: string, levelUid: string): string {
    return headerLine('x-kubernetes-pf-flowschema-uid', schemaUid) + headerLine('x-kubernetes-pf-prioritylevel-uid', levelUid);
  }
}

/**
 * Keeps track of an answer until its client has all of it, or until the request's deadline, at which it is broken off: in 1.32 the time for a request includes
 * the writing of its answer.
 */
function keep({ user, received, deadline = received, series, answer }: ClientRequest, bytes: number, unread: KeptAnswers): void {
  const cut = (): void => {
    series?.aborted();
    answer.break();
  };
  answer.whenOver(unread.add({ user: user.name, bytes, until: deadline, cut }));
}

async function refuse(
  request: ClientRequest,
  context: Context,
  measured: MeasuredRequests,
  until: Promise<void> | undefined,
): Promise<void> {
  if (until !== undefined) await until;
  const { info, registry } = request;
  const resource = info.isResource ? registry.resource(info.group, info.version, info.resource) : undefined;
  if (resource !== undefined) measured.begin(request, resource, false, context.req.headers['content-type']);
  if (request.isOver) return;
  context.res.setHeader('retry-after', RETRY_AFTER_SECONDS);
  context.res.setHeader('x-content-type-options', 'nosniff');
  await sendUnread(context, 429, 'text/plain; charset=utf-8', TRY_AGAIN);
}
