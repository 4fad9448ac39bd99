import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { decodeProtobuf, encodeProtobuf } from '../../runtime/schema/protobuf/codec.ts';
import { isRawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import { arbitraryStruct, arbitraryText } from './arbitrary-types.ts';
import { mixed } from './mixed-values.ts';
import { identity } from './types.ts';

const properties = suite('codec properties');

const typeAndText = arbitraryStruct.chain((type) => fc.record({ type: fc.constant(type), text: arbitraryText(type) }));

properties('decoding what was decoded changes nothing', () => {
  fc.assert(
    fc.property(typeAndText, fc.boolean(), ({ type, text }, defaults) => {
      const compiled = compileType(type, identity);
      const { object, unknownFields } = decode(compiled, parseJson(text).value, { defaults });
      const once = JSON.stringify(object);
      assert.equal(unknownFields, []);
      assert.is(JSON.stringify(decode(compiled, parseJson(once).value, { defaults }).object), once);
    }),
    { numRuns: 400 },
  );
});

properties('an object is the same whether it is made of its input or not, and holds nothing of others', () => {
  fc.assert(
    fc.property(typeAndText, fc.boolean(), ({ type, text }, defaults) => {
      const compiled = compileType(type, identity);
      const want = JSON.stringify(decode(compiled, parseJson(text).value, { defaults }).object);
      const made = () => {
        const { value } = parseJson(text);
        const before = JSON.stringify(value);
        const { object } = decode(compiled, value, { defaults, reuses: true });
        assert.is(JSON.stringify(object), want);
        assert.is(JSON.stringify(value), before);
        return new Set(containersIn(object));
      };
      const [one, other] = [made(), made()];
      for (const container of one) assert.ok(!other.has(container) && Object.isExtensible(container));
    }),
    { numRuns: 400 },
  );
});

/** Objects and lists. */
function containersIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return [];
  return [value, ...Object.values(value).flatMap(containersIn)];
}

properties('what an input has of a known object is read as if it were not known, and nothing of the known object changes', () => {
  const typeAndTexts = arbitraryStruct.chain((type) =>
    fc.record({ type: fc.constant(type), text: arbitraryText(type), other: arbitraryText(type), choices: fc.infiniteStream(fc.boolean()) }),
  );
  fc.assert(
    fc.property(typeAndTexts, fc.boolean(), ({ type, text, other, choices }, defaults) => {
      const compiled = compileType(type, identity);
      const known = decode(compiled, parseJson(text).value, { defaults }).object;
      const before = JSON.stringify(known);
      const input = mixed(known, parseJson(other).value, () => choices.next().value === true) as JsonObject;
      const { object } = decode(compiled, input, { defaults, known });
      assert.is(JSON.stringify(object), JSON.stringify(decode(compiled, input, { defaults }).object));
      for (const struct of changeable(object)) for (const name of Object.keys(struct)) delete struct[name];
      assert.is(JSON.stringify(known), before);
    }),
    { numRuns: 400 },
  );
});

/** All that is to be the object's own: what is in its members, and in lists there. */
function changeable(object: JsonObject): JsonObject[] {
  const structs = Object.values(object).flat().filter(isStruct);
  const inLists = structs.flatMap((struct) =>
    Object.values(struct).flatMap((value) => (Array.isArray(value) ? value.filter(isStruct) : [])),
  );
  return [...inLists, ...structs, object];
}

const isStruct = (value: unknown): value is JsonObject => isObject(value) && !isRawNumber(value);

properties('protobuf holds all that JSON does', () => {
  fc.assert(
    fc.property(typeAndText, ({ type, text }) => {
      const compiled = compileType(type, identity);
      const { object } = decode(compiled, parseJson(text).value, { defaults: false });
      const bytes = encodeProtobuf(compiled, object);
      const read = decodeProtobuf(compiled, bytes);
      assert.is(JSON.stringify(read), JSON.stringify(object));
      assert.is(encodeProtobuf(compiled, read).toString('hex'), bytes.toString('hex'));
    }),
    { numRuns: 400 },
  );
});

properties('the order of members in the text does not matter', () => {
  fc.assert(
    fc.property(typeAndText, ({ type, text }) => {
      const compiled = compileType(type, identity);
      const { value } = parseJson(text);
      const reversed = Object.fromEntries(Object.entries(value as object).reverse());
      const texts = [value, reversed].map((input) => JSON.stringify(decode(compiled, input, { defaults: true }).object));
      assert.is(texts[0], texts[1]);
    }),
  );
});

properties.run();
