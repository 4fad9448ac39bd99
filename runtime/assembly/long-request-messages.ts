/** What the serving thread and the one for long requests say to each other. */

import type { Sent, SentForm } from '../audit/request-recorder.ts';
import type { Dialect } from '../contract/identity.ts';
import type { Choice, User } from '../contract/request-context.ts';
import type { TracePlace } from '../contract/trace.ts';
import type { FormOrder } from '../endpoints/long-form.ts';
import type { Figures } from '../observability/figures.ts';
import type { HeardAnswer } from '../outbound/heard-answers.ts';
import type { Status } from '../status/status.ts';
import type { RemoteStoreData } from '../storage/remote/calls.ts';
import type { ServerCredentials } from './server-credentials.ts';
import type { Setup } from './setup.ts';

/** What the other thread begins with. */
export interface ThreadData {
  readonly dialect: Dialect;
  readonly parsed: Setup['parsed'];
  readonly administratorToken?: string;
  readonly definitions?: readonly object[];
  readonly credentials: Omit<ServerCredentials, 'certificates'> & {
    readonly certificates: Omit<ServerCredentials['certificates'], 'reread'>;
  };
  readonly store: RemoteStoreData;
  readonly externalAddress: string;
}

/** A request, of somebody who may ask it. */
export interface LongRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly user: User;
  readonly body: Uint8Array<ArrayBuffer>;
  /** as of `OwnRequest` */
  readonly skipsAdmission?: true;
  /** what webhooks have answered about it, so that they are not asked twice, and what was chosen for it before they were asked */
  readonly heard?: { readonly answers: readonly HeardAnswer[]; readonly choices: readonly Choice[] };
  /** absent: the request is not recorded */
  readonly recording?: SentForm;
  /** absent: the request is not traced */
  readonly trace?: TracePlace;
}

/** What who records a request is to hear of it. */
export interface Noted {
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** milliseconds */
  readonly timings: readonly (readonly [step: string, milliseconds: number])[];
  readonly sent?: Sent | undefined;
  readonly outcome?: Status | undefined;
}

/** What is to be done. */
export type Task = { readonly answer: LongRequest } | { readonly form: FormOrder };

/** `abort`: nobody waits any longer for the task of that id. */
export type Order = ({ readonly id: number } & Task) | { readonly abort: number };

export interface LongAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** of a request that is recorded */
  readonly noted?: Noted | undefined;
  /** of a request that is traced: its parts, as they are sent to collectors */
  readonly spans?: readonly Uint8Array[];
}

/** `failed`: the answer broke off. `refused`: the form is none, as its client is to be told. */
export type Outcome =
  | { readonly answered: LongAnswer }
  | { readonly formed: Uint8Array<ArrayBuffer> }
  | { readonly refused: Status }
  | { readonly failed: string };

/** What became of the task of an id. */
export type Done = {
  readonly id: number;
  /** what the thread has counted since it last told; absent: nothing */
  readonly figures?: Figures | undefined;
} & Outcome;

export type Report = Done | { readonly log: 'debug' | 'info' | 'warn' | 'error'; readonly fields: object; readonly message: string };
