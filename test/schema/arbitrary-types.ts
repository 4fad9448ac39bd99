/** Random types, and random JSON that fits them. */
import fc from 'fast-check';
import * as d from '../../runtime/contract/descriptor.ts';

const scalarTypes = [
  d.string,
  d.boolean,
  d.int32,
  d.int64,
  d.double,
  d.bytes,
  d.time,
  d.microTime,
  d.duration,
  d.quantity,
  d.intOrString,
  d.rawExtension,
  d.fieldsV1,
];

/** `element`: what lists and maps may hold in protobuf; `use`: what fields may be. */
const { structType } = fc.letrec<{ element: d.Type; use: d.Type; structType: d.StructType }>((tie) => ({
  element: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.constantFrom<d.Type>(...scalarTypes), tie('structType')),
  use: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<d.Type>(...scalarTypes),
    tie('structType'),
    tie('element').map(d.list),
    tie('element').map(d.map),
    fc.constant(d.map(d.list(d.string))),
  ),
  structType: fc
    .array(
      fc.record({
        type: tie('use'),
        pointer: fc.boolean(),
        always: fc.boolean(),
        inline: fc.boolean(),
        number: fc.integer({ min: 1, max: 40 }),
      }),
      {
        maxLength: 6,
      },
    )
    .map((fields) => makeStruct(fields)),
}));

export const arbitraryStruct: fc.Arbitrary<d.StructType> = structType;

let structs = 0;

function makeStruct(drawn: readonly { type: d.Type; pointer: boolean; always: boolean; inline: boolean; number: number }[]): d.StructType {
  const id = structs++;
  const numbers = new Set<number>();
  const fields = drawn.flatMap(({ type, pointer, always, inline, number }, index): d.Field[] => {
    if (numbers.has(number)) return [];
    numbers.add(number);
    const name = `f${id}x${index}`;
    if (type.kind === 'struct' && inline) return [{ name, type, number, go: { inline: true } }];
    const container = type.kind === 'list' || type.kind === 'map';
    return [{ name, type, number, go: { ...(pointer && !container && { pointer }), ...(always && { always }) } }];
  });
  return d.struct(`random.v1.S${id}`, () => fields);
}

/** A JSON text that decodes to the type. */
export function arbitraryText(type: d.Type): fc.Arbitrary<string> {
  switch (type.kind) {
    case 'scalar':
      return fc.oneof({ weight: 9, arbitrary: scalarText(type.scalar) }, { weight: 1, arbitrary: fc.constant('null') });
    case 'list':
      return fc.array(arbitraryText(type.element), { maxLength: 3 }).map((elements) => `[${elements.join(',')}]`);
    case 'map':
      return fc
        .uniqueArray(fc.tuple(fc.string({ maxLength: 3, unit: 'grapheme' }), arbitraryText(type.value)), {
          maxLength: 3,
          selector: ([key]) => key,
        })
        .map((entries) => objectText(entries));
    case 'any':
      return scalarText('json');
    case 'struct':
      return membersText(type).map((entries) => objectText(entries));
  }
}

function membersText(type: d.StructType): fc.Arbitrary<[string, string][]> {
  const members = type.fields.map((field) =>
    field.go?.inline && field.type.kind === 'struct'
      ? membersText(field.type)
      : fc.option(arbitraryText(field.type)).map((text): [string, string][] => (text === null ? [] : [[field.name, text]])),
  );
  return fc.tuple(...members).chain((entries) => fc.shuffledSubarray(entries.flat()));
}

function objectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

function scalarText(scalar: d.ScalarName): fc.Arbitrary<string> {
  switch (scalar) {
    case 'string':
      return fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text));
    case 'boolean':
      return fc.boolean().map(String);
    case 'int32':
      return fc.integer().map(String);
    case 'int64':
      return fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })).map(String);
    case 'double':
      return fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
        fc.constantFrom('1.0', '2e3', '-0'),
      );
    case 'bytes':
      return fc.uint8Array({ maxLength: 8 }).map((bytes) => `"${Buffer.from(bytes).toString('base64')}"`);
    case 'time':
      return instant.map((milliseconds) => `"${new Date(milliseconds).toISOString()}"`);
    case 'microTime':
      return instant.map((milliseconds) => `"${new Date(milliseconds).toISOString().slice(0, -1)}012+00:30"`);
    case 'duration':
      return fc.tuple(fc.integer(), fc.constantFrom('ns', 'us', 'ms', 's')).map(([value, unit]) => `"${value}${unit}"`);
    case 'quantity':
      return fc
        .tuple(fc.integer(), fc.constantFrom('', '.5', '.0625'), fc.constantFrom('', 'm', 'u', 'k', 'Ki', 'Mi', 'e3', 'E-2'))
        .map((parts) => `"${parts.join('')}"`);
    case 'intOrString':
      return fc.oneof(
        fc.integer().map(String),
        fc.string().map((text) => JSON.stringify(text)),
      );
    // Not made at random: `arbitraryType` has no struct for them.
    case 'structOrBoolean':
    case 'structOrList':
    case 'structOrNames':
      return fc.constant('null');
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value));
  }
}

const instant = fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9998, 0) });
