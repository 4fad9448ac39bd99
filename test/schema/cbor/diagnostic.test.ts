import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosed } from '../../../runtime/schema/cbor/diagnostic.ts';

const test = suite('CBOR for people');

const ROWS: readonly (readonly [cbor: string, shown: string])[] = [
  ['00', '0'],
  ['1bffffffffffffffff', '18446744073709551615'],
  ['3863', '-100'],
  ['f93c00', '1.0'],
  ['f93e00', '1.5'],
  ['fb7e37e43c8800759c', '1.0e+300'],
  ['fb3eb0c6f7a0b5ed8d', '0.000001'],
  ['fb3e7ad7f29abcaf48', '1.0e-7'],
  ['f98000', '-0.0'],
  ['f4', 'false'],
  ['f5', 'true'],
  ['f6', 'null'],
  ['f7', 'undefined'],
  ['f0', 'simple(16)'],
  ['f8ff', 'simple(255)'],
  ['40', "h''"],
  ['4401020304', "'\\u0001\\u0002\\u0003\\u0004'"],
  ['41ff', "h'ff'"],
  ['4449455446', "'IETF'"],
  ['43275c22', "'\\'\\\\\"'"],
  ['62225c', '"\\"\\\\"'],
  ['62c3bc', '"\\u00fc"'],
  ['64f0908591', '"\\ud800\\udd51"'],
  ['83010203', '[1, 2, 3]'],
  ['9f01820203ff', '[_ 1, [2, 3]]'],
  ['a201020304', '{1: 2, 3: 4}'],
  ['5f42010243030405ff', "(_ '\\u0001\\u0002', '\\u0003\\u0004\\u0005')"],
  ['7fff', '""_'],
  ['5fff', "''_"],
  ['d9d9f7a1446b696e644161', "55799({'kind': 'a'})"],
];
for (const [cbor, shown] of ROWS) test(cbor, () => assert.is(diagnosed(Buffer.from(cbor, 'hex')), shown));

test.run();
