/** The parts of a client's request that recording needs. The chain fills them step by step. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAnswer } from '../connections/client-answer.ts';
import type { User } from '../contract/request-context.ts';
import type { AuditedRequest } from './audit-policy.ts';
import type { Kinds } from './recorded-object.ts';
import type { RequestRecorder } from './request-recorder.ts';

export interface AuditedClient {
  readonly id: string;
  /** the time at which its head had arrived, by `performance.now()` */
  readonly received: number;
  readonly answer: Pick<ClientAnswer, 'status' | 'begunAt' | 'whenBegun' | 'whenOver' | 'record' | 'contentType'>;
  /** undefined if the path could not be parsed */
  readonly info: (AuditedRequest & { readonly version: string; readonly query: { get(name: string): string | undefined } }) | undefined;
  /** name of the one object that it is for, though its path may name none; '' for none */
  readonly askedName: string;
  /** the effective user; undefined until the user is known */
  readonly user: User | undefined;
  /** the authenticated user, if that is another one */
  readonly impersonator?: User;
  readonly registry: Kinds;
  readonly annotations: ReadonlyMap<string, string>;
  /** the milliseconds that steps have taken, by the name of the step */
  readonly timings: ReadonlyMap<string, number>;
  annotate(key: string, value: string): void;
  /** records the request; absent if it is not recorded, or not yet */
  recorder?: RequestRecorder;
}

/** The request and the answer of Node. */
export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
