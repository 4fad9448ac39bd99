/** Formats that schemas of definitions may name take what those of 1.32 take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { VALUE_FORMATS } from '../../runtime/formats/value-formats.ts';

const test = suite('formats/value-formats');

const rows: readonly [format: string, right: readonly string[], wrong: readonly string[]][] = [
  [
    'email',
    ['a@b.c', 'a@b', 'a.b+c@example.com', 'é@b.c', '"a b"@c.d', ' a@b.c ', 'A <a@b.c>', '"A, B" <a@b.c>', 'A. B <a@b.c>', '<a@b.c>'].concat(
      [
        'a@[1.2.3.4]',
        'a@[::1]',
        '"a" b (c) <d@e>',
        'a@b (c (d\\) e))',
        'group: a@b;',
        'group: A <a@b> (c); (d)',
        '=?utf-8?q?J=C3=B6rg?= <a@b>',
        '=?other?q?=?= <a@b>',
      ],
    ),
    [
      'a@[1.2.3]',
      'a@[::1%eth0]',
      'a@b (c',
      '""@b',
      'group: ;',
      'group: a@b, c@d;',
      'group: other: a@b;;',
      '=?other?q?J=C3=B6rg?= <a@b>',
      'a@b (=?other?b?YQ==?=)',
      '',
      'a',
      '@b.c',
      'a@',
      'a..b@c.d',
      '.a@b.c',
      'a.@b.c',
      'a@b..c',
      'a b@c.d',
      'a@b.c, d@e.f',
      'a@b@c',
      'A <a@b.c',
      'a@b.c>',
      '(a)@b',
    ],
  ],
  [
    'hostname',
    ['a', 'localhost', 'a-', 'a-b', 'example.com', 'a-b.example.com', '1.ab', 'é.fr', 'a--b.com', '☃.net', 'a.éé', `${'a'.repeat(63)}.com`],
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
      'a.b-c',
      '1.22',
      '10.0.0.999',
      'a.☃☃',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(127)}com`,
    ],
  ],
  [
    'ipv4',
    ['1.2.3.4', '01.2.3.04', '::ffff:1.2.3.4', '::1.2.3.4', '00001::1.2.3.04'],
    ['1.2.3', '1.2.3.256', '::1', 'fe80::1.2.3.4%eth0', ''],
  ],
  [
    'cidr',
    ['01.2.3.4/008', '::00001/0128', '::ffff:1.2.3.4/96'],
    ['1.2.3.4', '1.2.3.4/', '1.2.3.4/33', '1.2.3.4/+1', '::1%a/64', '::/129'],
  ],
  ['ipv6', ['::1', '::ffff:1.2.3.4'], ['::ffff:1.2.3.04', '00001::', '1.2.3.4', 'fe80::1%eth0', '1::2::3']],
  [
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    ['123e4567', '123e4567-e89b-12d3-a456-42661417400g'],
  ],
  ['uuid3', ['123e4567-e89b-32d3-0456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
  ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-c456-426614174000', '123e4567-e89b-12d3-a456-426614174000']],
  ['uuid5', ['123e4567-e89b-52d3-B456-426614174000'], ['123e4567-e89b-52d3-7456-426614174000']],
  ['ssn', ['111-00-2222', '111 00 2222'], ['111002222', '111-002222', '1']],
  ['isbn10', ['0321751043', '0-321 75104-3', '080442957X'], ['080442957x', '032175104\u00a03', '032175104\v3']],
  ['rgbcolor', ['rgb(0,0,0)', 'rgb(\t1 , 22,\n255 )'], ['rgb(256,0,0)', 'rgb(00,0,0)', 'rgb(\u00a01,2,3)', 'rgb(1,\v2,3)']],
  [
    'creditcard',
    ['4111111111111111', '4111-1111-1111-1111', 'no. 4111/1111/1111/1111'],
    ['2221000000000009', '6200000000000005', '4111111111111112', '4111', ''],
  ],
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
