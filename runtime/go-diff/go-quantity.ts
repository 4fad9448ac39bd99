/**
 * Quantities as Go holds them, which depends on how they are written: as a number and a power of ten where the text is short enough, as a
 * decimal of any size where it is not; with the text itself where that is canonical at a glance.
 */

import { compareQuantities, formatQuantity, parseQuantity, type Quantity, roundUpToMilli } from '../schema/scalar/quantity.ts';
import { integerOf } from '../schema/scalar/raw-number.ts';
import type { GoField, GoStruct, GoType } from './go-type.ts';

/** A number of so many digits always fits into 64 bits. */
const MAX_DIGITS = 18;
/** The same of a binary quantity, whose suffix stands for more digits. */
const MAX_BINARY_DIGITS = 14;
const NANO = -9;
const MILLI = -3;

const FORMATS = { decimalSI: 'DecimalSI', binarySI: 'BinarySI', decimalExponent: 'DecimalExponent' } as const;

const TEXT: GoType = { kind: 'string', name: 'string' };
const FORMAT: GoType = { kind: 'string', name: 'resource.Format' };

interface Held {
  readonly amount?: { readonly value: bigint; readonly scale: number };
  readonly decimal?: string;
  readonly text?: string;
  readonly format: string;
}

/** @param text undefined and '' are the zero value, which has not even a format */
type Hold = (text: unknown) => Held | undefined;

const numberField = (name: string, type: string, of: (held: Held['amount']) => bigint | number | undefined): GoField => ({
  name,
  type: { kind: 'number', name: type },
  of: (amount) => {
    const value = of(amount as Held['amount']);
    return value === undefined ? undefined : integerOf(BigInt(value));
  },
});

const AMOUNT: GoStruct = {
  kind: 'struct',
  name: 'resource.int64Amount',
  fields: [numberField('value', 'int64', (amount) => amount?.value), numberField('scale', 'resource.Scale', (amount) => amount?.scale)],
};

const BIG_DECIMAL: GoType = { kind: 'string', name: 'inf.Dec' };

/** Go holds no decimal where it holds an amount: the pointer is nil, and the value is zero. */
const DECIMAL: GoStruct = {
  kind: 'struct',
  name: 'resource.infDecAmount',
  fields: [{ name: 'Dec', type: { kind: 'pointer', element: BIG_DECIMAL }, of: (decimal) => decimal }],
  text: (decimal) => String(decimal),
};

function quantityStruct(hold: Hold, read: (text: string) => Quantity): GoStruct {
  const compared = (text: unknown): Quantity => read((text as string | undefined) || '0');
  return {
    kind: 'struct',
    name: 'resource.Quantity',
    fields: [
      { name: 'i', type: AMOUNT, of: (text) => hold(text)?.amount },
      { name: 'd', type: DECIMAL, of: (text) => hold(text)?.decimal },
      { name: 's', type: TEXT, of: (text) => hold(text)?.text },
      { name: 'Format', type: FORMAT, of: (text) => hold(text)?.format },
    ],
    equals: (x, y) => compareQuantities(compared(x), compared(y)) === 0,
    pointerText: (text) => formatQuantity(compared(text)),
  };
}

export const QUANTITY = quantityStruct((text) => held(text, NANO), parseQuantity);

/** In lists of resources: no finer than a thousandth. */
export const RESOURCE_QUANTITY = quantityStruct(
  (text) => held(text, MILLI),
  (text) => roundUpToMilli(parseQuantity(text)),
);

/** @param finest power of ten that it is rounded up to */
function held(value: unknown, finest: number): Held | undefined {
  if (value === undefined || value === '') return undefined;
  const parsed = parseQuantity(value as string);
  const rounded = finest === MILLI ? roundUpToMilli(parsed) : parsed;
  const { unscaled, exponent } = rounded;
  if (value === '0') return { text: '0', format: FORMATS.decimalSI };
  const text = rounded.text;
  if (isAmount(value as string, parsed)) return { amount: { value: unscaled, scale: exponent }, text, format: FORMATS[parsed.format] };
  const size = unscaled < 0n ? -unscaled : unscaled;
  const isFraction = size > 0n && exponent < 0 && size < 10n ** BigInt(-exponent);
  const format = parsed.format === 'binarySI' && isFraction ? 'decimalSI' : parsed.format;
  return { decimal: decimalText(unscaled, exponent, -finest), format: FORMATS[format] };
}

function isAmount(text: string, { format }: Quantity): boolean {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)(?:\.(\d*))?([a-zA-Z]*[-+]?\d*)$/.exec(text) ?? [];
  const digits = Math.max(whole.length, 1) + fraction.length;
  if (format !== 'binarySI') return digits <= MAX_DIGITS && powerOf(suffix) - fraction.length >= NANO;
  return fraction === '' && digits + Math.trunc(powerOf(suffix) * 0.3) <= MAX_BINARY_DIGITS;
}

/** Of ten, or of two. */
function powerOf(suffix: string): number {
  const { unscaled, exponent, format } = parseQuantity(`1${suffix}`);
  return format === 'binarySI' ? unscaled.toString(2).length - 1 : exponent;
}

function decimalText(unscaled: bigint, exponent: number, places: number): string {
  const digits = unscaled < 0n ? -unscaled : unscaled;
  const all = (digits * 10n ** BigInt(exponent + places)).toString().padStart(places + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${all.slice(0, -places)}.${all.slice(-places)}`;
}

/** Amounts of resources by their names. */
export const RESOURCE_LIST: GoType = { kind: 'map', name: 'core.ResourceList', value: RESOURCE_QUANTITY, namedKeys: true };
