/**
 * The class of an error of a patch.
 *
 * - `malformed`: the patch fits no object at all
 * - `tooLarge`: the patch needs more work than the server allows
 * - `failed`: the operations do not fit this object
 * - `internal`: 1.32 answers this error of a strategic merge with 500, because it has no class for it
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

/** A `test` operation has found another value than the patch expects. */
export class FailedTest extends PatchError {
  constructor(path: string) {
    super('failed', `testing value ${path} failed: test failed`);
  }
}
