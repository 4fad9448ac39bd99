/** Selectors in text (`runtime/selectors/`): what they say, what they match, and how 1.32 refuses them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseFieldSelector } from '../../runtime/selectors/field-selector-text.ts';
import { parseLabelSelector } from '../../runtime/selectors/label-selector-text.ts';
import { SelectorError } from '../../runtime/selectors/selector-error.ts';

const selectors = suite('selectors');

type Labels = Record<string, string>;

const matching: readonly [text: string, selected: Labels[], others: Labels[]][] = [
  ['', [{}, { a: '1' }], []],
  [' ', [{}], []],
  ['a', [{ a: '' }, { a: '1' }], [{}, { b: '1' }]],
  ['!a', [{}, { b: '1' }], [{ a: '' }]],
  ['a=1', [{ a: '1' }], [{ a: '2' }, {}]],
  ['a==1', [{ a: '1' }], [{ a: '2' }, {}]],
  ['a=', [{ a: '' }], [{ a: '1' }, {}]],
  ['a!=1', [{ a: '2' }, {}], [{ a: '1' }]],
  ['a in (1, 2)', [{ a: '1' }, { a: '2' }], [{ a: '3' }, {}]],
  ['a in (1,)', [{ a: '1' }, { a: '' }], [{}]],
  ['a in ()', [{ a: '' }], [{ a: '1' }, {}]],
  ['a in (,1)', [{ a: '' }, { a: '1' }], [{ a: '2' }, {}]],
  ['a in (1,,2)', [{ a: '' }, { a: '1' }, { a: '2' }], [{ a: '3' }, {}]],
  ['a notin (1,2)', [{ a: '3' }, {}], [{ a: '1' }]],
  ['in in (in,notin)', [{ in: 'in' }, { in: 'notin' }], [{ in: 'x' }]],
  ['a=in', [{ a: 'in' }], [{ a: '1' }]],
  ['n>5', [{ n: '6' }, { n: '10' }], [{ n: '5' }, { n: 'x' }, {}]],
  ['n>0000000000000000000005', [{ n: '00000000000000000000006' }], [{ n: '5' }, { n: '9223372036854775808' }]],
  ['n<10', [{ n: '9' }, { n: '-1' }], [{ n: '10' }, { n: '' }, {}]],
  ['n > 4, n < 6', [{ n: '5' }], [{ n: '4' }, { n: '6' }]],
  ['a=1,b,!c', [{ a: '1', b: '' }], [{ a: '1' }, { a: '1', b: '', c: '' }]],
  ['a=1,a=2', [], [{ a: '1' }, { a: '2' }]],
  ['example.com/a=1', [{ 'example.com/a': '1' }], [{ a: '1' }]],
  ['constructor', [{ constructor: 'x' } as unknown as Labels], [{}]],
];
const asked = (labels: Labels) => ({ label: (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined) });
for (const [text, selected, others] of matching) {
  selectors(`labels: ${JSON.stringify(text)}`, () => {
    const { matches } = parseLabelSelector(text);
    for (const labels of selected) assert.ok(matches(asked(labels)), JSON.stringify(labels));
    for (const labels of others) assert.not.ok(matches(asked(labels)), JSON.stringify(labels));
  });
}

const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const refused: readonly [text: string, message: string][] = [
  [
    `a=${'v'.repeat(64)}-`,
    `unable to parse requirement: values[0][a]: Invalid value: "${'v'.repeat(64)}-": must be no more than 63 characters; ${VALUE}`,
  ],
  ['a=\u0007', `unable to parse requirement: values[0][a]: Invalid value: "\\a": ${VALUE}`],
  ['a\0b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['=', "found '=', expected: !, identifier, or 'end of string'"],
  ['>5', "found '>', expected: !, identifier, or 'end of string'"],
  ['(app)', "found '(', expected: !, identifier, or 'end of string'"],
  ['app in x', "unable to parse requirement: found 'x' expected: '('"],
  ['app notin', "unable to parse requirement: found '' expected: '('"],
  ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['app in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ['app in (x,!)', "unable to parse requirement: found '!', expected: ',', or identifier"],
  ['-/-', `unable to parse requirement: <nil>: Invalid value: "-/-": prefix part ${SUBDOMAIN}; name part ${NAME}`],
  ['app x', "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt"],
  ['app===x', "unable to parse requirement: found '=', expected: identifier"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['app=x,', "found '', expected: identifier after ','"],
  ['app=x,,n', "found ',', expected: identifier after ','"],
  ['!app=x', "found '=', expected: ',' or 'end of string'"],
  ['app=x y', "found 'y', expected: ',' or 'end of string'"],
  ['a=-', `unable to parse requirement: values[0][a]: Invalid value: "-": ${VALUE}`],
  [
    'n>9223372036854775808',
    `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  ['n>abc', `unable to parse requirement: values[0]: Invalid value: "abc": for 'Gt', 'Lt' operators, the value must be an integer`],
  [
    `app=${'v'.repeat(64)}`,
    `unable to parse requirement: values[0][app]: Invalid value: "${'v'.repeat(64)}": must be no more than 63 characters`,
  ],
];
for (const [text, message] of refused) {
  selectors(`refuses labels: ${text.slice(0, 20)}`, () => {
    assert.throws(
      () => parseLabelSelector(text),
      (error: unknown) => error instanceof SelectorError && error.message === message,
    );
  });
}

selectors('any text is a label selector or an error', () => {
  const character = fc.constantFrom(...'ab1-_./=!<>(), \t', 'in', 'notin', 'é');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      try {
        parseLabelSelector(characters.join('')).matches(asked({ a: '1' }));
      } catch (error) {
        assert.ok(error instanceof SelectorError, String(error));
      }
    }),
    { numRuns: 1_000 },
  );
});

const fields: readonly [text: string, requirements: [field: string, operator: string, value: string][]][] = [
  ['==,a=1,!=', [['a', '=', '1']]],
  ['', []],
  ['metadata.name=a', [['metadata.name', '=', 'a']]],
  ['metadata.name==a', [['metadata.name', '==', 'a']]],
  [
    'status.phase!=Running,spec.nodeName=',
    [
      ['spec.nodeName', '=', ''],
      ['status.phase', '!=', 'Running'],
    ],
  ],
  ['a=x\\,y\\=z\\\\', [['a', '=', 'x,y=z\\']]],
  [',a=1,', [['a', '=', '1']]],
];
for (const [text, requirements] of fields) {
  selectors(`fields: ${JSON.stringify(text)}`, () => {
    const parsed = parseFieldSelector(text).map(({ field, operator, value }) => [field, operator, value]);
    assert.equal(parsed, requirements);
  });
}

const refusedFields: readonly [text: string, message: string][] = [
  ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ['a=1,metadata.name', "invalid selector: 'a=1,metadata.name'; can't understand 'metadata.name'"],
  ['z,y', "invalid selector: 'z,y'; can't understand 'y'"],
  // characters by their code, as 1.32 has them
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a\\=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
];
for (const [text, message] of refusedFields) {
  selectors(`refuses fields: ${text}`, () => {
    assert.throws(
      () => parseFieldSelector(text),
      (error: unknown) => error instanceof SelectorError && error.message === message,
    );
  });
}

selectors('every value can be escaped', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const escaped = value.replace(/[\\,=]/g, (character) => `\\${character}`);
      assert.equal(parseFieldSelector(`a=${escaped}`), [{ field: 'a', operator: '=', value }]);
    }),
  );
});

selectors.run();
