/** The types that clauses of `format` accept, and their errors. Version 4 of the extension accepts more types. */
import type { Verb } from './format-text.ts';

export type FormatVersion = 1 | 4;

/** names of types */
type Kind = 'bool' | 'bytes' | 'double' | 'int' | 'string' | 'uint';

const TAKEN: Readonly<Record<FormatVersion, Readonly<Record<Exclude<Verb, 's'>, readonly Kind[]>>>> = {
  1: {
    d: ['int', 'uint'],
    f: ['double', 'string'],
    e: ['double', 'string'],
    b: ['int', 'uint', 'bool'],
    x: ['int', 'uint', 'string', 'bytes'],
    X: ['int', 'uint', 'string', 'bytes'],
    o: ['int', 'uint'],
  },
  4: {
    d: ['int', 'uint', 'double'],
    f: ['int', 'uint', 'double'],
    e: ['int', 'uint', 'double'],
    b: ['int', 'uint', 'bool'],
    x: ['int', 'uint', 'string', 'bytes'],
    X: ['int', 'uint', 'string', 'bytes'],
    o: ['int', 'uint'],
  },
};

const HEX: Readonly<Record<FormatVersion, string>> = {
  1: 'only integers, byte buffers, and strings can be formatted as hex',
  4: 'only ints, uints, bytes, and strings can be formatted as hex',
};
const TEXTS: Readonly<Record<FormatVersion, Readonly<Record<Verb, string>>>> = {
  1: {
    s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    d: 'decimal clause can only be used on integers',
    f: 'fixed-point clause can only be used on doubles',
    e: 'scientific clause can only be used on doubles',
    b: 'only integers and bools can be formatted as binary',
    x: HEX[1],
    X: HEX[1],
    o: 'octal clause can only be used on integers',
  },
  4: {
    s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    d: 'decimal clause can only be used on ints, uints, and doubles',
    f: 'fixed-point clause can only be used on ints, uints, and doubles',
    e: 'scientific clause can only be used on ints, uints, and doubles',
    b: 'only ints, uints, and bools can be formatted as binary',
    x: HEX[4],
    X: HEX[4],
    o: 'octal clause can only be used on ints and uints',
  },
};

/** Whether a clause accepts a type. */
export const takes = (version: FormatVersion, verb: Exclude<Verb, 's'>, typeName: string): boolean =>
  (TAKEN[version][verb] as readonly string[]).includes(typeName);

export const wrongType = (version: FormatVersion, verb: Verb, typeName: string): string =>
  `error during formatting: ${TEXTS[version][verb]}, was given ${typeName}`;
