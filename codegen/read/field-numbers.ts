/**
 * Numbers and names of protobuf fields, from the text of a .proto file: the compiler stops at the first that is wrong, people want to see
 * all of them.
 */
import type { DiagnosticCode } from '../check/codes.ts';

export interface NumberError {
  readonly code: Extract<DiagnosticCode, 'CS033' | 'CS034' | 'CS035'>;
  /** such as `PodSpec.hostname` */
  readonly path: string;
  readonly problem: string;
}

const FIELD = /^\s*(?:(?:optional|required|repeated)\s+[\w.]+|map\s*<[^>]*>)\s+(\w+)\s*=\s*(\d+)/;
const RESERVED = /^\s*reserved\s+(.*)$/;

export function findNumberErrors(text: string): NumberError[] {
  const errors: NumberError[] = [];
  const source = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*/g, '');
  for (const [, message, body] of source.matchAll(/\bmessage\s+(\w+)\s*\{([^{}]*)\}/g)) {
    errors.push(...checkMessage(message as string, (body as string).split(';')));
  }
  return errors;
}

function checkMessage(message: string, statements: readonly string[]): NumberError[] {
  const errors: NumberError[] = [];
  const reserved = statements.flatMap((statement) => reservedItems(RESERVED.exec(statement)?.[1] ?? ''));
  const names = new Map<string, number>();
  const numbers = new Map<number, string>();
  for (const statement of statements) {
    const [, name, digits] = FIELD.exec(statement) ?? [];
    if (name === undefined) continue;
    const number = Number(digits);
    const path = `${message}.${name}`;
    const other = numbers.get(number);
    if (other !== undefined) errors.push({ code: 'CS033', path, problem: `Number ${number} is that of ${other} already.` });
    if (names.has(name)) errors.push({ code: 'CS033', path, problem: `There is another field named ${name}.` });
    if (reserved.some((item) => (typeof item === 'string' ? item === name : number >= item[0] && number <= item[1])))
      errors.push({ code: 'CS034', path, problem: `Number ${number} or name ${name} is reserved in the message.` });
    names.set(name, number);
    numbers.set(number, name);
  }
  errors.push(...skipped(message, numbers, reserved));
  return errors;
}

/** Field numbers count up from 1: one that is left out was used once, and may not come back with another meaning. */
function skipped(message: string, numbers: ReadonlyMap<number, string>, reserved: readonly ReservedItem[]): NumberError[] {
  const missing: number[] = [];
  for (let number = 1; number < Math.max(0, ...numbers.keys()); number++)
    if (!numbers.has(number) && !reserved.some((item) => typeof item !== 'string' && number >= item[0] && number <= item[1]))
      missing.push(number);
  if (missing.length === 0) return [];
  return [{ code: 'CS035', path: message, problem: `Neither used nor reserved: ${missing.join(', ')}.` }];
}

type ReservedItem = string | readonly [number, number];

function reservedItems(list: string): ReservedItem[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const name = /^["'](\w+)["']$/.exec(item)?.[1];
      if (name !== undefined) return name;
      const [from, to] = item.split(/\s+to\s+/);
      return [Number(from), to === 'max' ? Number.POSITIVE_INFINITY : Number(to ?? from)] as const;
    });
}
