/**
 * Constraints of a type as data: what `codegen/model/constraints/` makes of the marks in a schema, in the order in which findings are
 * reported. The generator writes functions of them for built-in kinds, `runtime/validation/interpreter.ts` runs them for custom ones; both
 * give the same field errors.
 *
 * Every step speaks of a value at hand. Conditions and neighbours are paths into the struct that holds the value (the holder); of the steps
 * of a struct that is the struct itself. Texts may hold identity placeholders.
 */
import type { Condition } from './condition.ts';

export type Steps = readonly Step[];

export type Step =
  | CheckStep
  | RuleStep
  | TypeStep
  | MemberStep
  | ItemsStep
  | EntriesStep
  | WithinStep
  | WhenStep
  | FirstStep
  | UnionStep
  | FormStep;

/** What must be known of a value's type to tell whether it is set. */
export interface Shape {
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'map' | 'struct' | 'any';
  /** whether absent and zero are different values; otherwise zero counts as absent */
  readonly pointer: boolean;
  /** whether this is an integer of 64 bits, which may be a `JSON.rawJSON` */
  readonly wide?: boolean;
}

/** The reasons of findings, named as their constructors in `field-error.ts`. `tooLong` and `tooMany` need a test with a limit. */
export type FindingName =
  | 'required'
  | 'invalid'
  | 'notSupported'
  | 'forbidden'
  | 'duplicate'
  | 'notFound'
  | 'typeInvalid'
  | 'internal'
  | 'tooLong'
  | 'tooMany';

/** Another member of the holder, whose number is the limit. */
export interface Neighbour {
  readonly path: readonly string[];
  /** whether an absent member counts as 0; otherwise there is no limit without it */
  readonly zero: boolean;
}

export type Limit = number | Neighbour;

export type Test =
  /** the value must be set: neither absent, nor zero if zero counts as absent; otherwise the steps behind it do not run */
  | { readonly name: 'required' }
  | { readonly name: 'forbidden' }
  | { readonly name: 'enum'; readonly values: readonly string[] }
  | { readonly name: 'minimum' | 'maximum' | 'above' | 'below'; readonly limit: Limit }
  /** the number must be in a range, to which both limits belong */
  | { readonly name: 'range'; readonly lowest: number; readonly highest: number }
  /** the duration must be in a span, to which both limits belong; they are numbers of nanoseconds in digits */
  | { readonly name: 'span'; readonly shortest: string; readonly longest?: string }
  /** the length of the text, in bytes of UTF-8, has a limit */
  | { readonly name: 'minLength' | 'maxLength'; readonly limit: number }
  /** the length of all keys and values of a map together, in bytes, has a limit */
  | { readonly name: 'maxBytes'; readonly limit: number }
  | { readonly name: 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'; readonly limit: number }
  /** the whole value must match a regular expression, whose source is given */
  | { readonly name: 'pattern'; readonly pattern: string }
  /** the value must have formats, which are names from `runtime/formats/named-formats.ts` */
  | { readonly name: 'format'; readonly formats: readonly string[] }
  | { readonly name: 'equals' | 'neq'; readonly value: string | number | boolean }
  /**
   * no earlier element of the list may have the same value or, if there are keys, the same values of these members; `set` is a number by which the list is
   * known
   */
  | { readonly name: 'unique'; readonly keys: readonly string[]; readonly set: number; readonly countsUnset: boolean }
  /** a hand-written `Predicate` must hold */
  | HoldsTest
  /** an update must not change the value in one of these ways, whose names come from the declarative validation of Kubernetes */
  | { readonly name: 'immutable' | 'noSet' | 'noUnset' | 'noModify' | 'noDecrease' };

export interface HoldsTest {
  readonly name: 'holds';
  /** the predicate, as `<file below runtime/kinds>#<export>` */
  readonly rule: string;
  /** whether the predicate gets the scope that an enclosing struct has made */
  readonly scoped: boolean;
  /** whether the predicate gets the stored value, because the constraint is one of updates */
  readonly comparing: boolean;
  /** the definition name of the value; absent if it is not a struct */
  readonly definition?: string;
  /** the definition name of the struct that holds the value */
  readonly holder: string;
}

/** Tests the value, and reports a finding if it fails. */
export interface CheckStep {
  readonly do: 'check';
  readonly test: Test;
  /** the text after the summary of the finding; absent for the one that the test has */
  readonly detail?: string;
  /** the reason of the finding; absent for the one that the test has */
  readonly as?: FindingName;
  /** the path of the finding from the holder, such as `.name` or `[name]`, or empty for the holder itself; absent for the path of the value */
  readonly path?: string;
  /** what the message shows as the value; absent for the value itself */
  readonly shown?: { readonly value: unknown };
  /** the limit that a finding about a length names; absent for the one of the test */
  readonly limit?: number;
  /** whether the finding is about the holder, with its path and its value */
  readonly ofHolder: boolean;
  /** the value that an absent one counts as; absent if only values that are there are tested */
  readonly absent?: { readonly value: unknown };
  /** joins all problems that formats find to one finding; absent if each is a finding */
  readonly join?: string;
  /** whether the steps of this value end with a finding of this one */
  readonly stop: boolean;
  /** whether a value that equals the stored one stays allowed */
  readonly ratchet: boolean;
}

/** Calls a hand-written function for what constraints cannot state. */
export interface RuleStep {
  readonly do: 'rule';
  /** the function, a `Rule`, as `<file below runtime/kinds>#<export>` */
  readonly rule: string;
  /** whether the function gets the scope that an enclosing struct has made */
  readonly scoped: boolean;
  /** the definition name of the value; absent if it is not a struct */
  readonly definition?: string;
  /** whether the steps of this value end with a finding of this one */
  readonly stop: boolean;
}

/** Runs the constraints of the value's own type, which is a struct. */
export interface TypeStep {
  readonly do: 'type';
  readonly definition: string;
  /** whether these are the constraints of changes (`StructConstraints.changes`) or those of the object */
  readonly changes: boolean;
}

/** Runs steps for a member of the value. */
export interface MemberStep {
  readonly do: 'member';
  readonly path: readonly string[];
  /** the name of the member in findings; absent if that is `path` */
  readonly report?: string;
  readonly shape: Shape;
  readonly steps: Steps;
  /** whether the holder states the steps, so that a finding which ends them also ends those of the holder */
  readonly byHolder?: boolean;
}

/** Runs steps for each element of a list. */
export interface ItemsStep {
  readonly do: 'items';
  readonly shape: Shape;
  /** the members by which an element is found in the stored list; empty if elements have no such members */
  readonly mapKeys: readonly string[];
  /** the path of the findings of all elements from the holder, in the form of `CheckStep.path`; absent if each element has its own path */
  readonly report?: string;
  readonly steps: Steps;
}

/** Runs steps for each key and each value of a map, one entry after the other. */
export interface EntriesStep {
  readonly do: 'entries';
  readonly keys: Steps;
  readonly shape: Shape;
  readonly values: Steps;
  /** the most bytes of a key in paths, which lack the middle of a longer one; absent if there is no limit */
  readonly keyLength?: number;
}

/** Makes the value, which is a struct, the holder for the steps: they are constraints of its members that its own holder states. */
export interface WithinStep {
  readonly do: 'within';
  readonly steps: Steps;
}

/** Runs `steps` if all conditions hold, and `otherwise` if not. */
export interface WhenStep {
  readonly do: 'when';
  /** conditions on members of the holder; of several, one must hold */
  readonly when?: Condition | readonly Condition[];
  /** the name of a feature gate that must be on, or off if `!` stands before the name */
  readonly gate?: string;
  /** true if the struct must be new, without a stored one */
  readonly creating?: boolean;
  readonly steps: Steps;
  readonly otherwise: Steps;
}

/** Runs steps up to the first that finds something. */
export interface FirstStep {
  readonly do: 'first';
  readonly steps: Steps;
}

/** Checks how many of these members of a struct are set, and runs the steps of those that are. */
export interface UnionStep {
  readonly do: 'union';
  readonly members: readonly MemberStep[];
  /** the finding if none is set; absent if that is allowed */
  readonly none?: UnionFinding;
  /** the finding if several are set; absent if that is allowed */
  readonly several?: UnionFinding & {
    /** `member` reports each member after the first, and does not run its steps; `struct` reports the struct once */
    readonly at: 'member' | 'struct';
    /** members that may be set besides those before them */
    readonly beside?: readonly string[];
    /** the names of members in findings, for those that have other ones */
    readonly reported?: Readonly<Record<string, string>>;
  };
}

export interface UnionFinding {
  readonly as: FindingName;
  readonly detail: string;
  readonly path?: string;
  readonly shown?: { readonly value: unknown };
}

/** Runs different steps for a value that is a text and for one that is a number. */
export interface FormStep {
  readonly do: 'form';
  readonly text: Steps;
  readonly number: Steps;
}

/** The constraints of a struct. Each list may be empty. */
export interface StructConstraints {
  /** whether findings depend on nothing but the value, so that a value which has not changed is not checked again */
  readonly closed: boolean;
  /** the function, a `ScopeMaker`, that makes the scope for rules in this struct, as `<file below runtime/kinds>#<export>`; absent if they need none */
  readonly scope?: string;
  /** the constraints for creates and updates */
  readonly object: Steps;
  /** the additional constraints of updates, about what changed */
  readonly changes: Steps;
  /** the constraints for updates of the status */
  readonly status: Steps;
}
