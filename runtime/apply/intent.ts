/** Whether an applied intent is of its type. Nothing is dropped from it: what cannot be owned is an error (1.32 refuses it likewise). */
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from '../schema/compile.ts';
import { isObject } from '../schema/member.ts';
import { isRawNumber } from '../schema/raw-number.ts';
import { jsonKind } from '../schema/scalar/scalar-error.ts';
import { ElementError, elementOf } from './list-elements.ts';
import { memberElement, shownElement } from './path-element.ts';
import { type KeyedShape, type SetShape, type StructShape, shapeOfList } from './shape.ts';

/** Errors told of at most. */
const MAX_ERRORS = 100;

/** @returns sentences such as `.spec.foo: field not declared in schema`; none for a good intent */
export function intentErrors(shape: StructShape, intent: object): string[] {
  const errors: string[] = [];
  checkStruct(shape.type, intent, '', errors);
  return errors.slice(0, MAX_ERRORS);
}

/** One sentence of them all. */
export function intentErrorText(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;
}

function check(type: CompiledType, value: unknown, path: string, errors: string[]): void {
  if (value === null || value === undefined || errors.length >= MAX_ERRORS) return;
  switch (type.code) {
    case Code.struct:
      return checkStruct(type as CompiledStruct, value, path, errors);
    case Code.map:
      return checkMap(type as CompiledMap, value, path, errors);
    case Code.list:
      return checkList(type as CompiledList, value, path, errors);
    case Code.rawExtension:
    case Code.fieldsV1:
      if (!isObject(value)) errors.push(`${path}: expected map, got ${jsonKind(value)}`);
      return;
    default:
      return checkScalar(type.code, value, path, errors);
  }
}

function checkStruct(type: CompiledStruct, value: unknown, path: string, errors: string[]): void {
  // Nothing is published of a struct without members, so anything is taken there.
  if (type.members.length === 0) return;
  if (!isObject(value)) {
    errors.push(`${path}: expected map, got ${jsonKind(value)}`);
    return;
  }
  for (const name of Object.keys(value)) {
    const at = `${path}${shownElement(memberElement(name))}`;
    const member = type.byName.get(name);
    if (member === undefined) errors.push(`${at}: field not declared in schema`);
    else check(member.type, value[name], at, errors);
  }
}

function checkMap(type: CompiledMap, value: unknown, path: string, errors: string[]): void {
  if (!isObject(value)) {
    errors.push(`${path}: expected map, got ${jsonKind(value)}`);
    return;
  }
  for (const name of Object.keys(value)) check(type.value, value[name], `${path}${shownElement(memberElement(name))}`, errors);
}

/** How elements are told apart does not depend on who owns what is around the list. */
function checkList(type: CompiledList, value: unknown, path: string, errors: string[]): void {
  if (!Array.isArray(value)) {
    errors.push(`${path}: expected list, got ${jsonKind(value)}`);
    return;
  }
  const shape = shapeOfList(type);
  if (shape.kind !== 'atomic') checkElements(type.element, shape, value, path, errors);
  else for (const [index, item] of value.entries()) check(type.element, item, `${path}[${index}]`, errors);
}

function checkElements(type: CompiledType, shape: KeyedShape | SetShape, list: readonly unknown[], path: string, errors: string[]): void {
  const seen = new Set<string>();
  for (const [index, value] of list.entries()) {
    let element: string;
    try {
      element = elementOf(shape, value);
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      errors.push(`${path}: element ${index}: ${error.message}`);
      continue;
    }
    if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${shownElement(element)}`);
    seen.add(element);
    check(type, value, `${path}${shownElement(element)}`, errors);
  }
}

const TEXTS: ReadonlySet<number> = new Set([Code.string, Code.bytes, Code.duration, Code.time, Code.microTime]);
const NUMBERS: ReadonlySet<number> = new Set([Code.int32, Code.int64, Code.double]);

/** Quantities and the like take more than one form: decoding says what is wrong with them. */
function checkScalar(code: number, value: unknown, path: string, errors: string[]): void {
  const expected = expectedOf(code, value);
  if (expected !== undefined) errors.push(`${path}: expected ${expected}, got ${jsonKind(value)}`);
}

function expectedOf(code: number, value: unknown): string | undefined {
  if (TEXTS.has(code)) return typeof value === 'string' ? undefined : 'string';
  if (NUMBERS.has(code)) return typeof value === 'number' || isRawNumber(value) ? undefined : 'numeric (int or float)';
  if (code === Code.boolean) return typeof value === 'boolean' ? undefined : 'boolean';
  return undefined;
}
