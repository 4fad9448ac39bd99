/** Who records a request hears what the client has sent, as it was understood, and what it is told. */
import type { ApiObject } from '../contract/object.ts';
import type { Status } from '../status/status.ts';

/** What a request has sent, as far as it is recorded. */
export interface Sent {
  /** JSON; absent where that is not asked for */
  readonly json?: string | undefined;
  /** what the object says of itself; '' or absent where it says nothing */
  readonly objectRef: SentReference;
}

export interface SentReference {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** How much is recorded of what is sent. */
export interface SentForm {
  readonly whole: boolean;
  readonly omitManagedFields: boolean;
}

export interface RequestRecorder {
  readonly sentForm: SentForm;
  /** An object of the version that the request speaks, with its defaults, which may be changed afterwards. */
  sent(object: ApiObject): void;
  /** A patch, as it came. */
  sentPatch(body: Buffer): void;
  /** As those two, of what another thread has understood. */
  sentElsewhere(sent: Sent): void;
  /** The answer is an object of the API, or says that there is none. To be called before it begins. */
  answers(): void;
  /** What the answer says of the outcome. */
  outcome(status: Status): void;
  /** The request ended by a fault of ours. */
  failed(): void;
}
