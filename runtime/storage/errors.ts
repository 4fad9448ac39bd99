/** What a store may refuse: a closed set. The registry translates each once into an API error. */
export abstract class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class KeyNotFound extends StorageError {
  readonly key: string;

  constructor(key: string) {
    super(`key ${key} not found`);
    this.key = key;
  }
}

export class KeyExists extends StorageError {
  readonly key: string;
  readonly revision: number;

  constructor(key: string, revision: number) {
    super(`key ${key} exists at revision ${revision}`);
    this.key = key;
    this.revision = revision;
  }
}

/** The key's latest revision is not the expected one. */
export class Conflict extends StorageError {
  readonly key: string;
  readonly expectedRevision: number;
  readonly actualRevision: number;

  constructor(key: string, expectedRevision: number, actualRevision: number) {
    super(`key ${key} is at revision ${actualRevision}, not ${expectedRevision}`);
    this.key = key;
    this.expectedRevision = expectedRevision;
    this.actualRevision = actualRevision;
  }
}

/** The key that guards a write is not at its revision any longer: what the write was decided by has changed. Its own key would have taken it. */
export class GuardBroken extends StorageError {
  readonly key: string;
  /** undefined if the key was expected to have no value */
  readonly expectedRevision: number | undefined;
  readonly actualRevision: number | undefined;

  constructor(key: string, expectedRevision: number | undefined, actualRevision: number | undefined) {
    super(`key ${key}, which guards the write, is at revision ${actualRevision ?? 'none'}, not ${expectedRevision ?? 'none'}`);
    this.key = key;
    this.expectedRevision = expectedRevision;
    this.actualRevision = actualRevision;
  }
}

/** Whoever writes may do so as long as a fence holds, and it does not, or not yet again. Nothing was written. */
export class WriteFenced extends StorageError {
  /** the key of the fence */
  readonly key: string;

  constructor(key: string) {
    super(`the write was not made: its writer does not hold ${key} any longer`);
    this.key = key;
  }
}

export class RevisionCompacted extends StorageError {
  readonly revision: number;
  readonly compactedRevision: number;

  constructor(revision: number, compactedRevision: number) {
    super(`revision ${revision} is compacted: the oldest kept is ${compactedRevision}`);
    this.revision = revision;
    this.compactedRevision = compactedRevision;
  }
}

export class RevisionInFuture extends StorageError {
  readonly revision: number;
  readonly currentRevision: number;

  constructor(revision: number, currentRevision: number) {
    super(`revision ${revision} is in the future: the newest is ${currentRevision}`);
    this.revision = revision;
    this.currentRevision = currentRevision;
  }
}

/** What is stored of a key cannot be what was written; reading it again does not help. `reason` says what is wrong with it. */
export class ValueDamaged extends StorageError {
  /** undefined if only the damaged record could tell it */
  readonly key: string | undefined;
  readonly revision: number;
  readonly reason: string;

  constructor(key: string | undefined, revision: number, reason: string) {
    super(`the value ${key === undefined ? '' : `of key ${key} `}at revision ${revision} is damaged: ${reason}`);
    this.key = key;
    this.revision = revision;
    this.reason = reason;
  }
}

/** Nobody here has the key that the value was encrypted by, or it was changed since. */
export class ValueUndecryptable extends ValueDamaged {
  /** which of both, in the words of 1.32 */
  readonly cipherProblem: string;

  constructor(key: string, revision: number, cipherProblem: string) {
    super(key, revision, `it cannot be decrypted: ${cipherProblem}`);
    this.cipherProblem = cipherProblem;
  }
}

/** The value cannot be encrypted at present, so it is not written. `cause` says why. */
export class ValueUnencryptable extends StorageError {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

interface UnwritableOptions extends ErrorOptions {
  readonly code?: string | undefined;
  readonly outcomeUnknown?: boolean;
}

/** Nothing can be written, for whatever is wrong with the disk; reads go on where they can. `cause` is the operating system's error, where it was that. */
export class StorageUnwritable extends StorageError {
  /** the code of the operating system, such as `EIO`; undefined if the error did not come from there */
  readonly code: string | undefined;
  /** whether the data may have been written, or may be written later */
  readonly outcomeUnknown: boolean;

  constructor(message: string, { code, outcomeUnknown = false, ...options }: UnwritableOptions = {}) {
    super(message, options);
    this.code = code;
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** The store is far away and cannot be reached at present, or does not answer in time. Reads of what is here go on. */
export class StorageUnreachable extends StorageUnwritable {}

/** The store takes no value of this size. `message` says so in its own words. */
export class ValueTooLarge extends StorageError {}

/** The disk or the store's share of it is full; reads go on. */
export class StorageFull extends StorageUnwritable {}

/** Nothing can be read or written by this process any more. The store tells why by `onEnd`, which is about to be called where it was not yet. */
export class StorageEnded extends StorageError {}
