/** What a store may refuse: a closed set. The registry translates each once into an API error. */
export abstract class StorageError extends Error {}

export class KeyNotFound extends StorageError {
  constructor(readonly key: string) {
    super(`key ${key} not found`);
  }
}

export class KeyExists extends StorageError {
  constructor(
    readonly key: string,
    readonly revision: number,
  ) {
    super(`key ${key} exists at revision ${revision}`);
  }
}

/** The key's latest revision is not the expected one. */
export class Conflict extends StorageError {
  constructor(
    readonly key: string,
    readonly expectedRevision: number,
    readonly actualRevision: number,
  ) {
    super(`key ${key} is at revision ${actualRevision}, not ${expectedRevision}`);
  }
}

export class RevisionCompacted extends StorageError {
  constructor(
    readonly revision: number,
    readonly compactedRevision: number,
  ) {
    super(`revision ${revision} is compacted: the oldest kept is ${compactedRevision}`);
  }
}

export class RevisionInFuture extends StorageError {
  constructor(
    readonly revision: number,
    readonly currentRevision: number,
  ) {
    super(`revision ${revision} is in the future: the newest is ${currentRevision}`);
  }
}

/** The disk is full or the map cannot grow; reads go on. */
export class StorageFull extends StorageError {}
