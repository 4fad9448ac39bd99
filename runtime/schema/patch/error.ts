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
