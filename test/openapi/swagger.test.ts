import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenapiDocument, Operation, Schema } from '../../runtime/openapi/document.ts';
import { openapiV3 } from '../../runtime/openapi/gnostic/openapi-v3.ts';
import { joinedDocument } from '../../runtime/openapi/joined-document.ts';
import { MergedSwagger } from '../../runtime/openapi/merged-swagger.ts';
import { ServedDocument } from '../../runtime/openapi/served-document.ts';
import { convertSchema } from '../../runtime/openapi/swagger.ts';

const test = suite('Swagger 2.0');
const V3 = '#/components/schemas/';
const V2 = '#/definitions/';

const schemas: { name: string; v3: Schema; v2: object }[] = [
  { name: 'a reference', v3: { $ref: `${V3}A` }, v2: { $ref: `${V2}A` } },
  {
    name: 'a wrapped reference stands beside its siblings',
    v3: { allOf: [{ $ref: `${V3}A` }], default: {}, description: 'd', 'x-kubernetes-patch-strategy': 'retainKeys' },
    v2: { description: 'd', 'x-kubernetes-patch-strategy': 'retainKeys', $ref: `${V2}A` },
  },
  { name: 'no default', v3: { type: 'string', default: 'TCP', enum: ['TCP', 'UDP'] }, v2: { type: 'string', enum: ['TCP', 'UDP'] } },
  {
    name: 'no default of elements and values',
    v3: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', default: '' } } },
    v2: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  },
  {
    name: 'a number or text is text',
    v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    v2: { format: 'int-or-string', type: 'string' },
  },
  { name: 'a choice of structures has no form', v3: { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, v2: {} },
  {
    name: 'of a list that may be null, and of an object with members of any name, nothing is said inside',
    v3: {
      type: 'object',
      required: ['list', 'any', 'plain'],
      properties: {
        list: { type: 'array', nullable: true, items: { type: 'string' } },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        plain: { type: 'string' },
        elements: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
      },
    },
    v2: {
      type: 'object',
      required: ['any', 'plain'],
      properties: {
        list: {},
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        plain: { type: 'string' },
        elements: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
  {
    name: 'of a kind with members of any name nothing is said but its name',
    v3: {
      type: 'object',
      description: 'd',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
      'x-kubernetes-group-version-kind': [{ group: 'a.example', kind: 'A', version: 'v1' }],
    },
    v2: { type: 'object', 'x-kubernetes-group-version-kind': [{ group: 'a.example', kind: 'A', version: 'v1' }] },
  },
  { name: 'what may be null has no type', v3: { type: 'string', nullable: true, description: 'd' }, v2: { description: 'd' } },
  {
    name: 'a property may be called as a keyword is',
    v3: { type: 'object', properties: { default: { type: 'string', default: '' }, allOf: { type: 'array', items: { $ref: `${V3}A` } } } },
    v2: { type: 'object', properties: { default: { type: 'string' }, allOf: { type: 'array', items: { $ref: `${V2}A` } } } },
  },
  { name: 'any value', v3: { type: 'object', additionalProperties: true }, v2: { type: 'object', additionalProperties: true } },
];

for (const { name, v3, v2 } of schemas) test(name, () => assert.equal(convertSchema(v3), v2));

const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constant({ $ref: `${V3}A` }),
    fc.constant({ type: 'string', default: '' }),
    fc.record(
      { allOf: fc.constant([{ $ref: `${V3}A` }]), default: fc.constant({}), description: fc.string() },
      { requiredKeys: ['allOf'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.stringMatching(/^[b-z]{1,5}$/), tie('schema')) }),
  ),
}));

test('nothing of 3.0 is left, and converting again changes nothing', () => {
  fc.assert(
    fc.property(schema, (v3) => {
      const v2 = convertSchema(v3);
      assert.not.match(JSON.stringify(v2), /"default":|"allOf":|#\/components/);
      assert.equal(convertSchema(v2), v2);
    }),
  );
});

const parameter = { name: 'pretty', in: 'query', schema: { type: 'string', uniqueItems: true } } as const;
const document: OpenapiDocument = {
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: 'v1' },
  paths: {
    '/a': {
      post: {
        description: 'd',
        operationId: 'createA',
        tags: ['a'],
        parameters: [parameter],
        requestBody: { content: { '*/*': { schema: { $ref: `${V3}A` } } }, required: true },
        responses: {
          200: {
            description: 'OK',
            content: { 'application/yaml': { schema: { $ref: `${V3}A` } }, 'application/json': { schema: { $ref: `${V3}A` } } },
          },
          401: { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'post',
      },
    },
    '/b': { get: { description: 'd', operationId: 'b', tags: [], responses: {} }, parameters: [parameter] },
  },
  components: { schemas: { A: { type: 'object' } }, securitySchemes: { Token: { type: 'apiKey' } } },
};

async function build(documents: readonly OpenapiDocument[], form = {}) {
  const served = documents.map((each) => new ServedDocument({ json: async () => Buffer.from(JSON.stringify(each)), table: openapiV3 }));
  const pieces = await new MergedSwagger(async () => served, undefined, undefined, form).json();
  return JSON.parse(Buffer.concat(pieces.pieces).toString());
}

test('operations: a body is a parameter, media types are lists, parameters stand once', async () => {
  const swagger = await build([document]);
  const [name = ''] = Object.keys(swagger.parameters);
  assert.match(name, /^pretty-[\w-]{8}$/);
  assert.equal(swagger.parameters, { [name]: { name: 'pretty', in: 'query', type: 'string', uniqueItems: true } });
  assert.equal(swagger.paths['/a'], {
    post: {
      description: 'd',
      operationId: 'createA',
      tags: ['a'],
      consumes: ['*/*'],
      produces: ['application/json', 'application/yaml'],
      schemes: ['https'],
      parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: `${V2}A` } }, { $ref: `#/parameters/${name}` }],
      responses: { 200: { description: 'OK', schema: { $ref: `${V2}A` } }, 401: { description: 'Unauthorized' } },
      'x-kubernetes-action': 'post',
    },
  });
  assert.equal((swagger.paths['/b'] as { parameters: unknown }).parameters, [{ $ref: `#/parameters/${name}` }]);
  assert.equal(swagger.security, [{ Token: [] }]);
});

test('parameters that are not shared stand at each operation and path', async () => {
  const { paths, ...swagger } = await build([document], { sharesParameters: false });
  const inPlace = { name: 'pretty', in: 'query', type: 'string', uniqueItems: true };
  assert.not('parameters' in swagger);
  assert.equal(paths['/a'].post.parameters, [{ name: 'body', in: 'body', required: true, schema: { $ref: `${V2}A` } }, inPlace]);
  assert.equal(paths['/b'].parameters, [inPlace]);
});

test('operations say themselves what tells of their kind, and what clients look for there', async () => {
  const text = (name: string, place: 'query' | 'path' = 'query') => ({ name, in: place, schema: { type: 'string' } }) as const;
  const patch = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
  const of = { schema: { $ref: `${V3}${patch}` } };
  const operation = {
    ...(document.paths['/a']?.post as Operation),
    parameters: [text('continue'), text('dryRun'), text('fieldManager'), text('fieldValidation')],
    requestBody: { content: Object.fromEntries(['apply-patch+yaml', 'json-patch+json'].map((type) => [`application/${type}`, of])) },
  };
  const paths = { '/a/{name}': { patch: operation, parameters: [text('name', 'path'), text('namespace', 'path')] } };
  const swagger = await build([{ ...document, paths }]);
  const names = (of: readonly { name?: string; $ref?: string }[]) => of.map(({ name, $ref }) => name ?? $ref?.replace(/-.{8}$/, ''));
  const shared = (name: string) => `#/parameters/${name}`;
  const item = swagger.paths['/a/{name}'];
  assert.equal(names(item.patch.parameters), [shared('body'), shared('continue'), 'dryRun', shared('fieldManager'), 'fieldValidation']);
  assert.equal(names(item.parameters), ['name', shared('namespace')]);
  assert.equal(item.patch.consumes, ['application/json-patch+json', 'application/apply-patch+yaml']);
  const [body] = Object.entries(swagger.parameters).filter(([name]) => name.startsWith('body-'));
  assert.equal(body?.[1], { name: 'body', in: 'body', schema: { $ref: `${V2}${patch}` } });
});

test('many small parts give turns to others', async () => {
  const small = async (index: number) => {
    for (const end = performance.now() + 0.2; performance.now() < end; );
    return { info: document.info, paths: { [`/${index}`]: {} }, schemas: {} };
  };
  const sources = Array.from({ length: 500 }, (_, index) => ({ hash: `${index}`, load: () => small(index) }));
  const served = joinedDocument(sources);
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  try {
    const pieces = await new MergedSwagger(async () => [served]).json();
    assert.is(Object.keys(JSON.parse(Buffer.concat(pieces.pieces).toString()).paths).length, 500);
  } finally {
    isCounting = false;
  }
  // a tenth of a second of work, of which a turn has a few milliseconds
  assert.ok(turns > 5, `${turns} turns`);
});

test('what several documents have stands once', async () => {
  assert.equal(await build([document, document]), await build([document]));
});

test.run();
