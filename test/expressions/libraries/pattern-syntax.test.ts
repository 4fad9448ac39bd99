/** Patterns are read, and refused, as 1.32 does it. */
import { RE2JS } from 're2js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPattern } from '../../../runtime/expressions/libraries/pattern-syntax.ts';

const test = suite('syntax of patterns');

const refused: readonly (readonly [name: string, pattern: string, problem: string])[] = [
  ['a place that is empty', 'a\\', 'trailing backslash at end of expression: ``'],
  ['a property of a later release', 'a\\p{LC}', 'invalid character class range: `\\p{LC}`'],
  ['the opposite of one', '[\\P{^Cn}]', 'invalid character class range: `\\P{^Cn}`'],
  ['the first problem counts', '\\q\\p{Cn}', 'invalid escape sequence: `\\q`'],
  ['groups of one name in the whole pattern', '(?P<a>x)(?P<a>y)(', 'missing closing ): `(?P<a>x)(?P<a>y)(`'],
  ['a depth', `${'('.repeat(1_001)}a${')'.repeat(1_001)}`, `expression nests too deeply: \`${'('.repeat(1_001)}a${')'.repeat(1_001)}\``],
];
for (const [name, pattern, problem] of refused)
  test(`refused: ${name}`, () => assert.is(readPattern(pattern), `error parsing regexp: ${problem}`));

const found: readonly (readonly [name: string, pattern: string, text: string])[] = [
  ['groups of one name', '^(?P<a>x)(?:(?<a>y)|(?P<a>z))$', 'xz'],
  ['what looks like groups in a class', '^[(?P<a>][^(?P<a>]$', 'Px'],
  ['what looks like groups in quotes', '^(?P<a>x)\\Q(?P<a>\\E$', 'x(?P<a>'],
  ['a quoted property', '^\\Q\\p{Cn}\\E$', '\\p{Cn}'],
  ['an escaped property', '^\\\\p{2}$', '\\pp'],
];
for (const [name, pattern, text] of found)
  test(`found: ${name}`, () => {
    const read = readPattern(pattern);
    assert.instance(read, RE2JS);
    assert.ok((read as RE2JS).test(text));
  });

test.run();
