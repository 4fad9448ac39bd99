import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QUANTITY, RESOURCE_LIST, RESOURCE_QUANTITY } from '../../runtime/go-diff/go-quantity.ts';
import { goSyntax } from '../../runtime/go-diff/go-syntax.ts';
import type { GoType } from '../../runtime/go-diff/go-type.ts';

const amount = (value: number, scale: number) => `i:resource.int64Amount{value:${value}, scale:${scale}}`;
const NONE = 'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}';
const shown = (i: string, d: string, s: string, format: string): string =>
  `resource.Quantity{${i}, ${d}, s:${JSON.stringify(s)}, Format:${JSON.stringify(format)}}`;
/** What an address leads to is not shown. */
const DECIMAL = 'd:resource.infDecAmount{Dec:(*inf.Dec)(0x)}';
const syntax = (type: GoType, text: string | undefined): string => goSyntax(type, text).replace(/0x[0-9a-f]+/, '0x');

const rows: readonly (readonly [name: string, text: string | undefined, expected: string])[] = [
  ['absent', undefined, shown(amount(0, 0), NONE, '', '')],
  ['zero', '0', shown(amount(0, 0), NONE, '0', 'DecimalSI')],
  ['canonical', '100m', shown(amount(100, -3), NONE, '100m', 'DecimalSI')],
  ['not canonical', '0.1', shown(amount(1, -1), NONE, '', 'DecimalSI')],
  ['with a decimal exponent', '1e3', shown(amount(1, 3), NONE, '1e3', 'DecimalExponent')],
  ['binary', '1Mi', shown(amount(1048576, 0), NONE, '1Mi', 'BinarySI')],
  ['binary, divisible by eight', '1024Ki', shown(amount(1048576, 0), NONE, '', 'BinarySI')],
  ['binary with a fraction', '1.5Gi', shown(amount(0, 0), DECIMAL, '', 'BinarySI')],
  ['a binary fraction that is less than one', '0.0001Ki', shown(amount(0, 0), DECIMAL, '', 'DecimalSI')],
  ['of more digits than 64 bits have', '1234567890123456789', shown(amount(0, 0), DECIMAL, '', 'DecimalSI')],
  ['negative', '-2', shown(amount(-2, 0), NONE, '-2', 'DecimalSI')],
];
const test = suite('quantities as Go holds them');
for (const [name, text, expected] of rows) test(name, () => assert.is(syntax(QUANTITY, text), expected));

const resources: readonly (readonly [name: string, text: string, expected: string])[] = [
  ['a ten-thousandth', '0.0005', shown(amount(1, -3), NONE, '', 'DecimalSI')],
  ['a binary fraction', '1.5Gi', shown(amount(0, 0), DECIMAL, '', 'BinarySI')],
  ['what is coarse enough', '5m', shown(amount(5, -3), NONE, '5m', 'DecimalSI')],
];
for (const [name, text, expected] of resources)
  test(`of resources are rounded up to thousandths: ${name}`, () => assert.is(syntax(RESOURCE_QUANTITY, text), expected));

test('are equal when they mean the same', () => {
  assert.is(RESOURCE_QUANTITY.equals?.('0.1', '100m'), true);
  assert.is(RESOURCE_QUANTITY.equals?.('0.0001', '1m'), true);
  assert.is(QUANTITY.equals?.('0.0001', '1m'), false);
  assert.is(QUANTITY.equals?.(undefined, '0'), true);
});

test('stand in lists in the order of the names', () => {
  assert.is(syntax(RESOURCE_LIST, undefined), 'core.ResourceList(nil)');
  assert.is(goSyntax(RESOURCE_LIST, {}), 'core.ResourceList{}');
  assert.is(
    goSyntax(RESOURCE_LIST, { b: '1', a: '2' }),
    `core.ResourceList{"a":${shown(amount(2, 0), NONE, '2', 'DecimalSI')}, "b":${shown(amount(1, 0), NONE, '1', 'DecimalSI')}}`,
  );
});

test.run();
