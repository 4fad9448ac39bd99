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

/** What a value is, as far as presence is concerned. `pointer`: absent and zero are different values. */
export interface Shape {
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'map' | 'struct' | 'any';
  readonly pointer: boolean;
  /** an integer of 64 bits, which may be `JSON.rawJSON` */
  readonly wide?: boolean;
}

/** Reasons of findings by the names of their constructors in `field-error.ts`; those of sizes only where the test has a limit. */
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

/** Where another number is found: a member of the holder. */
export interface Neighbour {
  readonly path: readonly string[];
  /** an absent one counts as 0; otherwise there is no limit without it */
  readonly zero: boolean;
}

export type Limit = number | Neighbour;

export type Test =
  /** the value is set: not absent, and not zero where zero counts as absent; stops what follows */
  | { readonly name: 'required' }
  | { readonly name: 'forbidden' }
  | { readonly name: 'enum'; readonly values: readonly string[] }
  | { readonly name: 'minimum' | 'maximum' | 'above' | 'below'; readonly limit: Limit }
  /** both limits belong to the range */
  | { readonly name: 'range'; readonly lowest: number; readonly highest: number }
  /** nanoseconds of a duration, in digits; both limits belong to the span */
  | { readonly name: 'span'; readonly shortest: string; readonly longest?: string }
  /** lengths in bytes of UTF-8 */
  | { readonly name: 'minLength' | 'maxLength'; readonly limit: number }
  /** bytes of all keys and values of a map together */
  | { readonly name: 'maxBytes'; readonly limit: number }
  | { readonly name: 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'; readonly limit: number }
  /** source of a regular expression that the whole value matches */
  | { readonly name: 'pattern'; readonly pattern: string }
  /** names of `runtime/formats/named-formats.ts` */
  | { readonly name: 'format'; readonly formats: readonly string[] }
  | { readonly name: 'equals' | 'neq'; readonly value: string | number | boolean }
  /** of an element: no other one before it has the same value, or the same values of these members */
  | { readonly name: 'unique'; readonly keys: readonly string[]; readonly set: number; readonly countsUnset: boolean }
  /** a hand-written `Predicate`, `<file below runtime/kinds>#<export>`, says that the value is right */
  | HoldsTest
  /** of updates: declarative validation of Kubernetes has these names */
  | { readonly name: 'immutable' | 'noSet' | 'noUnset' | 'noModify' | 'noDecrease' };

export interface HoldsTest {
  readonly name: 'holds';
  readonly rule: string;
  /** it looks at the scope that an enclosing struct has made */
  readonly scoped: boolean;
  /** it is told the stored value: of what is checked on updates alone */
  readonly comparing: boolean;
  /** definition name of the value, where it is a struct */
  readonly definition?: string;
  /** definition name of the struct that holds it */
  readonly holder: string;
}

export interface CheckStep {
  readonly do: 'check';
  readonly test: Test;
  /** behind the summary; absent: that of the test */
  readonly detail?: string;
  readonly as?: FindingName;
  /** path that is reported, from the holder: '' is the holder itself, `.name`, `[name]`; absent: that of the value */
  readonly path?: string;
  /** what is printed as the value; absent: the value */
  readonly shown?: { readonly value: unknown };
  /** of a finding that says how long a value may be: the limit that it names; absent: that of the test */
  readonly limit?: number;
  /** the finding is of the holder: its path, and its value as what is printed */
  readonly ofHolder: boolean;
  /** what an absent value counts as; absent: the test is of values that are there */
  readonly absent?: { readonly value: unknown };
  /** of formats: all that is wrong is one finding, joined by this */
  readonly join?: string;
  /** a finding ends the steps of this value */
  readonly stop: boolean;
  /** a value that equals the stored one stays allowed */
  readonly ratchet: boolean;
}

/** A hand-written function, `<file below runtime/kinds>#<export>`: what constraints cannot say. */
export interface RuleStep {
  readonly do: 'rule';
  readonly rule: string;
  /** it looks at the scope that an enclosing struct has made */
  readonly scoped: boolean;
  /** definition name of the value, where it is a struct */
  readonly definition?: string;
  readonly stop: boolean;
}

/** The constraints of the value's own type. */
export interface TypeStep {
  readonly do: 'type';
  readonly definition: string;
  /** those of what changed */
  readonly changes: boolean;
}

export interface MemberStep {
  readonly do: 'member';
  readonly path: readonly string[];
  /** as it is reported; absent: `path` */
  readonly report?: string;
  readonly shape: Shape;
  readonly steps: Steps;
  /** the steps are stated by the holder, so what stops them stops those of the holder */
  readonly byHolder?: boolean;
}

/** Each element of a list. */
export interface ItemsStep {
  readonly do: 'items';
  readonly shape: Shape;
  /** members by which an element is found in the stored list; empty: elements are not told apart */
  readonly mapKeys: readonly string[];
  /** path from the holder at which findings of all elements stand, as of `CheckStep`; absent: each at its own */
  readonly report?: string;
  readonly steps: Steps;
}

/** Each key and value of a map; those of one entry together. */
export interface EntriesStep {
  readonly do: 'entries';
  readonly keys: Steps;
  readonly shape: Shape;
  readonly values: Steps;
  /** bytes of a key in paths; a longer one loses its middle */
  readonly keyLength?: number;
}

/** The value is the holder of what follows: a struct, of whose members its own holder says something. */
export interface WithinStep {
  readonly do: 'within';
  readonly steps: Steps;
}

export interface WhenStep {
  readonly do: 'when';
  /** one of several, where it is a list */
  readonly when?: Condition | readonly Condition[];
  /** this feature gate is on; with `!` before it: off */
  readonly gate?: string;
  /** the object is created: there is no stored one */
  readonly creating?: boolean;
  readonly steps: Steps;
  readonly otherwise: Steps;
}

/** The steps up to the first that finds something. */
export interface FirstStep {
  readonly do: 'first';
  readonly steps: Steps;
}

/** How many of these members of a struct are set. The first that is set is held against its own steps, others are one too many. */
export interface UnionStep {
  readonly do: 'union';
  readonly members: readonly MemberStep[];
  /** where none is set; absent: none is fine */
  readonly none?: UnionFinding;
  /** where more than one is set; absent: that is fine, and each is held against its steps */
  readonly several?: UnionFinding & {
    readonly at: 'member' | 'struct';
    /** members that may be set besides those before them */
    readonly beside?: readonly string[];
    /** names of members as they are reported, where these are others */
    readonly reported?: Readonly<Record<string, string>>;
  };
}

export interface UnionFinding {
  readonly as: FindingName;
  readonly detail: string;
  readonly path?: string;
  readonly shown?: { readonly value: unknown };
}

/** Of a value that is text or a number. */
export interface FormStep {
  readonly do: 'form';
  readonly text: Steps;
  readonly number: Steps;
}

/** What is constrained of a struct; each list may be empty. */
export interface StructConstraints {
  /** what is found depends on nothing but the value, so a value that was stored before is not looked at again */
  readonly closed: boolean;
  /** `<file below runtime/kinds>#<export>`: makes what rules below need to know of this struct */
  readonly scope?: string;
  /** on creation and on updates */
  readonly object: Steps;
  /** on updates besides: of what changed */
  readonly changes: Steps;
  /** on updates of the status */
  readonly status: Steps;
}
