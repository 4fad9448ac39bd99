/**
 * Defaults that depend on other members, as schemas state them: `x-cluster-default-when` beside a property, `x-cluster-defaults` on a schema
 * for members below its own. Defaults that depend on nothing are `default` and `x-cluster-default`.
 *
 * The rules of a struct run in the order in which they are stated, when all below it has its defaults and its own members have those that
 * depend on nothing. A rule sees what the rules before it did.
 */
import type { Conditional } from './condition.ts';

/** The ways to make a value from the text of another member. */
export const defaultFormats = ['imagePullPolicy', 'listKind', 'lowerCase'] as const;

export type DefaultFormat = (typeof defaultFormats)[number];

/**
 * Exactly one of `value`, `from` and `entriesFrom` says what the member gets. All paths are dotted and begin at the struct that states the
 * rule. Where `path` leads through elements of lists (`spec.containers[*].ports[*].hostPort`), other paths that begin alike up to its last
 * `[*]` are those of the same element; the remaining ones lead through structs alone.
 */
export interface DefaultRule extends Conditional {
  /** the member that gets the default; structs behind absent pointers on the way to it are made, elements of lists never are */
  readonly path: string;
  readonly value?: unknown;
  /** another member, whose value is copied; while it is absent, there is no default */
  readonly from?: string;
  /** how the value is made from that of `from`, which is a text; absent if it is copied */
  readonly as?: DefaultFormat;
  /** maps whose entries are added to those of the member; of several entries with the same key, the first counts */
  readonly entriesFrom?: readonly string[];
  /** true if the rule applies only while no other property of the schema that states it is set, because one of them must be */
  readonly alone?: true;
  /** true if the member gets the value even if it has one */
  readonly replaces?: true;
}
