import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressText, masked, parseAddress, parseRange } from '../../runtime/formats/ip-text.ts';

const test = suite('texts of addresses');

const faults: [string, string][] = [
  ['abc', 'ParseAddr("abc"): unable to parse IP'],
  ['\x00', 'ParseAddr("\\x00"): unable to parse IP'],
  ['::\x7f', 'ParseAddr("::\\x7f"): each colon-separated field must have at least one digit (at "\\x7f")'],
  ['1.2.3', 'ParseAddr("1.2.3"): IPv4 address too short'],
  ['1.2.3.4.5', 'ParseAddr("1.2.3.4.5"): IPv4 address too long'],
  ['01.2.3.4', 'ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero'],
  ['1.2.3.256', 'ParseAddr("1.2.3.256"): IPv4 field has value >255'],
  ['1..2.3', 'ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")'],
  ['::1::', 'ParseAddr("::1::"): multiple :: in address (at ":")'],
  ['1:2', 'ParseAddr("1:2"): address string too short'],
  ['::12345', 'ParseAddr("::12345"): each group must have 4 or less digits (at "12345")'],
  ['::x', 'ParseAddr("::x"): each colon-separated field must have at least one digit (at "x")'],
];
for (const [text, expected] of faults) test(`address text: ${text}`, () => assert.is(parseAddress(text), expected));

const canonical: [string, string][] = [
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::', '::'],
  ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
];
for (const [text, expected] of canonical)
  test(`address text: ${text} is ${expected}`, () => {
    const parsed = parseAddress(text);
    assert.is(typeof parsed === 'string' ? parsed : addressText(parsed), expected);
  });

test('address text: what is written reads back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (array) => {
      const parsed = parseAddress(addressText({ bytes: [...array], zone: '' }));
      assert.equal(typeof parsed === 'string' ? parsed : parsed.bytes, [...array]);
    }),
  );
});

test('range text: masks', () => {
  assert.equal(masked([255, 255, 255, 255], 20), [255, 255, 240, 0]);
  assert.is(parseRange('1.2.3.4/33'), 'netip.ParsePrefix("1.2.3.4/33"): prefix length out of range');
});

test.run();
