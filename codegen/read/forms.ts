/**
 * The forms of the extensions (`x-…`) in the OpenAPI documents. A value that is not of its form is reported and left out, so that the steps that follow meet
 * only well-formed values.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Report } from '../check/diagnostic.ts';
import { cellDefinitions, columnForm } from './column-form.ts';
import { constraintDefinitions, propertyConstraints, structConstraints } from './constraint-form.ts';
import { defaultRulesForm, defaultsBelowForm } from './default-form.ts';
import { formProblem } from './form-problem.ts';
import { isObject, type JsonObject } from './sources.ts';

const text = { type: 'string', minLength: 1 };
const anyText = { type: 'string' };
const flag = { type: 'boolean' };
const texts = { type: 'array', items: text };
const oneOf = (...values: readonly (string | boolean)[]) => ({ enum: values });
const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const verbs = {
  type: 'array',
  items: oneOf('create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'),
  uniqueItems: true,
};
const kindReference = object({ group: anyText, version: text, kind: text }, ['group', 'version', 'kind']);
const codeName = { type: 'string' };
const release = { type: 'string' };
/** Members by which an entry of a list states from which release on it is there, and until when. */
const lifespan = { since: release, until: release };
const lifespanMarks = { 'x-cluster-since': release, 'x-cluster-until': release };
const releases = { type: 'object', additionalProperties: release };
const valueMarks = { 'x-cluster-enum-since': releases, 'x-cluster-enum-until': releases };
const earlierForms = (members: JsonObject) => ({ type: 'array', items: object({ until: release, ...members }, ['until']), minItems: 1 });

const subresource = object(
  {
    name: text,
    kind: text,
    group: anyText,
    version: text,
    verbs,
    scale: object({ specReplicas: text, statusReplicas: text, selector: anyText, selectorIsMap: flag, ownNotFound: flag }, [
      'specReplicas',
      'statusReplicas',
      'selector',
    ]),
    shows: { type: 'object', additionalProperties: text, minProperties: 1 },
    handler: codeName,
    featureGate: text,
    resetFields: texts,
    ownedFields: texts,
    ...lifespan,
  },
  ['name', 'kind', 'verbs'],
);

const resource = {
  ...object(
    {
      name: text,
      /** Path of the document of another version that states the rest of the resource. */
      as: text,
      kind: text,
      singular: text,
      scope: oneOf('Namespaced', 'Cluster'),
      shortNames: texts,
      categories: texts,
      verbs,
      featureGate: text,
      subresources: { type: 'array', items: subresource },
      storage: object({ prefix: text, group: anyText, version: text, kind: text, jsonInEtcd: text }),
      handler: codeName,
      nameFormat: oneOf('dnsSubdomain', 'dnsLabel', 'dns1035Label', 'pathSegment'),
      constrainedName: oneOf(true),
      generation: texts,
      generationSeesEmpty: oneOf(true),
      changesSeeEmpty: texts,
      rulesSeeEmpty: oneOf(true),
      statusOnCreate: oneOf('reset', 'always', 'keep'),
      statusOnUpdate: oneOf('reset', 'always', 'keep'),
      watchCache: flag,
      metadataChecks: { type: 'array', items: oneOf('object', 'update') },
      qualifiedFinalizers: oneOf(false),
      generatedNames: oneOf('random', 'verbatim'),
      putCreates: flag,
      unconditionalUpdate: flag,
      deleteAnswers: oneOf('status', 'object'),
      defaultPropagation: oneOf('Orphan', 'Unsupported'),
      unseenBy: { type: 'array', items: oneOf('policies', 'webhooks') },
      notEnforced: {
        anyOf: [oneOf('objects'), object({ members: texts, paths: texts }, ['members', 'paths'])],
      },
      expires: oneOf(true),
      resetFields: texts,
      selectableFields: texts,
      unselectableField: text,
      selectableAliases: { type: 'object', additionalProperties: text },
      indexedFields: texts,
      ...lifespan,
    },
    ['name'],
  ),
  if: { required: ['as'] },
  else: { required: ['kind', 'singular', 'scope', 'verbs'] },
};

const conversionStep = {
  type: 'object',
  required: ['op'],
  discriminator: { propertyName: 'op' },
  oneOf: [
    object({ op: { const: 'rename' }, from: text, to: text }, ['from', 'to']),
    object({ op: { const: 'mapValues' }, path: text, values: { type: 'object', additionalProperties: anyText } }, ['path', 'values']),
    object({ op: { const: 'default' }, path: text, value: {} }, ['path', 'value']),
    object({ op: { const: 'keepInAnnotation' }, path: text, annotation: text }, ['path', 'annotation']),
  ],
};

/** The Go name of a type, which may be a map or a list, such as `map[v1.ResourceName]resource.Quantity`. */
const typeName = { type: 'string', pattern: '^[A-Za-z0-9.\\[\\]]+$' };
const mapType = oneOf('atomic', 'granular');

/** Marks that say how the value of a property, of an element or of a map's entry is owned. */
const ownershipMarks = {
  'x-kubernetes-list-type': oneOf('atomic', 'set', 'map'),
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-map-type': mapType,
};

const documentForm = object(
  {
    'x-cluster-group-version': object(
      {
        group: anyText,
        version: { type: 'string', pattern: '^v(0|[1-9][0-9]*)((alpha|beta)[1-9][0-9]*)?$' },
        package: { type: 'string', pattern: '^[a-z0-9-]+([.][a-z0-9-]+)*$' },
        groupPriority: { type: 'integer' },
        versionPriority: { type: 'integer' },
        enabledByDefault: flag,
        files: flag,
        structural: flag,
        before: earlierForms({ enabledByDefault: flag, groupPriority: { type: 'integer' } }),
        ...lifespan,
      },
      ['group', 'version', 'package'],
    ),
    'x-cluster-resources': { type: 'array', items: resource },
  },
  [],
);

const lifecycleForm = object({ introduced: release, deprecated: release, removed: release, replacement: kindReference }, ['introduced']);
const tableForm = object({ columns: { type: 'array', items: columnForm, minItems: 1 } }, ['columns']);

const schemaForm = object({
  ...lifespanMarks,
  'x-cluster-kind': flag,
  'x-cluster-lifecycle': lifecycleForm,
  'x-cluster-table': tableForm,
  'x-cluster-conversion': object(
    {
      to: kindReference,
      steps: { type: 'array', items: conversionStep },
      function: codeName,
      converts: texts,
      loses: { type: 'array', items: object({ path: text, reason: text }, ['path', 'reason']) },
    },
    ['to'],
  ),
  /** The sentence for people whose objects of the kind are converted. */
  'x-cluster-conversion-notice': text,
  'x-cluster-rules': codeName,
  'x-cluster-defaults': defaultsBelowForm,
  'x-cluster-file': object({ kind: text, unnamed: flag, unknownFields: oneOf('warn', 'drop') }),
  'x-cluster-scalar': oneOf(
    'time',
    'microTime',
    'duration',
    'quantity',
    'intOrString',
    'rawExtension',
    'fieldsV1',
    'json',
    'structOrBoolean',
    'structOrList',
    'structOrNames',
    'string',
    'bytes',
    'int32',
    'int64',
    'double',
    'boolean',
  ),
  'x-cluster-scalar-struct': text,
  'x-cluster-definition': { type: 'string', pattern: '^[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$' },
  'x-cluster-protobuf': oneOf(false),
  ...structConstraints,
  'x-kubernetes-map-type': mapType,
  'x-kubernetes-unions': { type: 'array' },
});

/** The form of a schema in a document of structural schemas. Marks of values (`x-kubernetes-…`) are held against the rules for definitions instead. */
const structuralForm = {
  ...object({
    'x-cluster-kind': flag,
    'x-cluster-lifecycle': lifecycleForm,
    'x-cluster-deprecation-warning': text,
    'x-cluster-table': tableForm,
    'x-cluster-conversion': object({ to: kindReference, steps: { type: 'array', maxItems: 0 } }, ['to']),
  }),
  patternProperties: { '^x-kubernetes-': {} },
};

/** Only a field that is gone states its number: any other field has the one of its protobuf message. */
const numberOfGone = { dependencies: { 'x-cluster-number': ['x-cluster-until'] } };

const propertyForm = {
  ...numberOfGone,
  ...object({
    ...lifespanMarks,
    ...valueMarks,
    'x-cluster-number': { type: 'integer', minimum: 1 },
    'x-cluster-before': { type: 'array', items: { type: 'object', properties: { until: release }, required: ['until'] }, minItems: 1 },
    'x-cluster-conversion-notice': object({ when: oneOf('set', 'empty', 'absent'), text }, ['when', 'text']),
    'x-cluster-pointer': flag,
    'x-cluster-always': flag,
    'x-cluster-default': {},
    'x-cluster-default-when': defaultRulesForm,
    'x-cluster-constants': { type: 'array', items: anyText },
    'x-cluster-type-name': typeName,
    'x-cluster-feature-gate': text,
    'x-cluster-while-gated': {},
    'x-cluster-ungated': oneOf(true),
    'x-cluster-gated': object({
      or: text,
      within: text,
      with: text,
      emptied: { type: 'integer', minimum: 1 },
      element: object({ namedIn: { type: 'array', items: text, minItems: 1 } }),
    }),
    'x-cluster-dropped-annotations': { type: 'array', items: text, minItems: 1 },
    'x-cluster-go': object({ name: text, after: text, in: text, pointer: oneOf(false), absent: oneOf(true) }),
    ...propertyConstraints,
    ...ownershipMarks,
    'x-kubernetes-patch-strategy': { type: 'string', pattern: '^(merge|replace|retainKeys)(,(merge|replace|retainKeys))*$' },
    'x-kubernetes-patch-merge-key': text,
  }),
};

const itemForm = object({
  ...valueMarks,
  'x-cluster-open': flag,
  'x-cluster-closed': flag,
  'x-cluster-constants': { type: 'array', items: anyText },
  'x-cluster-type-name': typeName,
  ...ownershipMarks,
});

/** The form of the marks beside the reference of an inline struct. */
const inlineForm = { ...numberOfGone, ...object({ ...lifespanMarks, 'x-cluster-number': { type: 'integer', minimum: 1 } }) };

const ajv = new Ajv({ allErrors: true, discriminator: true, strict: true, strictRequired: false, allowUnionTypes: true });
ajv.addSchema(constraintDefinitions);
const forms = {
  document: ajv.compile(documentForm),
  schema: ajv.compile({ ...schemaForm, definitions: cellDefinitions }),
  structural: ajv.compile({ ...structuralForm, definitions: cellDefinitions }),
  property: ajv.compile(propertyForm),
  item: ajv.compile(itemForm),
  inline: ajv.compile(inlineForm),
} satisfies Record<string, ValidateFunction>;

export type FormName = keyof typeof forms;

/** @returns the `x-` members of `holder` that are of their form. Of an array with faulty items only these are left out */
export function readMarks(form: FormName, holder: object, at: { file: string; path: string }, report: Report): JsonObject {
  const marks = Object.fromEntries(Object.entries(holder).filter(([key]) => key.startsWith('x-')));
  const validate = forms[form];
  if (validate(marks)) return marks;
  const faulty = structuredClone(marks);
  for (const error of validate.errors ?? []) {
    // An error of the keyword `if` only says that a branch does not fit; the errors of that branch say why.
    if (error.keyword === 'if') continue;
    const [code, problem] = explain(error);
    const path = [at.path, ...error.instancePath.split('/').slice(1)].filter((part) => part !== '').join('.');
    report(code, { file: at.file, path }, problem);
    leaveOut(faulty, error);
  }
  return dropHoles(faulty) as JsonObject;
}

function explain(error: ErrorObject): ['CS012' | 'CS013', string] {
  if (error.keyword === 'additionalProperties') return ['CS012', `There is no key ${error.params.additionalProperty} here.`];
  return ['CS013', `The value ${formProblem(error)}.`];
}

/** Takes out what an error is about: the key that is not allowed, the item of an array, or else the whole mark. */
function leaveOut(marks: object, error: ErrorObject): void {
  const steps = error.instancePath.split('/').slice(1);
  if (error.keyword === 'additionalProperties') {
    const holder = steps.reduce<unknown>((value, step) => (isHolder(value) ? value[step] : undefined), marks);
    if (isHolder(holder)) delete holder[error.params.additionalProperty as string];
    return;
  }
  const [mark, index] = steps;
  if (mark === undefined) return;
  const value = (marks as Record<string, unknown>)[mark];
  if (Array.isArray(value) && index !== undefined) value[Number(index)] = undefined;
  else delete (marks as Record<string, unknown>)[mark];
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return isObject(value) || Array.isArray(value);
}

function dropHoles(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, Array.isArray(member) ? member.filter((item) => item !== undefined) : member]),
  );
}
