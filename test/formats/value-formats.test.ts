/** Formats that schemas of definitions may name take what those of 1.32 take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { VALUE_FORMATS } from '../../runtime/formats/value-formats.ts';

const test = suite('formats/value-formats');

const rows: readonly [format: string, right: readonly string[], wrong: readonly string[]][] = [
  [
    'email',
    ['a@b.c', 'a@b', 'a.b+c@example.com', 'é@b.c', '"a b"@c.d', ' a@b.c ', 'A <a@b.c>', '"A, B" <a@b.c>', 'A. B <a@b.c>', '<a@b.c>'],
    ['', 'a', '@b.c', 'a@', 'a..b@c.d', '.a@b.c', 'a.@b.c', 'a@b..c', 'a b@c.d', 'a@b.c, d@e.f', 'a@b@c', 'A <a@b.c', 'a@b.c>', '(a)@b'],
  ],
  [
    'hostname',
    ['a', 'localhost', 'a-', 'a-b', 'example.com', 'a-b.ex-ample.com', '1.22', 'é.fr', '10.0.0.999', 'a--b.com', `${'a'.repeat(63)}.com`],
    [
      '',
      'a_b',
      '-a.com',
      'a-.com',
      'ab-c',
      'a.b',
      'a.b.',
      'example.com.',
      'a..bc',
      'a.b--c',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(127)}com`,
    ],
  ],
  ['ipv4', ['1.2.3.4', '::ffff:1.2.3.4', '::1.2.3.4'], ['01.2.3.4', '1.2.3', '::1', 'fe80::1.2.3.4%eth0', '']],
  ['ipv6', ['::1', '::ffff:1.2.3.4'], ['1.2.3.4', 'fe80::1%eth0', '1::2::3']],
  [
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    ['123e4567', '123e4567-e89b-12d3-a456-42661417400g'],
  ],
  ['uuid3', ['123e4567-e89b-32d3-0456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
  ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-c456-426614174000', '123e4567-e89b-12d3-a456-426614174000']],
  ['uuid5', ['123e4567-e89b-52d3-B456-426614174000'], ['123e4567-e89b-52d3-7456-426614174000']],
  ['ssn', ['111-00-2222', '111 00 2222'], ['111002222', '111-002222', '1']],
  ['creditcard', ['4111111111111111', '4111-1111-1111-1111', 'no. 4111/1111/1111/1111'], ['4111111111111112', '4111', '']],
];

for (const [format, right, wrong] of rows)
  test(format, () => {
    const isRight = VALUE_FORMATS.get(format);
    for (const text of right) assert.is(isRight?.(text), true, text);
    for (const text of wrong) assert.is(isRight?.(text), false, text);
  });

test('long texts are read, however they are made', () => {
  for (const text of [
    'a'.repeat(1e6),
    'a.'.repeat(5e5),
    '"'.repeat(1e6),
    `${'a '.repeat(450)}<`,
    `${'"a" '.repeat(240)}@`,
    `${'a.'.repeat(450)}@`,
  ])
    for (const [format, isRight] of VALUE_FORMATS) assert.type(isRight(text), 'boolean', format);
});

test.run();
