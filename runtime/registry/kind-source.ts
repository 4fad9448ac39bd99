import type { Kind } from './kind.ts';

/** Where kinds come from: the schemas, or a definition. */
export interface KindSource {
  /** A kind that was loaded before, without waiting: the hot path. */
  loaded(group: string, version: string, kind: string): Kind | undefined;
  /** Whether a kind of that name may be had, in a version that is served or not. */
  has(group: string, version: string, kind: string): Promise<boolean>;
  /** @throws Error for a kind that there is not */
  kind(group: string, version: string, kind: string): Promise<Kind>;
}
