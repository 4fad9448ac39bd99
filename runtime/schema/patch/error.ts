/**
 * Why a patch cannot be applied.
 *
 * - `malformed`: it fits no object, whatever it is
 * - `tooLarge`: it asks for more work than the server does
 * - `failed`: its operations do not fit this object
 * - `internal`: 1.32 has no class for this error of a strategic merge, and answers 500
 */
export type PatchFault = 'malformed' | 'tooLarge' | 'failed' | 'internal';

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly reason: PatchFault;

  constructor(reason: PatchFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A `test` operation says that the document is not what the patch is for. */
export class FailedTest extends PatchError {
  constructor(path: string) {
    super('failed', `testing value ${path} failed: test failed`);
  }
}
