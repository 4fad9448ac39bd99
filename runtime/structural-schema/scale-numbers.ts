/** Checks numbers of replicas and the selector at the paths that a definition states. */
import { type FieldError, invalid } from '../contract/field-error.ts';
import { isObject, sortedNames } from '../schema/json/member.ts';
import { goFloat } from '../schema/scalar/go-float.ts';
import { isRawNumber, numeric, untypedNumber } from '../schema/scalar/raw-number.ts';
import { NONE } from '../validation/joined.ts';

/** Paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

const MOST = 2_147_483_647;

/** The paths in errors are those of the definition, with their dot. @param statusOnly whether only fields of the status are checked */
export function scaleFindings(paths: ScalePaths | undefined, object: unknown, statusOnly: boolean): readonly FieldError[] {
  if (paths === undefined) return NONE;
  return [
    ...(statusOnly ? NONE : numberFindings(object, paths.specReplicasPath)),
    ...numberFindings(object, paths.statusReplicasPath),
    ...selectorFindings(object, paths.labelSelectorPath ?? ''),
  ];
}

function numberFindings(object: unknown, path: string): readonly FieldError[] {
  const found = at(object, path);
  const number = found.value;
  if (number === undefined) return NONE;
  if (found.isHolder || !isInteger(number)) return [invalid(`.${path}`, 0, accessorProblem(found, 'int64'))];
  if (numeric(number) < 0) return [invalid(`.${path}`, number, 'should be a non-negative integer')];
  return numeric(number) > MOST ? [invalid(`.${path}`, number, `should be less than or equal to ${MOST}`)] : NONE;
}

function selectorFindings(object: unknown, path: string): readonly FieldError[] {
  const found = at(object, path);
  if (path === '' || found.value === undefined || (!found.isHolder && typeof found.value === 'string')) return NONE;
  return [invalid(`.${path}`, '', accessorProblem(found, 'string'))];
}

function accessorProblem({ path, value, isHolder }: Found, wanted: string): string {
  const expected = isHolder ? 'map[string]interface{}' : wanted;
  return `${path} accessor error: ${shownText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

/** Formats a value as Go prints it: `map[a:1]`, `[1 2]`. */
function shownText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(shownText).join(' ')}]`;
  if (isObject(value)) {
    const members = sortedNames(Object.keys(value));
    return `map[${members.map((name) => `${name}:${shownText(value[name])}`).join(' ')}]`;
  }
  const number = untyped(value);
  if (typeof number === 'number') return goFloat(number);
  return isRawNumber(number) ? number.rawJSON : String(number);
}

/** A number as Go holds it: an integer of 64 bits, or a double. */
const untyped = (value: unknown): unknown => (isRawNumber(value) ? untypedNumber(value) : value);

const isInteger = (value: unknown): boolean => isRawNumber(value) || Number.isSafeInteger(value);

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (isInteger(value)) return 'int64';
  if (typeof value === 'number') return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

interface Found {
  /** path of the last member on the way */
  readonly path: string;
  /** undefined: it, or something on the way, is absent */
  readonly value: unknown;
  /** whether the value is no object, although a member of it is wanted */
  readonly isHolder: boolean;
}

function at(object: unknown, path: string): Found {
  const names = path.replace(/^\./, '').split('.');
  let value = object;
  for (const [index, name] of names.entries()) {
    if (value === undefined || value === null) return { path, value: undefined, isHolder: false };
    if (!isObject(value)) return { path: `.${names.slice(0, index + 1).join('.')}`, value: untyped(value), isHolder: true };
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return { path, value: untyped(value), isHolder: false };
}
