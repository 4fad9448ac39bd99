/** What the condition of definitions that keep unknown fields says of their schemas. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { needsSchemas, withStructure } from '../../../runtime/controllers/definitions/structure-condition.ts';

const test = suite('the structure of definitions');
const ESTABLISHED = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' };

function definition(schema: object | undefined, keeps = true): ApiObject {
  const version = { name: 'v1', served: true, storage: true, ...(schema && { schema: { openAPIV3Schema: schema } }) };
  const spec = { group: 'example.com', preserveUnknownFields: keeps, versions: [version] };
  return { apiVersion: 'v1', kind: 'CustomResourceDefinition', metadata: { name: 'a' }, spec, status: { conditions: [ESTABLISHED] } };
}

const LOOSE = 'spec.preserveUnknownFields: Invalid value: true: must be false';
const UNTYPED = 'spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields';
const rows: readonly [name: string, schema: object | undefined, status: string, reason: string, message: string][] = [
  ['nothing else', { type: 'object' }, 'True', 'Violations', LOOSE],
  ['no schema', undefined, 'True', 'Violations', LOOSE],
  ['a member without a type', { type: 'object', properties: { a: {} } }, 'True', 'Violations', `[${LOOSE}, ${UNTYPED}]`],
  [
    'a schema elsewhere',
    { type: 'object', properties: { a: { $ref: '#/x' } } },
    'Unknown',
    'StructuralError',
    "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
  ],
];
for (const [name, schema, status, reason, message] of rows)
  test(`what keeps one that keeps unknown fields from being structural is told: ${name}`, async () => {
    const told = await withStructure(definition(schema), 0);
    const [, { lastTransitionTime, ...condition }] = told.status.conditions;
    assert.equal(condition, { type: 'NonStructuralSchema', status, reason, message });
    assert.is(lastTransitionTime, '1970-01-01T00:00:00Z');
    assert.is(await withStructure(told, 1), told);
  });
test('it is told no longer when it is gone', async () => {
  const told = await withStructure(definition({ type: 'object' }), 0);
  const mended = { ...told, spec: definition({ type: 'object' }, false).spec };
  assert.ok(needsSchemas(mended));
  assert.equal((await withStructure(mended, 1)).status.conditions, [ESTABLISHED]);
});
test('nothing is told of others', async () => {
  const strict = definition({ type: 'object' }, false);
  assert.not(needsSchemas(strict));
  assert.is(await withStructure(strict, 0), strict);
});
test.run();
