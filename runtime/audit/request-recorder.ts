/** The contract between handlers of requests and the recorder of a request: handlers tell it what the client has sent, and how they answer. */
import type { ApiObject } from '../contract/object.ts';
import type { Status } from '../status/status.ts';

/** What the client has sent, as far as it is recorded. */
export interface Sent {
  /** the whole as JSON; absent if `SentForm.whole` is false */
  readonly json?: string | undefined;
  /** what the object says about itself; members are empty or absent if it does not say them */
  readonly objectRef: SentReference;
}

export interface SentReference {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** How much is recorded of what the client sends. */
export interface SentForm {
  /** whether the whole object or patch is recorded; otherwise only its reference is */
  readonly whole: boolean;
  readonly omitManagedFields: boolean;
}

export interface RequestRecorder {
  readonly sentForm: SentForm;
  /** Records the object that was sent, in the version of the request and with its defaults. The caller may change it afterwards. */
  sent(object: ApiObject): void;
  /** Records the patch that was sent, as its bytes came. */
  sentPatch(body: Buffer): void;
  /** Records what another thread has read of the object or patch that was sent. */
  sentElsewhere(sent: Sent): void;
  /** Makes the recorder keep the answer, which is an object of the API or a Status. It must be called before the answer begins. */
  answers(): void;
  /** Records the Status with which the request is answered. */
  outcome(status: Status): void;
  /** Records that the request ended by a fault of the server. */
  failed(): void;
  /** Tells that nothing more is done for the request, but that its answer may still be under way. */
  handled(): void;
}
