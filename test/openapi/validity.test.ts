/** The published documents are what their formats say, so that generators of clients can read them; all group versions together. */
import type { OpenAPI } from 'openapi-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOpenapi } from '../../runtime/openapi/openapi.ts';
import { bytesOf } from './answer-bytes.ts';
import { readModel, viewOf } from './documents.ts';
import { assertValid } from './valid-document.ts';

const validity = suite('OpenAPI documents as generators read them');
const model = await readModel();
const folders = model.groupVersions.filter(({ resources }) => resources.length > 0).map(({ folder }) => folder);
const openapi = createOpenapi(viewOf(model, 'kubernetes', folders));

async function document(path: string): Promise<OpenAPI.Document> {
  const answer = await openapi.handle(path, new URLSearchParams(), {});
  if (typeof answer !== 'object') throw new Error(`no document ${path}`);
  assert.is(answer.status, 200, path);
  return JSON.parse(bytesOf(answer).toString());
}

const paths = (await document('/openapi/v3')).paths ?? {};
for (const path of ['/openapi/v2', ...Object.keys(paths).map((each) => `/openapi/v3/${each}`)])
  validity(`${path} is valid`, async () => {
    await assertValid(await document(path));
  });
validity.run();
