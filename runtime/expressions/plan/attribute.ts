/**
 * Values with the selections and indexes that follow them. They are charged as in 1.32: a unit for each selection and one for the
 * attribute, but none for the presence test around it.
 */
import { selectingTypeOf } from '../values/describe.ts';
import { ErrorValue, Optional, Uint, type Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';
import { find, select } from './select.ts';

/** A selection or an index. */
export interface Qualifier {
  /** whether an absent value is no error, but makes the result an empty optional value */
  readonly optional: boolean;
  qualify(frame: Frame, value: Value): Value;
  /** @returns undefined if the value is absent */
  qualifyIfPresent(frame: Frame, value: Value): Value | undefined;
}

export interface Attribute {
  /** the units of the attribute besides those of its parts */
  readonly units: -1 | 0 | 1;
  /** Adds a selection while the expression is planned. */
  add(qualifier: Qualifier): void;
  resolve(frame: Frame): Value;
}

export class VariableAttribute implements Attribute {
  readonly units = 1;
  readonly #slot: number;
  readonly #qualifiers: Qualifier[] = [];

  constructor(slot: number) {
    this.#slot = slot;
  }

  add(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier);
  }

  resolve(frame: Frame): Value {
    return qualified(frame, frame.read(this.#slot), this.#qualifiers);
  }
}

export class RelativeAttribute implements Attribute {
  readonly units = 1;
  readonly #operand: Step;
  readonly #qualifiers: Qualifier[] = [];

  constructor(operand: Step) {
    this.#operand = operand;
  }

  add(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier);
  }

  resolve(frame: Frame): Value {
    return qualified(frame, this.#operand(frame), this.#qualifiers);
  }
}

/** A condition that chooses between two attributes; it costs what the condition and the chosen attribute cost. */
export class ConditionalAttribute implements Attribute {
  readonly units = 0;
  readonly #condition: Step;
  readonly #then: Attribute;
  readonly #otherwise: Attribute;

  constructor(condition: Step, then: Attribute, otherwise: Attribute) {
    this.#condition = condition;
    this.#then = then;
    this.#otherwise = otherwise;
  }

  add(qualifier: Qualifier): void {
    this.#then.add(qualifier);
    this.#otherwise.add(qualifier);
  }

  resolve(frame: Frame): Value {
    const condition = this.#condition(frame);
    if (condition === true) return this.#then.resolve(frame);
    if (condition === false) return this.#otherwise.resolve(frame);
    return condition instanceof ErrorValue ? condition : new ErrorValue('no such overload');
  }
}

/**
 * A presence test by the qualifier that was added last. It costs one unit less than its operand. That also holds for a conditional operand,
 * which has no unit of its own.
 */
export class PresenceAttribute implements Attribute {
  readonly units: -1 | 0;
  readonly #of: Attribute;

  constructor(of: Attribute) {
    this.#of = of;
    this.units = of instanceof ConditionalAttribute ? -1 : 0;
  }

  add(qualifier: Qualifier): void {
    this.#of.add(qualifier);
  }

  resolve(frame: Frame): Value {
    const value = this.#of.resolve(frame);
    return value instanceof Optional ? value.value !== undefined : value;
  }
}

function qualified(frame: Frame, start: Value, qualifiers: readonly Qualifier[]): Value {
  if (start instanceof ErrorValue) return start;
  let value: Value = start;
  let optional = false;
  if (start instanceof Optional) {
    if (start.value === undefined) return start;
    value = content(start.value);
    optional = true;
  } else if (qualifiers.length === 0) return start;
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    const next: Value | undefined = optional ? qualifier.qualifyIfPresent(frame, value) : qualifier.qualify(frame, value);
    if (next === undefined) return Optional.NONE;
    if (next instanceof ErrorValue) return next;
    value = next;
  }
  return optional ? Optional.of(value) : value;
}

/** Reading flattens nested optional values; an empty one within another is null. */
function content(value: Value): Value {
  if (!(value instanceof Optional)) return value;
  return value.value === undefined ? null : content(value.value);
}

/** After an optional selection, a value that is present is charged, and an error is not. */
function chargedIfPresent(frame: Frame, found: Value | undefined): Value | undefined {
  if (found !== undefined && !(found instanceof ErrorValue)) frame.charge(1);
  return found;
}

/** @returns an error if nothing can be selected by such a value; undefined for valid keys and for errors */
export function wrongQualifier(key: Value): ErrorValue | undefined {
  if (typeof key !== 'object' || key instanceof Uint || key instanceof ErrorValue) return undefined;
  return new ErrorValue(`invalid qualifier type: ${selectingTypeOf(key)}`);
}

/** A field or a constant index. */
export class ConstantQualifier implements Qualifier {
  readonly optional: boolean;
  readonly #key: Value;

  constructor(key: Value, optional: boolean) {
    this.#key = key;
    this.optional = optional;
  }

  qualify(frame: Frame, value: Value): Value {
    frame.charge(1);
    return select(value, this.#key);
  }

  qualifyIfPresent(frame: Frame, value: Value): Value | undefined {
    return chargedIfPresent(frame, find(value, this.#key));
  }
}

/** An index that is a variable, a selection, or computed. */
export class ComputedQualifier implements Qualifier {
  readonly optional: boolean;
  readonly #key: Attribute;

  constructor(key: Attribute, optional: boolean) {
    this.#key = key;
    this.optional = optional;
  }

  qualify(frame: Frame, value: Value): Value {
    const key = this.#resolve(frame);
    frame.charge(1);
    return key instanceof ErrorValue ? key : select(value, key);
  }

  qualifyIfPresent(frame: Frame, value: Value): Value | undefined {
    const key = this.#resolve(frame);
    return key instanceof ErrorValue ? key : chargedIfPresent(frame, find(value, key));
  }

  #resolve(frame: Frame): Value {
    const key = this.#key.resolve(frame);
    return wrongQualifier(key) ?? key;
  }
}

/** Tests whether a field is present. */
export class PresenceQualifier implements Qualifier {
  readonly optional = false;
  readonly #field: string;

  constructor(field: string) {
    this.#field = field;
  }

  qualify(frame: Frame, value: Value): Value {
    frame.charge(1);
    const found = find(value, this.#field);
    return found instanceof ErrorValue ? found : found !== undefined;
  }

  /** After an optional selection, an absent field makes the result an empty optional value. */
  qualifyIfPresent(frame: Frame, value: Value): Value | undefined {
    return chargedIfPresent(frame, find(value, this.#field));
  }
}
