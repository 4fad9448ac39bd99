/** The form of the entries of `x-cluster-validations`, as schemas state them. */
import type { Condition } from '../../../runtime/contract/condition.ts';
import type { FindingName } from '../../../runtime/contract/constraint.ts';

/** A member's name; `nested`, the constraints of the value's own type; `...`, the members that the list does not name; or one constraint. */
export type Entry = string | ConstraintEntry;

type NumberOrMember = number | string;

interface Modifiers {
  /** Text behind the summary of the finding; absent: that of the test. */
  readonly message?: string;
  /** Reason of the finding; absent: that of the test. */
  readonly as?: FindingName;
  /** Path that is reported, from the holder: '' for the holder itself, else such as `name` or `[name]`. With `at` and `all` it is that of the value. */
  readonly path?: string;
  /** What is printed as the value; absent: the value. */
  readonly shown?: unknown;
  /** The limit that a finding about the length of a value names, where the test has another limit or none. */
  readonly limit?: number;
  /** The finding is about the struct that holds the value: it has the path of that, and prints its value. */
  readonly of?: 'holder';
  /** What an absent value counts as; absent: the test looks only at values that are there. */
  readonly absent?: unknown;
  /** A finding ends the constraints of this value; absent: it does so for `required` alone. */
  readonly stop?: boolean;
  /** On an update, a value that equals the stored one stays allowed. */
  readonly ratchet?: boolean;
  readonly when?: Condition | readonly Condition[];
  readonly gate?: string;
  readonly on?: 'create' | 'update' | 'status';
  readonly since?: string;
  readonly until?: string;
}

/** One constraint. One member of the first group says what it is; `codegen/read/constraint-form.ts` checks the form. */
export interface ConstraintEntry extends Modifiers {
  readonly required?: boolean;
  readonly forbidden?: boolean;
  /** True stands for the known values of the type. */
  readonly enum?: readonly string[] | true;
  readonly minimum?: NumberOrMember;
  readonly maximum?: NumberOrMember;
  readonly above?: NumberOrMember;
  readonly below?: NumberOrMember;
  readonly range?: readonly [number, number];
  /** Limits of a duration, both allowed; without the second there is no upper limit. A value that cannot be read counts as 0. */
  readonly span?: readonly [string, string?];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxBytes?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly format?: string | readonly string[];
  /** With `format`: everything that is wrong becomes one finding, joined by this text. */
  readonly join?: string;
  readonly equals?: string | number | boolean;
  readonly neq?: string | number | boolean;
  readonly unique?: boolean | string | readonly string[];
  readonly countsUnset?: boolean;
  readonly immutable?: boolean;
  readonly noSet?: boolean;
  readonly noUnset?: boolean;
  readonly noModify?: boolean;
  readonly noDecrease?: boolean;
  /** The constraints of the value's own type, which run once more in the pass that `on` names. */
  readonly nested?: boolean;
  readonly rule?: string;
  /** Names a hand-written function that says whether the value is right; the entry states what is found if it is not. */
  readonly holds?: string;
  /** Of `rule` and `holds`: the function looks at the scope that an enclosing struct has made. */
  readonly scoped?: boolean;
  /** Constraints of each element. With `path`, findings stand there instead of at the element. */
  readonly items?: readonly Entry[];
  readonly keys?: readonly Entry[];
  readonly values?: readonly Entry[];
  /** Of a map: greatest length in bytes of a key in a reported path; a longer key loses its middle. */
  readonly keyLength?: number;
  /** Constraints that run where the condition does not hold. */
  readonly else?: readonly Entry[];
  readonly first?: readonly Entry[];
  readonly union?: UnionEntry;
  readonly oneOf?: readonly string[];
  readonly zeroOrOneOf?: readonly string[];
  readonly none?: string;
  readonly several?: string;
  readonly text?: readonly Entry[];
  readonly number?: readonly Entry[];
  /** Of a value that is a struct, such as an element of a list: entries about its members, as the struct itself may state them. */
  readonly within?: readonly Entry[];
  /** Of a struct: the constraint is about the member at this dotted path. */
  readonly at?: string;
  readonly all?: readonly Entry[];
}

/**
 * Members of a struct of which one is set. With `discriminator`, the value of that member says which: `members` maps its values to member names, or to null
 * for none. Without it, the first of `members` that is set is the one.
 */
export interface UnionEntry {
  readonly discriminator?: string;
  readonly members: readonly string[] | Readonly<Record<string, string | null>>;
  /** Detail of the finding where the member that the discriminator names, or any member at all, is absent; absent: that is allowed. */
  readonly none?: string;
  /** Detail of the finding where another member is set; absent: that is allowed. */
  readonly several?: string;
  /** members that may be set besides those before them */
  readonly beside?: readonly string[];
  readonly as?: FindingName;
  /** Names by which findings report members that are one too many, where they differ from the members' own. */
  readonly reported?: Readonly<Record<string, string>>;
}
