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

/** @param paths without their dots. @returns what keeps a Scale from being read of an object; the first in the order of 1.32 */
export function scaleProblem(paths: ReadPaths, object: unknown): string | undefined {
  const { specReplicas, statusReplicas, selector } = paths;
  const problem = numberProblem(object, `.${specReplicas}`) ?? numberProblem(object, `.${statusReplicas}`);
  return problem ?? selectorProblem(object, selector && `.${selector}`);
}

interface ReadPaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** '' for none */
  readonly selector: string;
}

function numberProblem(object: unknown, path: string): string | undefined {
  const found = at(object, path);
  if (found.value === undefined || (!found.isHolder && isInteger(found.value))) return undefined;
  return accessorProblem(found, 'int64');
}

function selectorProblem(object: unknown, path: string): string | undefined {
  const found = at(object, path);
  if (path === '' || found.value === undefined || (!found.isHolder && typeof found.value === 'string')) return undefined;
  return accessorProblem(found, 'string');
}

function numberFindings(object: unknown, path: string): readonly FieldError[] {
  const problem = numberProblem(object, path);
  if (problem !== undefined) return [invalid(`.${path}`, 0, problem)];
  const number = at(object, path).value;
  if (number === undefined) return NONE;
  if (numeric(number) < 0) return [invalid(`.${path}`, number, 'should be a non-negative integer')];
  return numeric(number) > MOST ? [invalid(`.${path}`, number, `should be less than or equal to ${MOST}`)] : NONE;
}

function selectorFindings(object: unknown, path: string): readonly FieldError[] {
  const problem = selectorProblem(object, path);
  return problem === undefined ? NONE : [invalid(`.${path}`, '', problem)];
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
  if (typeof number === 'number') return isInteger(number) ? String(number) : goFloat(number);
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
