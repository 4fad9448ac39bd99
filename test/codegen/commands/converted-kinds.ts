/** Conversions of what a test writes, with the kinds that there are. */
import path from 'node:path';
import * as assert from 'uvu/assert';
import { type ConvertedObject, convertObject } from '../../../codegen/convert/convert-object.ts';
import { KnownKinds, loadGeneratedKinds } from '../../../codegen/convert/known-kinds.ts';
import type { Json } from './removed-kind.ts';

export const generated = await loadGeneratedKinds(path.join(import.meta.dirname, '../../..'));
export const kinds = new KnownKinds(generated, 'kubernetes');

/** @param apiVersion where it goes; absent: what 1.32 serves in its place */
export async function convert(written: Json, apiVersion?: string, withDefaults = false): Promise<ConvertedObject> {
  const from = await kinds.find(written.apiVersion, written.kind);
  assert.ok(from !== undefined, `${written.apiVersion} ${written.kind} is known`);
  const to = apiVersion === undefined ? await kinds.servedForm(from, '1.32') : await kinds.find(apiVersion, written.kind);
  assert.ok(to !== undefined, `${written.kind} has a place to go`);
  return convertObject(kinds, written, { from, to, withDefaults });
}
