/** Compares numbers and names in protobuf: each belongs to one field for ever (rule 1). */

import type { FieldModel, ReservedItem, StructModel } from '../../model/model.ts';
import { foldName } from '../../model/protobuf-names.ts';
import type { PolicyCode } from '../policy-codes.ts';

/** A protobuf number or name that is not what it was, in words. */
export interface NumberDifference {
  readonly code: PolicyCode;
  /** Absent if the difference is that of the struct as a whole. */
  readonly field?: string;
  readonly was: string;
  readonly is: string;
}

/** @returns what is wrong with the number of a field that a later state of its struct lacks; undefined if nothing is */
export function compareGone(field: FieldModel, before: StructModel, after: StructModel): NumberDifference | undefined {
  const { number } = field;
  const isLost = before.protobuf && after.protobuf && number !== undefined && !isKept(after, number);
  return isLost ? { code: 'CP114', was: `number ${number}`, is: `number ${number} is free` } : undefined;
}

/**
 * @param before a field of one state
 * @param after the same field of a later state
 */
export function compareNumber(before: FieldModel, after: FieldModel): NumberDifference | undefined {
  const [was, is] = [numberOf(before), numberOf(after)];
  return before.number === undefined || was === is ? undefined : { code: 'CP112', was, is };
}

/** A number that no field has must be reserved. If another field has it, that is reported by `usedAgain`. */
function isKept({ fields, reserved }: StructModel, number: number): boolean {
  return fields.some((field) => field.number === number) || isReserved(reserved, number);
}

function numberOf({ number, wrapped }: FieldModel): string {
  return `number ${number ?? 'none'}${wrapped ? ', wrapped in a message' : ''}`;
}

/**
 * A number or name that any release ever used must not be used for anything else.
 * @param before what an earlier state of the schemas states for every release
 * @param after what the later state does
 */
export function compareUsed(before: StructModel, after: StructModel): NumberDifference[] {
  if (!before.protobuf || !after.protobuf) return [];
  return [...usedAgain(before, after), ...noLongerReserved(before, after)];
}

/** A field that was gone and is back as it was has its own number and name. */
function usedAgain(before: StructModel, after: StructModel): NumberDifference[] {
  return after.fields.flatMap((field): NumberDifference[] => {
    const { name, number } = field;
    if (number === undefined || field.until !== undefined) return [];
    const tell = (was: string, is: string): NumberDifference => ({ code: 'CP113', field: name, was, is });
    const others = before.fields.filter((each) => !isSameField(each, field));
    const ofNumber = others.find((each) => each.number === number);
    if (ofNumber !== undefined) return [tell(`number ${number} was that of ${ofNumber.name}`, `number of ${name}`)];
    // If both states have the field, under different numbers, `compareNumber` reports it.
    const ofName = others.find((each) => each.name === name && each.until !== undefined);
    if (ofName !== undefined) return [tell(`name of number ${ofName.number}`, `name of number ${number}`)];
    if (before.fields.length > others.length) return [];
    if (isReserved(before.reserved, number)) return [tell(`number ${number} was reserved`, `number of ${name}`)];
    return before.reserved.includes(name) ? [tell(`name ${name} was reserved`, `name of number ${number}`)] : [];
  });
}

function isSameField(one: FieldModel, other: FieldModel): boolean {
  return one.number === other.number && one.inline === other.inline && foldName(one.name) === foldName(other.name);
}

function noLongerReserved(before: StructModel, after: StructModel): NumberDifference[] {
  return before.reserved.flatMap((item): NumberDifference[] => {
    if (typeof item === 'string')
      return after.reserved.includes(item) || after.fields.some(({ name }) => name === item)
        ? []
        : [{ code: 'CP114', was: `name ${item} reserved`, is: 'not reserved' }];
    return numbersOf(item)
      .filter((number) => !isKept(after, number))
      .map((number) => ({ code: 'CP114', was: `number ${number} reserved`, is: 'not reserved' }));
  });
}

/** Of a range without an end, such as `1000 to max`, only the first thousand numbers are looked at. */
function numbersOf([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: Math.min(last - first + 1, 1_000) }, (_, index) => first + index);
}

function isReserved(reserved: readonly ReservedItem[], number: number): boolean {
  return reserved.some((item) => typeof item !== 'string' && item[0] <= number && number <= item[1]);
}
