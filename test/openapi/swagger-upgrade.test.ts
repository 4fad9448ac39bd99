/** What becomes of Swagger 2.0 in OpenAPI 3.0. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SwaggerDocument } from '../../runtime/openapi/remote-swagger.ts';
import { upgradedSwagger } from '../../runtime/openapi/swagger-upgrade.ts';

const test = suite('Swagger documents in version 3');

const given = {
  info: { title: 'Lamps', version: '1' },
  paths: {
    '/lamps/{name}': {
      parameters: [{ $ref: '#/parameters/name' }],
      put: {
        operationId: 'replaceLamp',
        consumes: ['application/json', 'application/yaml'],
        produces: ['application/json'],
        schemes: ['https'],
        parameters: [
          { name: 'body', in: 'body', required: true, description: 'the lamp', schema: { $ref: '#/definitions/Lamp' } },
          { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true, description: 'whether' },
        ],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Lamp' } }, 401: { description: 'Unauthorized' } },
      },
      'x-own': true,
    },
  },
  definitions: {
    Lamp: {
      type: 'object',
      properties: {
        spec: { $ref: '#/definitions/Spec', description: 'what it shall be' },
        others: { type: 'array', items: { $ref: '#/definitions/Lamp' } },
      },
    },
    Spec: { type: 'object' },
  },
  parameters: { name: { name: 'name', in: 'path', required: true, type: 'string' } },
} as unknown as SwaggerDocument;

test('bodies, answers, parameters and references stand where version 3 has them', () => {
  const lamp = { $ref: '#/components/schemas/Lamp' };
  assert.equal(upgradedSwagger(given), {
    openapi: '3.0.0',
    info: { title: 'Lamps', version: '1' },
    paths: {
      '/lamps/{name}': {
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
        put: {
          operationId: 'replaceLamp',
          parameters: [{ name: 'dryRun', in: 'query', description: 'whether', schema: { type: 'string', uniqueItems: true } }],
          requestBody: {
            description: 'the lamp',
            content: { 'application/json': { schema: lamp }, 'application/yaml': { schema: lamp } },
            required: true,
          },
          responses: {
            200: { description: 'OK', content: { 'application/json': { schema: lamp } } },
            401: { description: 'Unauthorized' },
          },
        },
        'x-own': true,
      },
    },
    components: {
      schemas: {
        Lamp: {
          type: 'object',
          properties: {
            spec: { description: 'what it shall be', allOf: [{ $ref: '#/components/schemas/Spec' }] },
            others: { type: 'array', items: lamp },
          },
        },
        Spec: { type: 'object' },
      },
    },
  });
});

test('what says no media types is of any', () => {
  const paths = { '/x': { post: { parameters: [{ in: 'body', name: 'body', schema: {} }], responses: { 200: { schema: {} } } } } };
  const { paths: upgraded } = upgradedSwagger({ ...given, paths } as unknown as SwaggerDocument) as { paths: Record<string, unknown> };
  const content = { '*/*': { schema: {} } };
  assert.equal(upgraded['/x'], { post: { requestBody: { content }, responses: { 200: { content } } } });
});

test.run();
