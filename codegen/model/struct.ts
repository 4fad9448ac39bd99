/** Reads a schema of type object as a struct. */
import type { ConversionData, Lifecycle } from '../../runtime/contract/kind.ts';
import type { TableData } from '../../runtime/contract/table.ts';
import type { Report } from '../check/diagnostic.ts';
import { readMarks } from '../read/forms.ts';
import { isObject, isReference, type JsonObject, type Message, type SchemaObject, type SchemaOrReference } from '../read/sources.ts';
import { CONSTRAINT_KEYWORDS, CONSTRAINT_MARKS } from './constraints/stated-entries.ts';
import { rulesOfProperty, rulesOfSchema } from './default-rules.ts';
import { earlierSchemas } from './earlier-schemas.ts';
import type { RawType, TypeIndex } from './index-types.ts';
import { readLifespan } from './lifespan.ts';
import type { ConversionNotes, FieldModel, JsonSchema, PrimitiveUse, StructModel } from './model.ts';
import { fieldOf, foldName, inlineFieldOf, isWrapped, messageName } from './protobuf-names.ts';
import type { TypeReader } from './type-use.ts';

const SCHEMA_KEYWORDS = new Set(['type', 'description', 'properties', 'required', 'allOf', 'example']);
const TEXT: PrimitiveUse = { kind: 'primitive', scalar: 'string', type: 'string' };

/** What reading a struct needs besides its schema. */
export interface StructContext {
  readonly index: TypeIndex;
  readonly types: TypeReader;
  readonly messages: ReadonlyMap<string, Message>;
  readonly report: Report;
}

/** Reads a schema of type object. What has no meaning there is reported and left out. */
export function buildStruct(raw: RawType, context: StructContext): StructModel {
  const { schema, marks, document } = raw;
  for (const keyword of Object.keys(schema))
    if (!keyword.startsWith('x-') && !SCHEMA_KEYWORDS.has(keyword))
      context.report('CS011', { file: raw.file, path: raw.path }, `The keyword ${keyword} has no meaning on a schema of type object.`);
  const topLevel = marks['x-cluster-kind'] === true;
  const { required = [] } = schema;
  return {
    kind: 'struct',
    name: raw.name,
    definition: raw.definition,
    folder: document.folder,
    ...placeElsewhere(raw),
    ...readLifespan(marks),
    ...optional('description', schema.description),
    // An example of another version contains that version's names.
    ...optional('example', raw.file === document.file ? schema.example : undefined),
    fields: [...(topLevel ? typeMetaFields() : []), ...readFields(raw, required, context)],
    required,
    topLevel,
    protobuf: marks['x-cluster-protobuf'] !== false && document.groupVersion.files !== true && document.groupVersion.structural !== true,
    reserved: context.messages.get(messageName(raw.definition))?.reserved ?? [],
    ...optional('lifecycle', marks['x-cluster-lifecycle'] as Lifecycle | undefined),
    ...optional('mapType', marks['x-kubernetes-map-type'] as StructModel['mapType']),
    defaults: rulesOfSchema(marks['x-cluster-defaults']),
    ...optional('unions', marks['x-kubernetes-unions'] as readonly unknown[] | undefined),
    ...optional('validations', marks['x-cluster-validations'] as StructModel['validations']),
    ...optional('validatedTwice', marks['x-cluster-validated-twice'] as StructModel['validatedTwice']),
    ...optional('scope', marks['x-cluster-scope'] as string | undefined),
    ...optional('table', readTable(marks['x-cluster-table'])),
    ...readConversion(marks['x-cluster-conversion']),
    ...optional('conversionNotice', marks['x-cluster-conversion-notice'] as string | undefined),
    ...optional('rules', marks['x-cluster-rules'] as string | undefined),
    ...optional('file', marks['x-cluster-file'] as StructModel['file']),
    ...(topLevel &&
      context.index.resolve(`#/components/schemas/${raw.name}List`, { origins: [document] }) !== undefined && { list: `${raw.name}List` }),
  };
}

/** @returns the place of the schema if it stands in another version's document, to which the type's own document refers */
function placeElsewhere({ file, path, document }: RawType): Pick<StructModel, 'statedAt'> {
  return file === document.file ? {} : { statedAt: { file, path } };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** A column that does not state its type has the type `string`. */
function readTable(mark: unknown): TableData | undefined {
  if (!isObject(mark)) return undefined;
  const { columns } = mark as unknown as TableData;
  return { columns: columns.map(({ name, type = 'string', ...cell }) => ({ name, type, ...cell })) };
}

function readConversion(mark: unknown): Pick<StructModel, 'conversion' | 'conversionNotes'> {
  if (!isObject(mark)) return {};
  const { to, steps = [], function: hook, converts = [], loses = [] } = mark as unknown as StatedConversion;
  return { conversion: { ...to, steps, ...optional('function', hook) }, conversionNotes: { converts, loses } };
}

interface StatedConversion extends Partial<ConversionNotes>, Partial<Pick<ConversionData, 'steps' | 'function'>> {
  readonly to: Pick<ConversionData, 'group' | 'version' | 'kind'>;
}

function typeMetaFields(): FieldModel[] {
  return ['kind', 'apiVersion'].map((name) => ({
    name,
    type: TEXT,
    pointer: false,
    always: false,
    inline: false,
    typeMeta: true,
    required: false,
  }));
}

function readFields(raw: RawType, required: readonly string[], context: StructContext): FieldModel[] {
  const message = context.messages.get(messageName(raw.definition));
  const { properties = {} } = raw.schema;
  const fields = Object.entries(properties).map(([name, schema]) =>
    readField(name, schema, raw, message, required.includes(name), context),
  );
  return placeInlines(fields, readInlines(raw, message, Object.keys(properties), context), message);
}

function readField(
  name: string,
  schema: SchemaOrReference,
  raw: RawType,
  message: Message | undefined,
  required: boolean,
  context: StructContext,
): FieldModel {
  const path = `${raw.path}.properties.${name}`;
  const marks = readMarks('property', schema, { file: raw.file, path }, context.report);
  const before = earlierSchemas(schema, marks);
  const stated: SchemaObject = isReference(schema) ? {} : schema;
  const strategies = marks['x-kubernetes-patch-strategy'] as string | undefined;
  return {
    name,
    ...optional('description', stated.description),
    type: context.types.field(schema, raw, path),
    ...readLifespan(marks),
    ...(before.length > 0 && {
      before: before.map(({ until, schema: earlier }) => ({ until, field: readField(name, earlier, raw, message, required, context) })),
    }),
    ...optional('number', (marks['x-cluster-number'] as number | undefined) ?? fieldOf(message, name)?.number),
    pointer: marks['x-cluster-pointer'] === true,
    always: marks['x-cluster-always'] === true,
    ...(stated.type === 'array' && isWrapped(fieldOf(message, name), context.messages) && { wrapped: true }),
    inline: false,
    typeMeta: false,
    required,
    ...optional('default', stated.default),
    ...optional('example', stated.example),
    ...optional('unpublishedDefault', marks['x-cluster-default']),
    dependentDefaults: rulesOfProperty(name, marks['x-cluster-default-when']),
    ...optional('constraints', readConstraintMarks(stated, marks)),
    ...optional('reported', marks['x-cluster-reported-as'] as string | undefined),
    ...optional('patchStrategies', strategies?.split(',') as FieldModel['patchStrategies']),
    ...optional('patchMergeKey', marks['x-kubernetes-patch-merge-key'] as string | undefined),
    ...optional('featureGate', marks['x-cluster-feature-gate'] as string | undefined),
    ...optional('whileGated', marks['x-cluster-while-gated']),
    ...optional('ungated', marks['x-cluster-ungated'] as true | undefined),
    ...optional('gating', marks['x-cluster-gated'] as FieldModel['gating']),
    ...optional('droppedAnnotations', marks['x-cluster-dropped-annotations'] as string[] | undefined),
    ...optional('go', marks['x-cluster-go'] as FieldModel['go']),
    ...optional('conversionNotice', marks['x-cluster-conversion-notice'] as FieldModel['conversionNotice']),
  };
}

/** @returns the keywords and marks that constrain a property; undefined if there are none */
function readConstraintMarks(schema: SchemaObject, marks: JsonObject): JsonSchema | undefined {
  const stated = [
    ...CONSTRAINT_KEYWORDS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const])),
    ...CONSTRAINT_MARKS.flatMap((name) => (marks[name] === undefined ? [] : [[name, marks[name]] as const])),
  ];
  return stated.length === 0 ? undefined : Object.fromEntries(stated);
}

/** Reads the structs that `allOf` embeds beside `properties`, as inline fields. */
function readInlines(raw: RawType, message: Message | undefined, properties: readonly string[], context: StructContext): FieldModel[] {
  const { allOf = [] } = raw.schema;
  return allOf.flatMap((item, position) => {
    const at = { file: raw.file, path: `${raw.path}.allOf.${position}` };
    if (!isReference(item)) {
      context.report('CS011', at, 'The item is no reference.', 'Make it a schema of its own, and refer to that.');
      return [];
    }
    const target = context.index.resolve(item.$ref, raw);
    if (target === undefined) return [];
    const marks = readMarks('inline', item, at, context.report);
    const number = marks['x-cluster-number'] as number | undefined;
    const field =
      number === undefined
        ? inlineFieldOf(message, target.definition, properties)
        : (message?.fields.find((each) => each.number === number) ?? { name: foldName(target.name), number });
    if (field === undefined && message !== undefined)
      context.report('CS038', at, `${message.name} has no field of type ${target.name} for it.`);
    const { name } = field ?? target;
    return {
      name,
      type: { kind: 'named', definition: target.definition } as const,
      ...readLifespan(marks),
      ...optional('number', field?.number),
      pointer: false,
      always: false,
      inline: true,
      typeMeta: false,
      required: false,
    };
  });
}

/** OpenAPI does not say where inline structs stand among the properties, so their members are written where the protobuf message has its field. */
function placeInlines(fields: readonly FieldModel[], inlines: readonly FieldModel[], message: Message | undefined): FieldModel[] {
  const order = message?.fields.map((field) => field.number) ?? [];
  const placed = [...fields];
  for (const inline of inlines) {
    const later = new Set(order.slice(order.indexOf(inline.number ?? 0) + 1));
    const before = placed.findIndex((field) => !field.inline && field.number !== undefined && later.has(field.number));
    placed.splice(before < 0 ? placed.length : before, 0, inline);
  }
  return placed;
}
