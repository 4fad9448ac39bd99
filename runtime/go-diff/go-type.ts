/**
 * Go's types, as far as texts about their values need them. A value is the JSON value that stands for it on the wire; undefined is what Go
 * has where nothing was set: the zero value, a nil slice, map or pointer. An empty list is a slice without elements, which is not nil.
 */
import { isRawNumber } from '../schema/scalar/raw-number.ts';

export type GoType = GoScalar | GoStruct | GoSlice | GoMap | GoPointer;

export interface GoScalar {
  readonly kind: 'string' | 'bool' | 'number';
  /** such as `int64`, or `core.Capability` for a type of its own */
  readonly name: string;
}

export interface GoStruct {
  readonly kind: 'struct';
  /** such as `core.PodSpec` */
  readonly name: string;
  readonly fields: readonly GoField[];
  /** its method Equal, which is asked instead of comparing the fields */
  readonly equals?: (x: unknown, y: unknown) => boolean;
  /** its method String, which is shown instead of the fields */
  readonly text?: (value: unknown) => string;
  /** its method GoString, which is asked for values in structures, pointed to or not */
  readonly syntax?: (value: unknown) => string;
  /** the method String of pointers to it, where only those have one */
  readonly pointerText?: (value: unknown) => string;
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  /** @param struct undefined where the struct is zero */
  readonly of: (struct: unknown) => unknown;
}

export interface GoSlice {
  readonly kind: 'slice';
  readonly element: GoType;
}

/** Its keys are texts. */
export interface GoMap {
  readonly kind: 'map';
  /** absent for a type without a name of its own */
  readonly name?: string;
  readonly value: GoType;
  /** keys have a method String, which is shown by an `s` before them */
  readonly namedKeys?: boolean;
}

export interface GoPointer {
  readonly kind: 'pointer';
  readonly element: GoType;
}

export function typeName(type: GoType): string {
  switch (type.kind) {
    case 'slice':
      return `[]${typeName(type.element)}`;
    case 'pointer':
      return `*${typeName(type.element)}`;
    case 'map':
      return type.name ?? `map[string]${typeName(type.value)}`;
    default:
      return type.name;
  }
}

export function isZero(type: GoType, value: unknown): boolean {
  if (value === undefined) return true;
  switch (type.kind) {
    case 'string':
      return value === '';
    case 'bool':
      return value === false;
    case 'number':
      return value === 0 || (isRawNumber(value) && scalarText(value) === '0');
    case 'struct':
      return type.fields.every((field) => isZero(field.type, field.of(value)));
    default:
      return false;
  }
}

/** A number or a boolean as Go prints it. */
export function scalarText(value: unknown): string {
  return JSON.stringify(value);
}
