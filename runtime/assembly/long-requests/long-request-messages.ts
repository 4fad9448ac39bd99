/** Messages between the serving thread and the thread for long requests. */

import type { MessagePort } from 'node:worker_threads';
import type { Sent, SentForm } from '../../audit/request-recorder.ts';
import type { Dialect } from '../../contract/identity.ts';
import type { Choice, User } from '../../contract/request-context.ts';
import type { TracePlace } from '../../contract/trace.ts';
import type { FormOrder } from '../../endpoints/long-form.ts';
import type { Figures } from '../../observability/figures.ts';
import type { HeardAnswer } from '../../outbound/heard-answers.ts';
import type { Status } from '../../status/status.ts';
import type { RemoteStoreData } from '../../storage/remote/calls.ts';
import type { ServerCredentials } from '../setup/server-credentials.ts';
import type { Setup } from '../setup/setup.ts';

/** What the thread gets when it starts. */
export interface ThreadData {
  readonly dialect: Dialect;
  readonly parsed: Setup['parsed'];
  readonly administratorToken?: string;
  readonly definitions?: readonly object[];
  readonly credentials: Omit<ServerCredentials, 'certificates'> & {
    readonly certificates: Omit<ServerCredentials['certificates'], 'reread' | 'renew'>;
  };
  readonly store: RemoteStoreData;
  readonly externalAddress: string;
}

/** A request whose user is authenticated and authorized. */
export interface LongRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly user: User;
  readonly body: Uint8Array<ArrayBuffer>;
  /** see `OwnRequest` */
  readonly skipsAdmission?: true;
  /** answers of webhooks about this request, so that they are not called twice, and values that were chosen before, such as its time */
  readonly heard?: { readonly answers: readonly HeardAnswer[]; readonly choices: readonly Choice[] };
  /** absent: the request is not audited */
  readonly recording?: SentForm;
  /** absent: the request is not traced */
  readonly trace?: TracePlace;
}

/** What the thread has noted for the audit of a request. */
export interface Noted {
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** steps with their milliseconds */
  readonly timings: readonly (readonly [step: string, milliseconds: number])[];
  readonly sent?: Sent | undefined;
  readonly outcome?: Status | undefined;
}

/** What the thread shall do: answer a request, or make a form of an object. */
export type Task = { readonly answer: LongRequest } | { readonly form: FormOrder };

/** `abort` has the id of a task that nobody waits for any longer. */
export type Order = ({ readonly id: number } & Task) | { readonly abort: number };

export interface LongAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** present if the request is audited */
  readonly noted?: Noted | undefined;
  /** the spans of a traced request, encoded for the collector */
  readonly spans?: readonly Uint8Array[];
}

/** `failed`: the task has thrown an error. `refused`: the client gets this status instead of the form. */
export type Outcome =
  | { readonly answered: LongAnswer }
  | { readonly formed: Uint8Array<ArrayBuffer> }
  | { readonly refused: Status }
  | { readonly failed: string };

/** The outcome of the task with this id. */
export type Done = {
  readonly id: number;
  /** what the thread has counted since its last message; absent: nothing */
  readonly figures?: Figures | undefined;
} & Outcome;

export type Report =
  | Done
  | { readonly log: 'debug' | 'info' | 'warn' | 'error'; readonly fields: object; readonly message: string }
  /** the far end of a connection to the server itself */
  | { readonly port: MessagePort };
