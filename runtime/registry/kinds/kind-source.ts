import type { Kind } from './kind.ts';

/** A source of kinds: the schemas, or a definition. */
export interface KindSource {
  /** Returns a kind that was loaded before; undefined if it was not. Nearly all requests get their kinds in this way, without waiting. */
  loaded(group: string, version: string, kind: string): Kind | undefined;
  /** Tells whether there is a kind, in a version that is served or not. */
  has(group: string, version: string, kind: string): Promise<boolean>;
  /** @throws Error for a kind that there is not */
  kind(group: string, version: string, kind: string): Promise<Kind>;
}
