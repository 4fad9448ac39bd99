/** Texts that are made to take long, and texts that nobody thought of. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Finding, SyntaxErrors } from '../../../runtime/expressions/syntax/finding.ts';
import { tokenize } from '../../../runtime/expressions/syntax/lexer.ts';
import { NodeBuilder } from '../../../runtime/expressions/syntax/node-builder.ts';
import { NotParsed, OnePassParser } from '../../../runtime/expressions/syntax/one-pass-parser.ts';
import { parse } from '../../../runtime/expressions/syntax/parser.ts';
import { syntaxFindings } from '../../../runtime/expressions/syntax/recovery/syntax-findings.ts';
import { ALL_SYNTAX } from './environment.ts';

const LENGTH = 100_000;
const hostile = suite('hostile texts');
for (const part of [
  ...'([{!-?.,@`\\&|"\'',
  ...[
    'a.',
    'a(',
    'a[',
    '[a,',
    '"""',
    "'''x",
    'r"',
    'b\'"',
    '//',
    '/*',
    'x ',
    '1+',
    '-1',
    '!a',
    'a?',
    'a?b:',
    '{a:',
    'T{a:',
    'é',
    '😀',
    '-1[',
    '"\\',
    '\\"""',
    '1 ',
  ],
])
  hostile(`${JSON.stringify(part)} again and again is refused`, () => {
    const text = part.repeat(LENGTH / part.length);
    assert.throws(
      () => parse(text, ALL_SYNTAX),
      (error: Error) => error instanceof SyntaxErrors && error.findings.length > 0,
    );
  });
hostile.run();

const TOKENS = [
  ...['==', '!=', 'in', '<', '<=', '>', '>=', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%'],
  ...['true', 'false', 'null', '1', '1.5', '2u', '"s"', "b'x'", 'a', 'if', '`q`', '@'],
];
/** Mostly right texts, some tokens of which are others. */
const texts = fc.letrec((tie) => ({
  operand: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'text' },
    fc.constantFrom('a', '1', '-1', '1.5', '"s"', 'true', '.a', 'f()', '[]', '{}', 'T{}'),
    fc.tuple(tie('operand'), fc.constantFrom(' + ', '*', '-', ' == ', ' in ', ' && ', '||'), tie('operand')).map((parts) => parts.join('')),
    fc.tuple(tie('operand'), tie('operand'), tie('operand')).map(([a, b, c]) => `${a} ? ${b} : ${c}`),
    fc.tuple(fc.constantFrom('!', '-', '--', '('), tie('operand')).map(([sign, a]) => (sign === '(' ? `(${a})` : `${sign}${a}`)),
    fc.tuple(tie('operand'), fc.constantFrom('.f', '.?f', '[0]', '[?0]', '.f(a, b)')).map((parts) => parts.join('')),
    fc.tuple(tie('operand'), tie('operand')).map(([a, b]) => `[${a}, ?${b},].map(x, {${a}: ${b}, ?'k': T{f: ${a}, ?g: ${b}}})`),
  ),
})).operand as fc.Arbitrary<string>;
const mutated = fc.tuple(texts, fc.array(fc.tuple(fc.nat(), fc.constantFrom('', ...TOKENS)), { maxLength: 3 })).map(([text, changes]) => {
  const tokens: string[] = text.match(/\w+|"[^"]*"|&&|\|\||==|\s+|./g) ?? [];
  for (const [index, token] of changes) tokens.splice(index % (tokens.length + 1), index % 3 === 0 ? 0 : 1, token);
  return tokens.join('');
});
const anyTokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 15 }).map((tokens) => tokens.join(' '));

const anyText = fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((points) => String.fromCodePoint(...points));

function isParsedAtOnce(text: string): boolean {
  const tokens = tokenize(text, true);
  if (tokens.findings.length > 0) return false;
  const builder = new NodeBuilder(ALL_SYNTAX.macros, true, () => {
    throw new NotParsed();
  });
  try {
    new OnePassParser(tokens, builder, 20).whole();
    return true;
  } catch (error) {
    if (error instanceof NotParsed) return false;
    throw error;
  }
}

function findingsOf(text: string): Finding[] {
  const findings: Finding[] = [];
  const report = (at: number | undefined, message: string) => findings.push({ at, message });
  const builder = new NodeBuilder(ALL_SYNTAX.macros, true, report);
  const limits = { maxDepth: 20, maxRecoveries: 30, maxSkippedTokens: 256 };
  syntaxFindings({ tokens: tokenize(text, true), builder, limits, quotedNames: true, report });
  return findings;
}

const properties = suite('properties of parsing');
properties('the parser that goes on behind errors finds some exactly where the one-pass parser gives up', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, anyTokens), (text) => isParsedAtOnce(text) === (findingsOf(text).length === 0)),
    { numRuns: 3000 },
  );
});
properties('most of the texts of these properties are near to expressions', () => {
  const accepted = fc.sample(mutated, 300).filter(isParsedAtOnce).length;
  assert.ok(accepted > 50 && accepted < 250, `${accepted} of 300`);
});
properties('tokens and what is none cover the text in its order, but for blanks and comments', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'\'"\\rbx01ueé .`\n&=/') }), anyTokens), (text) => {
      const { count, starts, ends, findings } = tokenize(text, true);
      const parts = [
        ...Array.from({ length: count }, (_each, index) => [starts[index], ends[index]] as [number, number]),
        ...findings.map(({ from, to }) => [from, to] as [number, number]),
      ];
      let at = 0;
      for (const [from, to] of parts.toSorted(([a, b], [c, d]) => a - c || b - d)) {
        assert.match(text.slice(at, from), /^(?:[\t\n\f\r ]|\/\/[^\n]*(?:\n|$))*$/);
        assert.ok(from >= at && to >= from);
        at = to;
      }
      assert.is(at, text.length);
    }),
  );
});
properties('every text is parsed, or refused with findings', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, mutated), (text) => {
      try {
        return parse(text, ALL_SYNTAX).root.id > 0;
      } catch (error) {
        return error instanceof SyntaxErrors && error.findings.length > 0 && error.message.startsWith('ERROR: <input>:');
      }
    }),
  );
});
properties.run();
