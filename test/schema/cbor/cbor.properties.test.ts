import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeCbor } from '../../../runtime/schema/cbor/decode.ts';
import { encodeCbor } from '../../../runtime/schema/cbor/encode.ts';
import { CborError } from '../../../runtime/schema/cbor/error.ts';
import { compileType, decode } from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { untypedValue } from '../../../runtime/schema/untyped.ts';
import { arbitraryStruct, arbitraryText } from '../arbitrary-types.ts';
import { identity } from '../types.ts';

const properties = suite('CBOR, properties');

properties('JSON that became CBOR says the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium', noUnicodeString: false }), (value) => {
      const once = encodeCbor(value);
      const read = decodeCbor(once).value;
      assert.equal(JSON.parse(JSON.stringify(untypedValue(read))), JSON.parse(JSON.stringify(value)));
      assert.equal(encodeCbor(read), once, 'there is one form of each');
    }),
    { numRuns: 1_000 },
  );
});

properties('integers keep their digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
      const { value } = parseJson(String(integer));
      assert.is(JSON.stringify(decodeCbor(encodeCbor(value)).value), String(integer));
    }),
  );
});

properties('numbers are as short as they can be, and no shorter', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.float({ noNaN: true, noDefaultInfinity: true })),
      (number) => {
        fc.pre(!Number.isSafeInteger(number));
        const cbor = encodeCbor(number);
        assert.is(Number(JSON.stringify(decodeCbor(cbor).value)), number);
        if (Math.fround(number) === number) assert.ok(cbor.length <= 5);
      },
    ),
    { numRuns: 1_000 },
  );
});

const typeAndText = arbitraryStruct.chain((type) => fc.record({ type: fc.constant(type), text: arbitraryText(type) }));

properties('an object of any type comes back', () => {
  fc.assert(
    fc.property(typeAndText, ({ type, text }) => {
      const compiled = compileType(type, identity);
      const { object } = decode(compiled, parseJson(text).value, { defaults: false });
      const { value, unknownAt } = decodeCbor(encodeCbor(object, compiled), compiled);
      assert.is(unknownAt, undefined);
      const back = decode(compiled, value, { defaults: false }).object;
      assert.equal(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(object)));
    }),
    { numRuns: 400 },
  );
});

/** @returns whether it was read */
function isRead(bytes: Buffer, type?: Parameters<typeof decodeCbor>[1]): boolean {
  try {
    decodeCbor(bytes, type);
    return true;
  } catch (error) {
    assert.instance(error, CborError);
    return false;
  }
}

properties('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), typeAndText, (bytes, { type }) => {
      isRead(Buffer.from(bytes));
      isRead(Buffer.from(bytes), compileType(type, identity));
    }),
    { numRuns: 2_000 },
  );
});

properties('an object with bytes that changed is read or refused, and one that ends early is refused', () => {
  fc.assert(
    fc.property(typeAndText, fc.nat(), fc.nat(255), ({ type, text }, place, byte) => {
      const compiled = compileType(type, identity);
      const cbor = encodeCbor(decode(compiled, parseJson(text).value, { defaults: false }).object, compiled);
      assert.is(isRead(cbor.subarray(0, place % cbor.length), compiled), false);
      cbor[place % cbor.length] = byte;
      isRead(cbor, compiled);
      isRead(cbor);
    }),
    { numRuns: 1_000 },
  );
});

properties.run();
