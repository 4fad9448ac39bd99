/** What closures of the interpreter share: the findings of one object under way, and where the value at hand stands. */
import type { FindingName, UnionFinding } from '../contract/constraint.ts';
import {
  duplicate,
  type FieldError,
  forbidden,
  internal,
  invalid,
  notFound,
  notSupported,
  required,
  typeInvalid,
} from '../contract/field-error.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import type { JsonObject } from '../schema/json/member.ts';

/** Findings of one struct under way. */
export interface Run {
  readonly context: RuleContext;
  readonly out: FieldError[];
  /** parts of the path of the value at hand, each with what stands before it */
  readonly path: string[];
  readonly isNew: boolean;
  /** what `unique` has seen, by its number in the steps */
  readonly sets: Map<number, Set<string>>;
}

/** The struct that holds the value at hand, and how many parts its path has. */
export interface Holder {
  readonly value: JsonObject;
  readonly depth: number;
}

/** @returns whether the steps of the value end here */
export type Execute = (value: unknown, old: unknown, holder: Holder, scope: unknown, run: Run) => boolean;

/** @param stated path from the holder; absent: that of the value. @param member below it */
export function pathOf(run: Run, holder: Holder, stated: string | undefined, member = ''): string {
  if (stated === undefined) return run.path.join('') + member;
  const above = run.path.slice(0, holder.depth).join('');
  return above + partOf(stated);
}

/** @param stated path from a holder, as a part of a path */
export function partOf(stated: string): string {
  return stated === '' || stated.startsWith('[') ? stated : `.${stated}`;
}

export function unionFinding(stated: UnionFinding, value: unknown, path: string, context: RuleContext): FieldError {
  const shown = stated.shown === undefined ? value : resolved(stated.shown.value, context);
  return makeFinding(stated.as as Exclude<FindingName, SizeFinding>, path, shown, context.text(stated.detail));
}

type SizeFinding = 'tooLong' | 'tooMany';

/** Constructors of findings by reason, all in one form. */
const constructors = {
  required: (path, _value, detail) => required(path, detail),
  forbidden: (path, _value, detail) => forbidden(path, detail),
  internal: (path, _value, detail) => internal(path, detail),
  invalid,
  typeInvalid,
  notSupported: (path, value, _detail, supported) => notSupported(path, value, supported),
  duplicate: (path, value) => duplicate(path, value),
  notFound: (path, value) => notFound(path, value),
} satisfies Record<
  Exclude<FindingName, SizeFinding>,
  (path: string, value: unknown, detail: string, supported: readonly string[]) => FieldError
>;

/** @param supported of `notSupported` */
export function makeFinding(
  reason: Exclude<FindingName, SizeFinding>,
  path: string,
  value: unknown,
  detail: string,
  supported: readonly string[] = [],
): FieldError {
  return constructors[reason](path, value, detail, supported);
}

export function resolved(value: unknown, context: RuleContext): unknown {
  return typeof value === 'string' ? context.text(value) : value;
}
