import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { elementsOf, memberOf, membersOf, type Omitted, textWithout } from '../../../runtime/schema/json/json-members.ts';

const test = suite('members of JSON bytes');

const NAMES = ['a', 'b', '*', 'ä', '__proto__', 'x"y'];
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, true, -1.5e30, 7, '', 'a,]}"\\', 'ö\n'), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 4 }),
})).any;
const omitted: fc.Arbitrary<Omitted> = fc.letrec<{ part: Omitted }>((tie) => ({
  part: fc.dictionary(fc.constantFrom('a', 'b', '*'), fc.oneof({ depthSize: 'small' }, fc.constant(true as const), tie('part')), {
    maxKeys: 3,
  }),
})).part;

function without(of: unknown, { ...names }: Omitted): unknown {
  if (Array.isArray(of)) {
    const within = names['*'];
    return typeof within === 'object' ? of.map((each) => without(each, within)) : of;
  }
  if (typeof of !== 'object' || of === null) return of;
  const kept = Object.entries(of).filter(([name]) => names[name] !== true || !Object.hasOwn(names, name));
  return Object.fromEntries(
    kept.map(([name, each]) => {
      const within = Object.hasOwn(names, name) ? names[name] : undefined;
      return [name, typeof within === 'object' ? without(each, within) : each];
    }),
  );
}

test('what is left out is all that is missing, however the text is laid out', () =>
  fc.assert(
    fc.property(value, omitted, fc.constantFrom(undefined, 1, '\t'), (of, names, space) => {
      const json = Buffer.from(JSON.stringify(of, undefined, space));
      assert.equal(JSON.parse(textWithout(json, names)), without(JSON.parse(json.toString()), names));
    }),
  ));

test('members are told of with what stands around them', () => {
  const json = Buffer.from('{"a":{"b":1,"c":{"d":[2]}},"e":3}');
  const told = new Map<string, string>();
  textWithout(json, { a: { b: true } }, (within, { name, nameStart, start, end }) => {
    assert.is(json.toString('utf8', nameStart, start), `"${name}":`);
    told.set(within + name, json.toString('utf8', start, end));
  });
  const wanted = { 'a.b': '1', 'a.c': '{"d":[2]}', a: '{"b":1,"c":{"d":[2]}}', e: '3' };
  assert.equal(Object.fromEntries(told), wanted);
});

test('members and elements lie where they say', () =>
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (of, space) => {
      const json = Buffer.from(JSON.stringify(of, undefined, space));
      const read = ({ start, end }: { start: number; end: number }) => JSON.parse(json.toString('utf8', start, end));
      if (Array.isArray(of)) assert.equal(Array.from(elementsOf(json), read), JSON.parse(json.toString()));
      else assert.equal([...elementsOf(json)], []);
      const members = Array.from(membersOf(json), (member) => [
        read({ start: member.nameStart, end: member.nameStart + 1 + Buffer.byteLength(member.name, 'latin1') + 1 }),
        read(member),
      ]);
      const isObject = typeof of === 'object' && of !== null && !Array.isArray(of);
      assert.equal(members, isObject ? Object.entries(JSON.parse(json.toString())) : []);
    }),
  ));

test('of members with one name the first is found', () => {
  const json = Buffer.from('{"x":{"name":1},"name": [2] ,"name":3}');
  const found = memberOf(json, 'name');
  assert.is(json.toString('utf8', found?.start, found?.end), '[2]');
  assert.is(memberOf(json, 'none'), undefined);
});

test('text that is cut off comes to an end', () => {
  const json = Buffer.from(JSON.stringify({ a: [{ b: 'text\\"' }, 1, null], c: {} }));
  for (let length = 0; length < json.length; length++) textWithout(json.subarray(0, length), { a: { '*': { b: true } } });
});

test('long texts end where they end, whatever is escaped in them', () => {
  const part = fc.constantFrom('\\', '"', '\\"', 'x', 'y'.repeat(100), '}', '\n');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const json = Buffer.from(JSON.stringify({ [text]: 1, b: text, c: [text] }));
      const found = [...membersOf(json)].map(({ start, end }) => JSON.parse(json.toString('utf8', start, end)));
      assert.equal(found, [1, text, [text]]);
    }),
    { numRuns: 2_000 },
  );
});

test.run();
