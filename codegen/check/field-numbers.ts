/** Checks the numbers and names of protobuf fields: each belongs to one field for ever. */
import type { Message } from '../read/sources.ts';
import type { CheckContext } from './check-context.ts';
import type { Report } from './diagnostic.ts';

export function checkFieldNumbers({ sources, report }: CheckContext): void {
  for (const message of sources.messages.values()) checkMessage(message, report);
}

function checkMessage({ name: message, file, fields, reserved }: Message, report: Report): void {
  const numbers = new Map<number, string>();
  const names = new Set<string>();
  for (const { name, number } of fields) {
    const at = { file, path: `${message}.${name}` };
    const other = numbers.get(number);
    if (!isPossible(number))
      report('CS034', at, `Number ${number} is none of a field: they are 1 to ${LAST}, without ${OF_PROTOBUF.join(' to ')}.`);
    if (other !== undefined) report('CS033', at, `Number ${number} is that of ${other} already.`);
    if (names.has(name)) report('CS033', at, `There is another field named ${name}.`);
    if (reserved.some((item) => (typeof item === 'string' ? item === name : holds(item, number))))
      report('CS034', at, `Number ${number} or name ${name} is reserved in the message.`);
    numbers.set(number, name);
    names.add(name);
  }
  const missing = gaps([...numbers.keys()].filter(isPossible), reserved.filter(isRange));
  if (missing.length > 0) report('CS035', { file, path: message }, `Neither used nor reserved: ${missing.map(shownRange).join(', ')}.`);
}

type Range = readonly [from: number, to: number];

/** The greatest field number of protobuf, and the range of numbers that it reserves for its implementations. */
const LAST = 2 ** 29 - 1;
const OF_PROTOBUF: Range = [19_000, 19_999];

const isPossible = (number: number): boolean => number >= 1 && number <= LAST && !holds(OF_PROTOBUF, number);
const isRange = (item: string | Range): item is Range => typeof item !== 'string';

/** Numbers count up from 1. One that is left out was used once, and must not come back with another meaning, so it has to be reserved. */
function gaps(numbers: readonly number[], reserved: readonly Range[]): Range[] {
  const last = Math.max(0, ...numbers);
  const taken = [...numbers.map((number): Range => [number, number]), ...reserved, OF_PROTOBUF].sort(([a], [b]) => a - b);
  const found: Range[] = [];
  let next = 1;
  for (const [from, to] of taken) {
    const end = Math.min(from, last) - 1;
    if (end >= next) found.push([next, end]);
    next = Math.max(next, to + 1);
  }
  return found;
}

function shownRange([from, to]: Range): string {
  if (to - from > 1) return `${from} to ${to}`;
  return from === to ? String(from) : `${from}, ${to}`;
}

function holds([from, to]: Range, number: number): boolean {
  return number >= from && number <= to;
}
