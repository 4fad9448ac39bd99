/**
 * The documents against facts about the API of release 1.32: which fields a type has, of which type, which are required, and how lists and maps
 * are merged. The facts are found through FACTS_DIR, by default beside the checkout.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface Fact {
  readonly name: string;
  readonly type: string;
  readonly inline?: boolean;
  readonly required?: boolean;
  readonly listType?: string;
  readonly listMapKeys?: string[];
  readonly mapType?: string;
  readonly structType?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}
interface Facts {
  readonly folder: string;
  readonly version: string;
  readonly types: Readonly<Record<string, { readonly fields?: readonly Fact[] }>>;
}
type Schema = Readonly<Record<string, unknown>>;

const folder = process.env.FACTS_DIR ?? path.join(import.meta.dirname, '../../../shared/facts');
const generated = path.join(import.meta.dirname, '../../generated');
const files = existsSync(folder) ? readdirSync(folder) : [];
const all = new Map<string, Facts>();
for (const file of files.filter((each) => each.endsWith('.json'))) {
  const facts = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  if (facts.types !== undefined) all.set(`${facts.folder}/${facts.version}`, facts);
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'integer int32',
  int64: 'integer int64',
  double: 'number double',
  bytes: 'string byte',
};

/** Such as `[] Volume`, `{} integer int32`; a type of its own by the last part of its name. */
function typeOfFact(type: string): string {
  if (type.startsWith('[]')) return `[] ${typeOfFact(type.slice(2))}`;
  if (type.startsWith('map<')) return `{} ${typeOfFact(type.slice(type.indexOf(',') + 1, -1))}`;
  if (type.startsWith('string enum ')) return 'string';
  return SCALARS[type] ?? type.slice(type.lastIndexOf('.') + 1);
}

function typeOfSchema(schema: Schema): string {
  const { type, format, items, additionalProperties, allOf, $ref } = schema;
  if (Array.isArray(allOf)) return typeOfSchema(allOf[0]);
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('.') + 1);
  if (type === 'array') return `[] ${typeOfSchema(items as Schema)}`;
  if (type === 'object') return `{} ${typeOfSchema(additionalProperties as Schema)}`;
  return format === undefined ? String(type) : `${type} ${format}`;
}

function withInline(facts: Facts, fields: readonly Fact[]): Fact[] {
  return fields.flatMap((field) => {
    if (field.inline !== true) return [field];
    const [folderAndVersion, name = field.type] = field.type.includes('.') ? field.type.split('.') : [];
    const home = folderAndVersion === undefined ? facts : (all.get(folderAndVersion) ?? facts);
    return withInline(home, home.types[name]?.fields ?? []);
  });
}

/** What is said of a field in both places, as one object that can be compared. */
function ofFact(field: Fact): object {
  return {
    type: typeOfFact(field.type),
    list: field.listType,
    keys: field.listMapKeys,
    map: field.mapType ?? field.structType,
    strategy: field.patchStrategy,
    mergeKey: field.patchMergeKey,
  };
}

function ofSchema(schema: Schema): object {
  return {
    type: typeOfSchema(schema),
    list: schema['x-kubernetes-list-type'],
    keys: schema['x-kubernetes-list-map-keys'],
    map: schema['x-kubernetes-map-type'],
    strategy: schema['x-kubernetes-patch-strategy'],
    mergeKey: schema['x-kubernetes-patch-merge-key'],
  };
}

/** The few types whose JSON is no object have fields for the binary form alone. */
function isMember({ name, inline }: Fact): boolean {
  return inline === true || (name !== undefined && name !== '-');
}

/** Marked as a list by a member that its elements do not have: nothing can be merged by it. */
const MISTAKEN = new Set(['StorageVersionMigrationList.items']);

/** Facts say what is required as it is published: of a struct that stands in others alone, they say nothing. */
function membersOfUnpublished({ inline, type }: Fact, facts: Facts, schemas: Readonly<Record<string, Schema>>): string[] {
  if (inline !== true || Object.keys(schemas).some((name) => name.endsWith(`.${type}`))) return [];
  return (facts.types[type]?.fields ?? []).map(({ name }) => name);
}

const test = suite('facts');
if (all.size === 0) test.skip('no facts beside the checkout', () => {});
for (const [place, facts] of all)
  test(place, () => {
    const file = path.join(generated, place, 'openapi.json');
    if (!existsSync(file)) return;
    const { schemas } = JSON.parse(readFileSync(file, 'utf8')).components;
    for (const [name, { fields = [] }] of Object.entries(facts.types)) {
      const full = Object.keys(schemas).find((each) => each.endsWith(`.${place.replace('/', '.')}.${name}`));
      if (full === undefined || fields.some((field) => !isMember(field))) continue;
      const { properties = {}, required = [] } = schemas[full];
      const members = withInline(facts, fields);
      const untold = new Set(fields.flatMap((field) => membersOfUnpublished(field, facts, schemas)));
      for (const field of members)
        if (!MISTAKEN.has(`${name}.${field.name}`)) assert.equal(ofSchema(properties[field.name]), ofFact(field), `${full} ${field.name}`);
      assert.equal(
        required.filter((name: string) => !untold.has(name)).sort(),
        members.flatMap((field) => (field.required === true ? [field.name] : [])).sort(),
        `what ${full} requires`,
      );
    }
  });
test('a container for debugging requires its name', () => {
  const { schemas } = JSON.parse(readFileSync(path.join(generated, 'core/v1/openapi.json'), 'utf8')).components;
  assert.equal(schemas['io.k8s.api.core.v1.EphemeralContainer'].required, ['name']);
});
test.run();
