/**
 * What release 1.32 does to custom resources on their way in: pruning, defaults, null, metadata. Rows of `crd-schema.json` in the folder that
 * TABLES_DIR names, by default beside the checkout.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DecodeOptions, decode, type StructuralSchema } from '../../../runtime/schema/codec/codec.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { isObject } from '../../../runtime/schema/json/member.ts';
import { untypedValue } from '../../../runtime/schema/untyped.ts';
import { kindOf } from './types.ts';

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: StructuralSchema | null;
  readonly object: unknown;
  readonly expected?: unknown;
  readonly error?: string | null;
  readonly prunedPaths?: readonly string[];
  readonly unknownFields?: readonly string[];
  readonly isResourceRoot?: boolean;
  readonly includeRoot?: boolean;
  readonly returnUnknownFieldPaths?: boolean;
  readonly dropInvalidFields?: boolean;
  readonly dropMalformedFields?: boolean;
}

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'crd-schema.json');
const rows: readonly Row[] = existsSync(file) ? (untypedValue(parseJson(readFileSync(file, 'utf8')).value) as { rows: Row[] }).rows : [];

/** Decodes a value that stands where any may, as a member of an object that keeps what no schema describes. */
function decodeMember({ schema }: Row, value: unknown, options: DecodeOptions): { readonly value: unknown; readonly unknown: string[] } {
  const type: StructuralSchema = schema === null ? { type: 'object', additionalProperties: true } : { properties: { value: schema } };
  const { object, unknownFields } = decode(kindOf({ type: 'object', properties: { row: type } }), { row: { value } }, options);
  const unknown = unknownFields.map((each) => each.replace(/^row\.value\.?/, ''));
  return { value: (object.row as { value?: unknown }).value, unknown };
}

/** Rows about pruning leave metadata alone, which here are always read. */
function withoutUnknownMetadata(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnknownMetadata);
  if (!isObject(value)) return value;
  const { metadata, ...others } = value;
  const copy = Object.fromEntries(Object.entries(others).map(([name, member]) => [name, withoutUnknownMetadata(member)]));
  if (!isObject(metadata)) return copy;
  const { unspecified: _unknown, ...known } = metadata;
  return { ...copy, metadata: known };
}

const runners: Readonly<Record<string, (row: Row) => void>> = {
  pruning(row) {
    const given = withoutUnknownMetadata(row.object);
    const want = withoutUnknownMetadata(row.expected);
    if (row.isResourceRoot === true) {
      const { object, unknownFields } = decode(kindOf(row.schema ?? undefined), given, { defaults: false });
      assert.ok(deepEqual(object, want));
      return assert.equal(unknownFields, row.prunedPaths);
    }
    const { value, unknown } = decodeMember(row, given, { defaults: false });
    assert.ok(deepEqual(value ?? null, want), JSON.stringify(value));
    // They are never told of in the outermost object, which this one is not.
    assert.equal(
      unknown.filter((each) => !['apiVersion', 'kind', 'metadata'].includes(each)),
      row.prunedPaths,
    );
  },
  defaulting(row) {
    const { value } = decodeMember(row, row.object, { defaults: true });
    assert.ok(deepEqual(value, row.expected), JSON.stringify(value));
  },
  'prune-nulls'(row) {
    const { value } = decodeMember({ ...row, schema: row.schema && preserving(row.schema) }, row.object, { defaults: false });
    assert.ok(deepEqual(value ?? null, row.expected), JSON.stringify(value));
  },
  'objectmeta-coerce'(row) {
    const options = { defaults: false, dropsInvalidMetadata: row.dropInvalidFields === true };
    if (row.includeRoot !== true && !isObject(row.object)) return assert.equal(decodeMember(row, row.object, options).value, row.expected);
    // Nothing is dropped by these rows but of metadata.
    const { object, unknownFields } = decode(kindOf(preserving(row.schema ?? {})), row.object, options);
    assert.ok(deepEqual(object, row.expected), JSON.stringify(object));
    assert.equal(unknownFields, row.unknownFields);
  },
  'objectmeta-get'(row) {
    const get = () =>
      decode(kindOf(preserving({})), row.object, { defaults: false, dropsInvalidMetadata: row.dropMalformedFields === true });
    if (typeof row.error === 'string') return assert.throws(get, (error: Error) => error.message === row.error);
    const { object, unknownFields } = get();
    const { creationTimestamp: _none, ...want } = row.expected as Record<string, unknown>;
    assert.ok(deepEqual(object.metadata, want), JSON.stringify(object.metadata));
    if (row.returnUnknownFieldPaths === true) assert.equal(unknownFields, row.unknownFields);
  },
};

function preserving(schema: StructuralSchema): StructuralSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, preserving(member)]);
  const items = isObject(schema.items) && { items: preserving(schema.items) };
  return { ...schema, ...items, properties: Object.fromEntries(properties), 'x-kubernetes-preserve-unknown-fields': true };
}

const test = suite('tables of custom resources');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows) {
  const run = runners[row.test];
  if (run !== undefined) test(row.name, () => run(row));
}
test.run();
