import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { age } from '../../../runtime/go-text/age.ts';
import { fillRow, rowTemplate, timeMarks } from '../../../runtime/registry/lists/row-template.ts';

const test = suite('row template');

const filled = (text: string, now: number): string => {
  const parts: Buffer[] = [];
  const template = rowTemplate(text);
  // where it stands among others
  const bytes = Buffer.concat([Buffer.from('before'), template, Buffer.from('behind')]);
  fillRow(bytes, 6, 6 + template.length, now, {
    bytes: (piece, start, end) => parts.push(piece.subarray(start, end)),
    ascii: (ascii) => parts.push(Buffer.from(ascii)),
  });
  return Buffer.concat(parts).toString();
};

const at = (time: string) => Date.parse(time);
const cells = (values: unknown[]) => JSON.stringify(values);

for (const [name, make] of [
  ['none', () => 'x'],
  ['one', (now) => age('2026-01-01T00:00:00Z', now)],
  ['one within text', (now) => `3 (${age('2026-01-01T00:00:00Z', now)} ago) ü`],
  ['several', (now) => `${age('2026-01-01T00:00:00Z', now)},${age('2025-12-31T00:00:00Z', now)}`],
  ['before 1970', (now) => age('1969-01-01T00:00:00Z', now)],
  ['unknown', (now) => age(undefined, now)],
  ['in the future', (now) => age('2030-01-01T00:00:00Z', now)],
] as [string, (now: Parameters<typeof age>[1]) => string][])
  test(`times: ${name}`, () => {
    for (const now of [at('2026-01-01T00:00:05Z'), at('2026-03-01T00:00:00Z')]) {
      assert.is(filled(cells(['a', make(timeMarks), 1]), now), cells(['a', make(now), 1]));
    }
  });

test.run();
