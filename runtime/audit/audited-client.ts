/** What recording needs of a client's request, as the chain fills it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAnswer } from '../connections/client-answer.ts';
import type { User } from '../contract/request-context.ts';
import type { AuditedRequest } from './audit-policy.ts';
import type { Kinds } from './recorded-object.ts';
import type { RequestRecorder } from './request-recorder.ts';

export interface AuditedClient {
  readonly id: string;
  /** of `performance.now()`, when its head had come */
  readonly received: number;
  readonly answer: Pick<ClientAnswer, 'status' | 'begunAt' | 'whenBegun' | 'whenOver' | 'record' | 'contentType'>;
  /** undefined where the path could not be read */
  readonly info: (AuditedRequest & { readonly version: string; readonly query: { get(name: string): string | undefined } }) | undefined;
  /** who the request acts as; undefined until somebody is known */
  readonly user: User | undefined;
  /** who asked, where that is somebody else */
  readonly impersonator?: User;
  readonly registry: Kinds;
  readonly annotations: ReadonlyMap<string, string>;
  /** milliseconds by step */
  readonly timings: ReadonlyMap<string, number>;
  annotate(key: string, value: string): void;
  /** who records it */
  recorder?: RequestRecorder;
}

/** Both sides of it in HTTP. */
export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
