import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { result } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);

const rows: readonly (readonly [expression: string, value: unknown])[] = [
  ["['a', 'b', 'b'].isSorted()", true],
  ['[2.0, 1.0].isSorted()', false],
  ['[].isSorted()', true],
  ['[1, 3].sum()', 4n],
  ['[].sum()', 0n],
  ['[1u, 2u].sum()', '3u'],
  ["string([duration('1m'), duration('1s')].sum())", '61s'],
  ['[9223372036854775807, 1].sum()', 'error: integer overflow'],
  ['[3, 1, 2].min()', 1n],
  ['[3, 1, 2].max()', 3n],
  ['[].max()', 'error: max called on empty list'],
  ['[1, 2, 2].lastIndexOf(2)', 2n],
  ['[[1], [2]].indexOf([2])', 1n],
  ['[1].indexOf(3)', -1n],
  ['sets.contains([1, 2], [2, 2])', true],
  ['sets.equivalent([1, 1], [1])', true],
  ['sets.intersects([1], [])', false],
  ["'abc 123'.find('[0-9]+')", '123'],
  ["'abc'.find('[0-9]+')", ''],
  ["'123 abc 456'.findAll('[0-9]*')", ['123', '', '', '', '', '456']],
  ["'123 abc 456'.findAll('[0-9]+', 1)", ['123']],
  ["'123 abc 456'.findAll('[0-9]+', 0)", []],
  ["'😀a'.findAll('')", ['', '', '']],
  ["'ab'.findAll('^')", ['']],
  ["'x'.find('[' + 'a')", 'error: Illegal regex: error parsing regexp: missing closing ]: `[a`'],
  ['optional.of(1)', { some: 1n }],
  ['optional.of(null).hasValue()', true],
  ['optional.of(null).value()', null],
  ['optional.none().value()', 'error: optional.none() dereference'],
  ['optional.ofNonZeroValue({})', 'none'],
  ["optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z'))", 'none'],
  ['optional.none().or(optional.of(2)).value()', 2n],
  ['optional.of(1).orValue(1 / 0)', 1n],
  ['optional.none().orValue(3)', 3n],
  ["{'a': {'b': 1}}.?a.?b.orValue(0)", 1n],
  ["{'a': 1}.?b.optMap(x, x + 1)", 'none'],
  ['[1, 2][?1].optMap(x, x + 1)', { some: 3n }],
  ['[?optional.none(), ?optional.of(1)]', [1n]],
  ["{?'a': optional.none(), 'b': 2}", { b: 2n }],
  ['optional.of([1, 2])[0]', { some: 1n }],
  ['[1, 2].transformMap(i, v, v * 2)', { 0: 2n, 1: 4n }],
  ["{'a': 'x', 'b': 'x'}.transformMapEntry(k, v, {v: k})", 'error: insert failed: key x already exists'],
  ["quantity('1.0').isInteger()", false],
  ["quantity('1.50k').asInteger()", 1500n],
  ["quantity('1Ki').add(quantity('1')).asInteger()", 1025n],
  ["quantity('9223372036854775807').add(1).isInteger()", false],
  ["quantity('0.5').asApproximateFloat()", 0.5],
  ["sign(quantity('-1'))", -1n],
  ["string(ip('::FFFF:0:0:1'))", '::ffff:0:0:1'],
  ["ip('::ffff:1.2.3.4')", 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["ip('fe80::1%eth0')", 'error: IP address "fe80::1%eth0" with zone value is not allowed'],
  [
    "ip('01.2.3.4')",
    'error: IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero',
  ],
  ["ip('224.0.1.1').isLinkLocalMulticast()", false],
  ["ip('ff00::1').isGlobalUnicast()", false],
  ["cidr('10.0.0.0/8').containsIP('::1')", false],
  ["cidr('0.0.0.0/0').containsCIDR('10.0.0.0/8')", true],
  [
    "cidr('10.0.0.0/8').containsIP('x')",
    'error: IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
  ],
];

const test = suite('lists, patterns, optional values, quantities and addresses in expressions');
for (const [expression, value] of rows) test(expression, () => assert.equal(result(expression, LIBRARIES), value));
test.run();
