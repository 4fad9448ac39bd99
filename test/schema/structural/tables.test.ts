/**
 * What release 1.32 does to custom resources on their way in: pruning, defaults, null, metadata. Rows of `crd-schema.json` in the folder that
 * TABLES_DIR names, by default beside the checkout.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DecodeOptions, decode, type StructuralSchema } from '../../../runtime/schema/codec/codec.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { isObject } from '../../../runtime/schema/json/member.ts';
import { tableRows } from '../../harness/tables.ts';
import { kindOf } from './types.ts';

interface Row {
  readonly name: string;
  readonly test: string;
  readonly schema: StructuralSchema | null;
  readonly object: unknown;
  readonly expected?: unknown;
  readonly error?: string | null;
  readonly expectError?: boolean;
  readonly prunedPaths?: readonly string[];
  readonly unknownFields?: readonly string[];
  readonly isResourceRoot?: boolean;
  readonly includeRoot?: boolean;
  readonly returnUnknownFieldPaths?: boolean;
  readonly dropInvalidFields?: boolean;
  readonly dropMalformedFields?: boolean;
}

const rows = tableRows<Row>('crd-schema.json');

/** Decodes a value that stands where any may, as a member of an object that keeps what no schema describes. */
function decodeMember({ schema }: Row, value: unknown, options: DecodeOptions): { readonly value: unknown; readonly unknown: string[] } {
  const type: StructuralSchema = schema === null ? { type: 'object', additionalProperties: true } : { properties: { value: schema } };
  const { object, unknownFields } = decode(kindOf({ type: 'object', properties: { row: type } }), { row: { value } }, options);
  const unknown = unknownFields.map((each) => each.replace(/^row\.value\.?/, ''));
  return { value: (object.row as { value?: unknown }).value, unknown };
}

/** Members that are null are removed by a step of its own, which the rows about other steps do not take. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const known = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(known.map(([name, member]) => [name, withoutNulls(member)]));
}

/** Metadata are read in every step here, but only by their own step in the rows. */
function withReadMetadata(row: Row, value: unknown): { readonly value: unknown; readonly unknown: readonly string[] } {
  return decodeAt({ ...row, schema: preserving(row.schema ?? {}) }, value, { defaults: false, dropsInvalidMetadata: true });
}

/** Decodes an object of the API, or a value that stands where any may. */
function decodeAt(row: Row, value: unknown, options: DecodeOptions): { readonly value: unknown; readonly unknown: readonly string[] } {
  if ((row.isResourceRoot ?? row.includeRoot) !== true || !isObject(value)) return decodeMember(row, value, options);
  const { object, unknownFields } = decode(kindOf(row.schema ?? undefined), value, options);
  const { metadata, ...others } = object;
  // an object of the API has metadata here, even where none are given
  const isGiven = value.metadata !== undefined || Object.keys(metadata ?? {}).length > 0;
  return { value: isGiven ? object : others, unknown: unknownFields };
}

const same = (found: unknown, wanted: unknown) =>
  assert.ok(deepEqual(withoutNulls(found ?? null), withoutNulls(wanted ?? null)), JSON.stringify(found));

const runners: Readonly<Record<string, (row: Row) => void>> = {
  pruning(row) {
    const read = withReadMetadata(row, row.object);
    const { value, unknown } = decodeAt(row, row.object, { defaults: false, dropsInvalidMetadata: true });
    same(value, withReadMetadata(row, row.expected).value);
    // They are never told of in the outermost object, which that of a row may not be.
    const isTold = (name: string) => row.isResourceRoot === true || !['apiVersion', 'kind', 'metadata'].includes(name);
    assert.equal(
      unknown.filter((each) => isTold(each) && !read.unknown.includes(each)),
      row.prunedPaths,
    );
  },
  defaulting(row) {
    const { value } = decodeMember({ ...row, schema: preserving(row.schema ?? {}) }, row.object, { defaults: true });
    same(value, row.expected);
  },
  'prune-nulls'(row) {
    const { value } = decodeMember({ ...row, schema: row.schema && preserving(row.schema) }, row.object, { defaults: false });
    assert.ok(deepEqual(value ?? null, row.expected), JSON.stringify(value));
  },
  'objectmeta-coerce'(row) {
    const options = { defaults: false, dropsInvalidMetadata: row.dropInvalidFields === true };
    // Nothing is dropped by these rows but of metadata.
    const read = () => decodeAt({ ...row, schema: preserving(row.schema ?? {}) }, row.object, options);
    if (row.expectError === true) return assert.throws(read);
    const { value, unknown } = read();
    same(value, row.expected);
    assert.equal(unknown, row.unknownFields);
  },
  'objectmeta-get'(row) {
    const get = () =>
      decode(kindOf(preserving({})), row.object, { defaults: false, dropsInvalidMetadata: row.dropMalformedFields === true });
    if (typeof row.error === 'string') return assert.throws(get, (error: Error) => error.message === row.error);
    const { object, unknownFields } = get();
    same(object.metadata, row.expected);
    if (row.returnUnknownFieldPaths === true) assert.equal(unknownFields, row.unknownFields);
  },
};

function preserving(schema: StructuralSchema): StructuralSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, preserving(member)]);
  const items = isObject(schema.items) && { items: preserving(schema.items) };
  const others = isObject(schema.additionalProperties) && { additionalProperties: preserving(schema.additionalProperties) };
  return { ...schema, ...items, ...others, properties: Object.fromEntries(properties), 'x-kubernetes-preserve-unknown-fields': true };
}

const test = suite('tables of custom resources');
const own = rows.filter((row) => runners[row.test] !== undefined);
if (own.length === 0) test.skip('no such rows beside the checkout', () => {});
for (const row of own) test(row.name, () => runners[row.test]?.(row));
test.run();
