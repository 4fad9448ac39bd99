/** The published documents are what their formats say, so that generators of clients can read them; all group versions together. */
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPI } from 'openapi-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOpenapi } from '../../runtime/openapi/openapi.ts';
import { readModel, viewOf } from './documents.ts';

const validity = suite('OpenAPI documents as generators read them');
const model = await readModel();
const folders = model.groupVersions.filter(({ resources }) => resources.length > 0).map(({ folder }) => folder);
const openapi = createOpenapi(viewOf(model, 'kubernetes', folders));

async function document(path: string): Promise<OpenAPI.Document> {
  const answer = await openapi.handle(path, new URLSearchParams(), {});
  assert.is(answer?.status, 200, path);
  return JSON.parse(answer?.body.toString() ?? '');
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

const paths = (await document('/openapi/v3')).paths ?? {};
for (const path of ['/openapi/v2', ...Object.keys(paths).map((each) => `/openapi/v3/${each}`)])
  validity(`${path} is valid`, async () => {
    const value = await document(path);
    await validate(value);
    assert.equal(dangling(value), []);
    const ids = operationIds(value);
    assert.is(new Set(ids).size, ids.length, 'every operation has a name of its own');
  });
validity.run();
