/**
 * Defaults that depend on other members, as schemas state them: `x-cluster-default-when` beside a property, `x-cluster-defaults` on a schema
 * for members below its own. Defaults that depend on nothing are `default` and `x-cluster-default`.
 *
 * The rules of a struct run in the order in which they are stated, when all below it has its defaults and its own members have those that
 * depend on nothing. A rule sees what the rules before it did.
 */
import type { Conditional } from './condition.ts';

/** How a value is made of the text of another member. */
export const defaultFormats = ['imagePullPolicy', 'listKind', 'lowerCase'] as const;

export type DefaultFormat = (typeof defaultFormats)[number];

/**
 * Exactly one of `value`, `from` and `entriesFrom` says what the member gets. All paths are dotted and begin at the struct that states the
 * rule. Where `path` leads through elements of lists (`spec.containers[*].ports[*].hostPort`), other paths that begin alike up to its last
 * `[*]` are those of the same element; the remaining ones lead through structs alone.
 */
export interface DefaultRule extends Conditional {
  /** of the member that gets the default; pointers to structs on the way that are absent are made, elements of lists never */
  readonly path: string;
  readonly value?: unknown;
  /** another member, whose value is copied; while it is absent there is no default */
  readonly from?: string;
  /** with `from`, whose value is a text */
  readonly as?: DefaultFormat;
  /** maps whose entries the member gets in addition to its own; of entries with one key the first counts */
  readonly entriesFrom?: readonly string[];
  /** only while no other property of the schema that states the rule is there: one of them must be */
  readonly alone?: true;
  /** the member gets the value even where it has one */
  readonly replaces?: true;
}
