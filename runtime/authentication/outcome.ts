/** The answer of an authentication method: the result, a refusal, or undefined if the credentials are not of its kind. */
export type Outcome<T> = T | Refusal | undefined;

/** The credentials are of the method's kind, but invalid. Other methods may still authenticate the request. */
export class Refusal {
  /** for the log and for token reviews; holds no secret */
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
