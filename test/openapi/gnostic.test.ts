import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeDocument } from '../../runtime/openapi/gnostic/encode.ts';
import { openapiV2 } from '../../runtime/openapi/gnostic/openapi-v2.ts';
import { openapiV3 } from '../../runtime/openapi/gnostic/openapi-v3.ts';
import { ReverseWriter } from '../../runtime/openapi/gnostic/writer.ts';
import { gnosticReader } from './gnostic-reader.ts';

const test = suite('binary documents');
const readV2 = gnosticReader('v2');
const readV3 = gnosticReader('v3');

const schemaV2 = (schema: object) => ({ swagger: '2.0', definitions: { A: schema } });
const schemaV3 = (schema: object) => ({ openapi: '3.0.0', components: { schemas: { A: schema } } });

const rows: { name: string; version: 'v2' | 'v3'; document: object }[] = [
  { name: 'v2: head', version: 'v2', document: { swagger: '2.0', info: { title: 'T', version: 'v1' } } },
  {
    name: 'v2: security',
    version: 'v2',
    document: {
      securityDefinitions: { Token: { type: 'apiKey', name: 'authorization', in: 'header', description: 'd' } },
      security: [{ Token: [] }],
    },
  },
  {
    name: 'v2: a reference with siblings',
    version: 'v2',
    document: schemaV2({ $ref: '#/definitions/B', description: 'd', 'x-a': 'merge' }),
  },
  {
    name: 'v2: extensions are any value',
    version: 'v2',
    document: schemaV2({ type: 'object', 'x-a': [{ group: '', kind: 'K', version: 'v1' }], 'x-b': 'merge,retainKeys', 'x-c': true }),
  },
  {
    name: 'v2: members of every form',
    version: 'v2',
    document: schemaV2({
      type: 'object',
      required: ['a', 'b'],
      properties: {
        a: { type: 'array', items: { type: 'string', enum: ['', 'A'] } },
        b: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
        c: { type: 'object', additionalProperties: true },
        d: { type: 'number', minimum: 0.5, maximum: 1e300, multipleOf: 0.25 },
        e: { type: 'string', minLength: 1, maxLength: 2_147_483_648, pattern: '^[\u00e9]+$' },
        $ref: { type: 'string' },
      },
    }),
  },
  {
    name: 'v2: operations and parameters',
    version: 'v2',
    document: {
      paths: {
        '/a/{b}': {
          get: {
            tags: ['t'],
            operationId: 'getA',
            produces: ['application/json'],
            consumes: ['*/*'],
            schemes: ['https'],
            parameters: [{ $ref: '#/parameters/p' }, { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } }],
            responses: { 200: { description: 'OK', schema: { type: 'string' } }, 401: { description: 'Unauthorized' } },
            'x-kubernetes-action': 'get',
          },
          parameters: [{ name: 'b', in: 'path', required: true, type: 'string', uniqueItems: true }],
        },
      },
      parameters: { p: { name: 'p', in: 'query', type: 'boolean', description: 'd', uniqueItems: true } },
    },
  },
  {
    name: 'v3: a choice of types',
    version: 'v3',
    document: schemaV3({ format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }),
  },
  {
    name: 'v3: defaults, zero values among them',
    version: 'v3',
    document: schemaV3({
      properties: {
        text: { type: 'string', default: 'TCP' },
        empty: { type: 'string', default: '' },
        no: { type: 'boolean', default: false },
        zero: { type: 'integer', format: 'int32', default: 0 },
        struct: { allOf: [{ $ref: '#/components/schemas/B' }], default: {}, description: 'd' },
      },
    }),
  },
  {
    name: 'v3: operations',
    version: 'v3',
    document: {
      paths: {
        '/a': {
          patch: {
            operationId: 'patchA',
            parameters: [{ name: 'p', in: 'query', schema: { type: 'string', uniqueItems: true } }],
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } }, required: true },
            responses: { 200: { description: 'OK', content: { '*/*': { schema: { type: 'string' } } } } },
            'x-kubernetes-group-version-kind': { group: 'apps', kind: 'A', version: 'v1' },
          },
        },
      },
    },
  },
];

for (const { name, version, document } of rows)
  test(name, async () => {
    const [table, read] = version === 'v2' ? [openapiV2, readV2] : [openapiV3, readV3];
    assert.equal(read(await encodeDocument(table, 'Document', document)), document);
  });

test('v2 begins with the version, which is field 1', async () => {
  const bytes = await encodeDocument(openapiV2, 'Document', { info: { title: 'T' }, swagger: '2.0' });
  assert.is(bytes.subarray(0, 5).toString('latin1'), '\n\x032.0');
});

test('what no message has is left out', async () => {
  const bytes = await encodeDocument(openapiV3, 'Document', { openapi: '3.0.0', nonsense: { a: 1 }, 'x-a': 1 });
  assert.equal(readV3(bytes), { openapi: '3.0.0', 'x-a': 1 });
});

test('integers and texts of all sizes', () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.string({ unit: 'binary' }), fc.nat(2_000), (integer, text, padding) => {
      const writer = new ReverseWriter(8);
      writer.text(3, 'x'.repeat(padding));
      writer.text(2, text);
      writer.integer(1, integer);
      const bytes = writer.finish();
      assert.is(bytes.length, writer.length);
      let [value, position] = varint(bytes, 1);
      assert.is(bytes[0], 1 << 3);
      assert.is(value, integer);
      for (const [field, wanted] of [
        [2, text],
        [3, 'x'.repeat(padding)],
      ] as const) {
        assert.is(bytes[position], (field << 3) | 2);
        const [size, start] = varint(bytes, position + 1);
        assert.is(bytes.subarray(start, start + size).toString(), Buffer.from(wanted).toString());
        [value, position] = [size, start + size];
      }
      assert.is(position, bytes.length);
    }),
  );
});

function varint(bytes: Buffer, position: number): [value: number, next: number] {
  let [value, factor, next] = [0, 1, position];
  for (;;) {
    const byte = bytes[next++] as number;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, next];
    factor *= 128;
  }
}

test.run();
