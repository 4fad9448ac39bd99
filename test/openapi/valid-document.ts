/** What documents of the API must be, so that generators of clients can read them. */
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPI } from 'openapi-types';
import * as assert from 'uvu/assert';

/** @throws AssertionError, or an error of the parser, for a document that generators cannot read */
export async function assertValid(value: OpenAPI.Document): Promise<void> {
  await validate(value);
  assert.equal(dangling(value), []);
  const ids = operationIds(value);
  assert.is(new Set(ids).size, ids.length, 'every operation has a name of its own');
}

/** References to parameters are followed, those to schemas stay in place: schemas refer to each other in circles. */
function validate(value: OpenAPI.Document): Promise<unknown> {
  return new SwaggerParser().validate(structuredClone(value), {
    resolve: { external: false },
    dereference: { excludedPathMatcher: (path: string) => /\/schema$|^#\/(definitions|components)/.test(path) },
  });
}

/** Of a reference without a target. */
function dangling(value: OpenAPI.Document): string[] {
  const text = JSON.stringify(value);
  return [...new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string))].filter(
    (path) => path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value) === undefined,
  );
}

function operationIds(value: OpenAPI.Document): string[] {
  return [...JSON.stringify(value.paths).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id as string);
}
