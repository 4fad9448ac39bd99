/** The form of entries in `x-cluster-validations`, as schemas state them. */
import type { Condition } from '../../../runtime/contract/condition.ts';
import type { FindingName } from '../../../runtime/contract/constraint.ts';

/** A member's name, `nested` (the constraints of the value's own type), `...` (members that the list does not name), or one constraint. */
export type Entry = string | ConstraintEntry;

type NumberOrMember = number | string;

interface Modifiers {
  /** behind the summary of the finding */
  readonly message?: string;
  /** the finding is of this reason */
  readonly as?: FindingName;
  /** path that is reported, from the holder: '' for the holder itself, else such as `name`, `[name]`; with `at` and `all`: of the value */
  readonly path?: string;
  /** what is printed as the value */
  readonly shown?: unknown;
  /** of a finding that says how long a value may be: the limit that it names, where the test has another or none */
  readonly limit?: number;
  /** the finding is of the struct that holds the value: its path, and its value as what is printed */
  readonly of?: 'holder';
  /** what an absent value counts as */
  readonly absent?: unknown;
  /** a finding ends the constraints of this value */
  readonly stop?: boolean;
  /** what was already so stays allowed */
  readonly ratchet?: boolean;
  readonly when?: Condition | readonly Condition[];
  readonly gate?: string;
  readonly on?: 'create' | 'update' | 'status';
  readonly since?: string;
  readonly until?: string;
}

/** One of the first group of members says what it is; `codegen/read/constraint-form.ts` has the form. */
export interface ConstraintEntry extends Modifiers {
  readonly required?: boolean;
  readonly forbidden?: boolean;
  /** true: the known values of the type */
  readonly enum?: readonly string[] | true;
  readonly minimum?: NumberOrMember;
  readonly maximum?: NumberOrMember;
  readonly above?: NumberOrMember;
  readonly below?: NumberOrMember;
  readonly range?: readonly [number, number];
  /** of a duration: from the first to the second, or beyond where there is no second; both belong to it, and one that cannot be read is 0 */
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
  /** of a format: all that is wrong is one finding, joined by this text */
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
  /** the constraints of the value's own type, once more where `on` says so */
  readonly nested?: boolean;
  readonly rule?: string;
  /** a hand-written function says whether the value is right; what is found where it is not is stated here */
  readonly holds?: string;
  /** of a rule, and of `holds`: it looks at the scope that an enclosing struct has made */
  readonly scoped?: boolean;
  /** of each element; with `path`: findings stand there instead of at the element */
  readonly items?: readonly Entry[];
  readonly keys?: readonly Entry[];
  readonly values?: readonly Entry[];
  /** of a map: bytes of a key in paths; a longer one loses its middle */
  readonly keyLength?: number;
  /** where the condition does not hold */
  readonly else?: readonly Entry[];
  readonly first?: readonly Entry[];
  readonly union?: UnionEntry;
  readonly oneOf?: readonly string[];
  readonly zeroOrOneOf?: readonly string[];
  readonly none?: string;
  readonly several?: string;
  readonly text?: readonly Entry[];
  readonly number?: readonly Entry[];
  /** of a value that is a struct, such as an element of a list: entries as the struct itself may state them, of its members */
  readonly within?: readonly Entry[];
  /** of a struct: the value is the member at this dotted path */
  readonly at?: string;
  readonly all?: readonly Entry[];
}

/**
 * Members of a struct of which one is set. `discriminator`: by the value of this member, `members` maps its values to member names (null:
 * none); otherwise the first that is set is the one, in the order of `members`.
 */
export interface UnionEntry {
  readonly discriminator?: string;
  readonly members: readonly string[] | Readonly<Record<string, string | null>>;
  /** where the one that the discriminator names, or any at all, is absent */
  readonly none?: string;
  /** where another one is set */
  readonly several?: string;
  /** members that may be set besides those before them */
  readonly beside?: readonly string[];
  readonly as?: FindingName;
  /** names by which members are reported where they are one too many, where these are others */
  readonly reported?: Readonly<Record<string, string>>;
}
