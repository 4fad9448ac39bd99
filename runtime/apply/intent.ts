/**
 * Checks whether an applied intent, or a stored object that is compared with one, fits its type. Nothing is dropped from an intent: as in
 * 1.32, a field that cannot be owned is an error.
 */
import type { ScalarName } from '../contract/descriptor.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from '../schema/compile.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { isRawNumber } from '../schema/scalar/raw-number.ts';
import { goSyntax } from '../schema/structural/go-syntax.ts';
import { API_MEMBERS, type StructuralNode, structuralNode } from '../schema/structural/node.ts';
import { goTypeText, mapText } from '../schema/text/go-printed.ts';
import { goListShape } from './go-shape.ts';
import { ElementError, elementOf } from './list-elements.ts';
import { structuralShapesOf } from './object-shape.ts';
import { memberElement, shownElement } from './path-element.ts';
import type { ListShape } from './shape.ts';
import type { StructuralShapes } from './structural-shape.ts';

/** The limit of reported errors. */
const MAX_ERRORS = 100;

/** @returns sentences such as `.spec.foo: field not declared in schema`; none for a valid intent */
export function intentErrors(type: CompiledStruct, intent: object): string[] {
  return typeErrors(type, intent, new TypeChecker(false));
}

/** Like `intentErrors`, for a stored object, in which an update may have stored an element of a list several times. */
export function storedErrors(type: CompiledStruct, object: object): string[] {
  return typeErrors(type, object, new TypeChecker(true));
}

function typeErrors(type: CompiledStruct, object: object, checker: TypeChecker): string[] {
  if (type.isGo) checker.go(type, object, '');
  else new StructuralChecker(structuralShapesOf(type), checker).root(structuralNode(type.type), object as JsonObject);
  return checker.errors.slice(0, MAX_ERRORS);
}

/** Joins the errors to one text. */
export function typeErrorText(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;
}

type Check = (value: unknown, path: string) => void;

class TypeChecker {
  readonly errors: string[] = [];
  readonly #takesDuplicates: boolean;

  constructor(takesDuplicates: boolean) {
    this.#takesDuplicates = takesDuplicates;
  }

  /** Checks a value of a Go type. */
  go(type: CompiledType, value: unknown, path: string): void {
    if (this.hasNothingToCheck(value)) return;
    switch (type.code) {
      case Code.struct:
        return this.#struct(type as CompiledStruct, value, path);
      case Code.map: {
        const { value: entry } = type as CompiledMap;
        return this.members(value, path, () => (each, at) => this.go(entry, each, at));
      }
      case Code.list: {
        const { element } = type as CompiledList;
        return this.elements(goListShape(type as CompiledList), value, path, (each, at) => this.go(element, each, at));
      }
      case Code.fieldsV1:
        if (!isObject(value)) this.wrong(path, 'map', value);
        return;
      default:
        return this.scalar(type.code, value, path);
    }
  }

  /** null fits every type. */
  hasNothingToCheck(value: unknown): boolean {
    return value === null || value === undefined || this.errors.length >= MAX_ERRORS;
  }

  #struct(type: CompiledStruct, value: unknown, path: string): void {
    // a struct without members has no published fields, so it takes anything
    if (type.members.length === 0) return;
    this.members(value, path, (name) => {
      const member = type.byName.get(name);
      return member && ((each, at) => this.go(member.type, each, at));
    });
  }

  /** @param checkOf returns undefined for an undeclared member */
  members(value: unknown, path: string, checkOf: (name: string) => Check | undefined): void {
    if (!isObject(value)) return this.wrong(path, 'map', value);
    for (const name of Object.keys(value)) {
      const at = `${path}${shownElement(memberElement(name))}`;
      const check = checkOf(name);
      if (check === undefined) this.errors.push(`${at}: field not declared in schema`);
      else check(value[name], at);
    }
  }

  /**
   * Elements are identified in the same way whoever owns the values around the list. As in 1.32, no element after one that cannot be
   * identified is checked.
   */
  elements(shape: ListShape, value: unknown, path: string, check: Check): void {
    if (!Array.isArray(value)) return this.wrong(path, 'list', value);
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      if (shape.kind === 'atomic') {
        check(item, `${path}[${index}]`);
        continue;
      }
      let element: string;
      try {
        element = elementOf(shape, item);
      } catch (error) {
        if (!(error instanceof ElementError)) throw error;
        this.errors.push(`${path}: element ${index}: ${error.message}`);
        return;
      }
      if (seen.has(element) && !this.#takesDuplicates) this.errors.push(`${path}: duplicate entries for key ${shownElement(element)}`);
      seen.add(element);
      check(item, `${path}${shownElement(element)}`);
    }
  }

  scalar(code: number, value: unknown, path: string): void {
    const expected = expectedOf(code, value);
    if (expected !== undefined) this.wrong(path, expected, value);
  }

  wrong(path: string, expected: string, value: unknown): void {
    this.errors.push(`${path}: expected ${expected}, got ${shownBy(expected, value)}`);
  }
}

/** A value of a wrong type as 1.32 shows it, which depends on the type that it should have. */
function shownBy(expected: string, value: unknown): string {
  if (expected === TEXT) return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
  return expected === NUMBER ? goTypeText(value) : `&{${mapText(value)}}`;
}

const TEXT = 'string';
const NUMBER = 'numeric (int or float)';
const ANY_SCALAR = 'any scalar';

const TEXTS: ReadonlySet<number> = new Set([Code.string, Code.bytes, Code.duration]);
/** Scalars that are published as texts with a format, or as quantities: decoding checks their form. */
const FORMATTED: ReadonlySet<number> = new Set([Code.time, Code.microTime, Code.quantity]);
const NUMBERS: ReadonlySet<number> = new Set([Code.int32, Code.int64, Code.double]);

function expectedOf(code: number, value: unknown): string | undefined {
  if (TEXTS.has(code)) return typeof value === 'string' ? undefined : TEXT;
  if (NUMBERS.has(code)) return typeof value === 'number' || isRawNumber(value) ? undefined : NUMBER;
  if (FORMATTED.has(code)) return Array.isArray(value) || isObject(value) ? ANY_SCALAR : undefined;
  if (code === Code.boolean) return typeof value === 'boolean' ? undefined : 'boolean';
  return undefined;
}

/** Checks values of structural types. */
class StructuralChecker {
  readonly #shapes: StructuralShapes;
  readonly #checker: TypeChecker;

  constructor(shapes: StructuralShapes, checker: TypeChecker) {
    this.#shapes = shapes;
    this.#checker = checker;
  }

  root(node: StructuralNode, intent: JsonObject): void {
    this.#object(node, intent, '', node.preserves);
  }

  /** @param around whether unknown members are kept around the value */
  #value(node: StructuralNode, value: unknown, path: string, around: boolean): void {
    if (this.#checker.hasNothingToCheck(value)) return;
    const preserves = around || node.preserves;
    const { type } = node;
    switch (type.kind) {
      case 'scalar':
        return this.#scalar(type.scalar, value, path);
      case 'list':
        return this.#list(node, value, path, preserves);
      case 'any':
        if (Array.isArray(value)) return type.list && this.#list(node, value, path, preserves);
        return isObject(value) && type.object !== undefined ? this.#object(node, value, path, preserves) : undefined;
      default:
        return this.#object(node, value, path, preserves);
    }
  }

  #scalar(name: ScalarName, value: unknown, path: string): void {
    // a text with a format is published as any scalar
    if (name !== 'intOrString') this.#checker.scalar(Code[name], value, path);
    else if (Array.isArray(value) || isObject(value)) this.#checker.wrong(path, ANY_SCALAR, value);
  }

  #list(node: StructuralNode, value: unknown, path: string, preserves: boolean): void {
    const { element } = node;
    const check: Check = element === undefined ? ANYTHING : (each, at) => this.#value(element, each, at, preserves);
    this.#checker.elements(this.#shapes.listOf(node, preserves), value, path, check);
  }

  #object(node: StructuralNode, value: unknown, path: string, preserves: boolean): void {
    const isFree = node.others === undefined && (preserves || !node.hasPlans);
    const metadata = this.#shapes.metadataOf(node);
    this.#checker.members(value, path, (name) => {
      if (metadata !== undefined && API_MEMBERS.has(name))
        return (each, at) => (name === 'metadata' ? this.#checker.go(metadata, each, at) : this.#text(each, at));
      const member = node.members.get(name) ?? node.others;
      if (member === undefined) return isFree ? ANYTHING : undefined;
      return (each, at) => this.#value(member, each, at, preserves);
    });
  }

  #text(value: unknown, path: string): void {
    if (!this.#checker.hasNothingToCheck(value)) this.#checker.scalar(Code.string, value, path);
  }
}

const ANYTHING: Check = () => {};
