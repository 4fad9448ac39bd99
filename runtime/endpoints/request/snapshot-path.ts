/** A path that is no resource: who may get it may read all that is stored. */
export const SNAPSHOT_PATH = '/debug/store/snapshot';
