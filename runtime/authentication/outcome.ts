/** What a method of authentication says of credentials: whose they are; a refusal; or undefined, when they are none of its kind. */
export type Outcome<T> = T | Refusal | undefined;

/** Credentials of a method's kind that are not good. Other methods may still know the request. */
export class Refusal {
  /** for the log and for token reviews; holds no secret */
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
