/**
 * A patch that cannot be applied. `malformed`: it fits no object at all; `tooLarge`: it asks for too much work; `failed`: its operations do not
 * fit this object; `wrongType`: it has a value of another type than the object's schema.
 */
export class PatchError extends Error {
  readonly reason: 'malformed' | 'tooLarge' | 'failed' | 'wrongType';
  constructor(reason: PatchError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
