/** The step between authentication and authorization that makes requests wait for their turn, or refuses them (--enable-priority-and-fairness). */
import type { Context, Next } from 'koa';
import { headerLine } from '../connections/usual-headers.ts';
import { type ClientRequest, requestOf } from '../endpoints/client-request.ts';
import type { MeasuredRequests } from '../endpoints/measured-requests.ts';
import { isLongRunning } from '../endpoints/request-info.ts';
import { sendUnread } from '../endpoints/unread-body.ts';
import { firstTurn } from '../event-loop/turns.ts';
import { RefusalPace } from './refusal-pace.ts';

/** Of one request. */
export interface RequestTurn {
  readonly mayRun: boolean;
  /** uid of the flow schema that was applied; absent: there is none */
  readonly schemaUid?: string;
  readonly levelUid?: string;
  /** Must be called when a request that has waited begins or goes on. */
  started(): void;
  /** Lends the turn to others until `resume`, while nothing is done for the request. */
  rest(): void;
  /** @returns a promise if it has to wait for others */
  resume(): Promise<void> | undefined;
  /** Lets others go first if it is their turn. @returns a promise if somebody else goes first */
  giveWay(): Promise<void> | undefined;
  /** Gives the turn back. */
  end(): void;
}

export interface RequestTurns {
  /** @returns undefined for a request that nothing limits; a promise if it has to wait for others */
  begin(request: ClientRequest, isLongRunning: boolean): RequestTurn | Promise<RequestTurn> | undefined;
}

/** Keeps track of answers that wait for their clients. */
export interface KeptAnswers {
  /** @param answer `until` is a time of `performance.now()`. @returns a function to call when the client has read all, or is gone */
  add(answer: { readonly user: string; readonly bytes: number; readonly until: number; cut(): void }): () => void;
}

export interface FairTurns {
  readonly turns: RequestTurns;
  readonly unread: KeptAnswers;
}

/** Bytes up to which the system holds an answer as a rule, or a stream of HTTP/2 no more than it holds anyway. */
const SMALL = 8 * 1024;

const TRY_AGAIN = Buffer.from('Too many requests, please try again later.\n');
const RETRY_AFTER_SECONDS = '1';

/**
 * A turn ends with the handler: that of a watch does when the watch has begun, that of others when all is given to the connection. What is left of it there
 * has its own bounds.
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
    // `finally` would make three more promises
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
      // with pieces of other long work: where many have waited, those that come in between wait for a few of them alone
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

/** Until its client has all of it, for as long as the request had in all: in 1.32 writing an answer counts. */
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
