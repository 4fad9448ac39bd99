/** Keeps what the audit of a request needs to know of it, on a thread that does not write audit events. */
import { sentObject, sentPatch } from '../../audit/recorded-object.ts';
import type { RequestRecorder, Sent, SentForm } from '../../audit/request-recorder.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { ClientRequest } from '../../endpoints/request/client-request.ts';
import type { Status } from '../../status/status.ts';
import type { Noted } from './long-request-messages.ts';

export class NotedRequest implements RequestRecorder {
  readonly sentForm: SentForm;
  readonly #request: Pick<ClientRequest, 'annotations' | 'timings'>;
  #sent: Sent | undefined;
  #outcome: Status | undefined;

  constructor(request: Pick<ClientRequest, 'annotations' | 'timings'>, sentForm: SentForm) {
    this.sentForm = sentForm;
    this.#request = request;
  }

  sent(object: ApiObject): void {
    this.#sent = sentObject(object, this.sentForm);
  }

  sentPatch(body: Buffer): void {
    this.#sent = sentPatch(body, this.sentForm);
  }

  sentElsewhere(sent: Sent): void {
    this.#sent = sent;
  }

  outcome(status: Status): void {
    this.#outcome = shortened(status);
  }

  /** The thread that passes the answer on records it. */
  answers(): void {}

  failed(): void {}

  /** The serving thread ends the record. */
  handled(): void {}

  get noted(): Noted {
    const { annotations, timings } = this.#request;
    return { annotations: [...annotations], timings: [...timings], sent: this.#sent, outcome: this.#outcome };
  }
}

/** Limits of what is noted: a status may have any number of causes, and the serving thread would have to record all of them. */
const MOST_CAUSES = 1_000;
const MOST_NOTED = 256 * 1024;

function shortened(status: Status): Status {
  const { details } = status;
  if (details === undefined || JSON.stringify(details).length <= MOST_NOTED) return status;
  const { causes, ...others } = details;
  const few = Array.isArray(causes) ? causes.slice(0, MOST_CAUSES) : [];
  const kept = { ...others, causes: few };
  return { ...status, details: JSON.stringify(kept).length <= MOST_NOTED ? kept : {} };
}
