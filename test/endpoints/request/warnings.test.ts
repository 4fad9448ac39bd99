import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addWarnings } from '../../../runtime/endpoints/request/warnings.ts';

const test = suite('warning headers');

/** @returns the headers of an answer that is warned of each text in turn */
function headersOf(...texts: string[]): string[] {
  let headers: string[] = [];
  const setHeader = (_name: string, value: string[]): void => {
    headers = value;
  };
  const appendHeader = (_name: string, value: string): void => void headers.push(value);
  const context = { res: { setHeader, appendHeader } } as unknown as Context;
  for (const text of texts) addWarnings(context, [text]);
  return headers;
}

const long = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index} `.padEnd(300, 'x'));

const ROWS: { name: string; texts: string[]; want: string[] }[] = [
  { name: 'quoted', texts: ['a "b" \\c'], want: ['299 - "a \\"b\\" \\\\c"'] },
  { name: 'each once', texts: ['a', 'b', 'a'], want: ['299 - "a"', '299 - "b"'] },
  { name: 'nothing is no warning', texts: [''], want: [] },
  { name: 'control characters have no place in a header', texts: ['a\nb', 'c'], want: ['299 - "c"'] },
  { name: 'bytes of UTF-8', texts: ['é'], want: ['299 - "\u00c3\u00a9"'] },
  { name: 'as long as all fit they are whole', texts: long(13), want: long(13).map((text) => `299 - "${text}"`) },
  {
    name: 'too many are shortened, up to the one that reaches the limit',
    texts: long(20),
    want: long(16).map((text) => `299 - "${text.slice(0, 256)}"`),
  },
  {
    name: 'however many there are',
    texts: long(20_000),
    want: long(16).map((text) => `299 - "${text.slice(0, 256)}"`),
  },
  {
    name: 'a text that is too long for all',
    texts: ['\u{1f600}'.repeat(5_000)],
    want: [`299 - "${Buffer.from('\u{1f600}'.repeat(256)).toString('latin1')}"`],
  },
];
for (const { name, texts, want } of ROWS) test(name, () => assert.equal(headersOf(...texts), want));

test.run();
