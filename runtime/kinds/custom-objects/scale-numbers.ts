/** Numbers of replicas and the selector, where a definition says that they stand. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { isObject } from '../../schema/member.ts';
import { NONE } from '../joined.ts';

/** Paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

const MOST = 2_147_483_647;

/** Paths of findings are those of the definition, with their dot. @param statusOnly whether only what the status says is looked at */
export function scaleFindings(paths: ScalePaths | undefined, object: unknown, statusOnly: boolean): readonly FieldError[] {
  if (paths === undefined) return NONE;
  return [
    ...(statusOnly ? NONE : numberFindings(object, paths.specReplicasPath)),
    ...numberFindings(object, paths.statusReplicasPath),
    ...selectorFindings(object, paths.labelSelectorPath ?? ''),
  ];
}

function numberFindings(object: unknown, path: string): readonly FieldError[] {
  const number = at(object, path);
  if (number === undefined) return NONE;
  if (typeof number !== 'number' || !Number.isInteger(number)) return [invalid(`.${path}`, 0, accessorProblem(path, number, 'int64'))];
  if (number < 0) return [invalid(`.${path}`, number, 'should be a non-negative integer')];
  return number > MOST ? [invalid(`.${path}`, number, `should be less than or equal to ${MOST}`)] : NONE;
}

function selectorFindings(object: unknown, path: string): readonly FieldError[] {
  const selector = path === '' ? undefined : at(object, path);
  if (selector === undefined || typeof selector === 'string') return NONE;
  return [invalid(`.${path}`, '', accessorProblem(path, selector, 'string'))];
}

const accessorProblem = (path: string, value: unknown, wanted: string): string =>
  `${path} accessor error: ${shownText(value)} is of the type ${goType(value)}, expected ${wanted}`;

const shownText = (value: unknown): string => (value === null ? '<nil>' : String(value));

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

function at(object: unknown, path: string): unknown {
  return path
    .replace(/^\./, '')
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object);
}
