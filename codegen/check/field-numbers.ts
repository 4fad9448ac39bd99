/** Numbers and names of protobuf fields: each is that of one field, for all times. */
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
    if (other !== undefined) report('CS033', at, `Number ${number} is that of ${other} already.`);
    if (names.has(name)) report('CS033', at, `There is another field named ${name}.`);
    if (reserved.some((item) => (typeof item === 'string' ? item === name : holds(item, number))))
      report('CS034', at, `Number ${number} or name ${name} is reserved in the message.`);
    numbers.set(number, name);
    names.add(name);
  }
  const last = Math.max(0, ...numbers.keys());
  const missing: number[] = [];
  // Numbers count up from 1: one that is left out was used once, and may not come back with another meaning.
  for (let number = 1; number < last; number++)
    if (!numbers.has(number) && !reserved.some((item) => typeof item !== 'string' && holds(item, number))) missing.push(number);
  if (missing.length > 0) report('CS035', { file, path: message }, `Neither used nor reserved: ${missing.join(', ')}.`);
}

function holds([from, to]: readonly [number, number], number: number): boolean {
  return number >= from && number <= to;
}
