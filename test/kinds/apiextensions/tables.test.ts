/**
 * What release 1.32 finds in definitions of custom resources. Rows of `crd-validation.json` in the folder that TABLES_DIR names, by default beside the
 * checkout; those with rules in their schemas belong to the tests of expressions.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { validateDefinitionSchema } from '../../../runtime/kinds/apiextensions/definition-schema.ts';
import { storedVersions } from '../../../runtime/kinds/apiextensions/definition-status.ts';
import { memberPath } from '../../../runtime/kinds/apiextensions/member-paths.ts';
import { STRICT, type Strictness } from '../../../runtime/kinds/apiextensions/strictness.ts';
import { parseJson } from '../../../runtime/schema/json-text.ts';
import { untypedValue } from '../../../runtime/schema/untyped.ts';
import { ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';

interface Expected {
  readonly type: string;
  readonly field: string;
  readonly text: string;
}

interface Row {
  readonly name: string;
  readonly test: string;
  readonly crd: ApiObject;
  readonly old?: ApiObject;
  readonly errors: readonly Expected[];
  readonly v1Errors?: readonly Expected[];
  readonly schema: JSONSchemaProps | null;
  readonly options: Readonly<Record<string, boolean>>;
  readonly statusEnabled: boolean;
  readonly versions: readonly string[];
  readonly storedVersions: readonly string[];
  readonly storageVersion: string;
  readonly deprecated: boolean;
  readonly warning: string;
  readonly fieldPath: string;
  readonly error: string | null;
  readonly expected: readonly unknown[];
}

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'crd-validation.json');
const rows: readonly Row[] = existsSync(file) ? (untypedValue(parseJson(readFileSync(file, 'utf8')).value) as { rows: Row[] }).rows : [];
const definitions = await loadKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/** Structures that 1.32 shows in a notation of its own. */
const STRUCTURES = /Invalid value: (?:\[\][\w.]*\{?|\[\{|apiextensions\.).*: (?=[a-z])/;
/** 1.32 goes through maps in no order. */
const shape = (errors: readonly Expected[]) => errors.map(({ type, text }) => `${type} ${text.replace(STRUCTURES, '')}`).sort();
const found = (errors: readonly FieldError[]) =>
  shape(errors.map(({ reason, field, message }) => ({ type: reason, field, text: `${field}: ${message}` })));

const check = (row: Row) => {
  const { rules } = definitions;
  const [crd, old] = [row.crd, row.old].map((each) => (each === undefined ? undefined : (structuredClone(each) as ApiObject)));
  const errors = [
    ...(rules.validate?.(crd as ApiObject, ruleContext(), old) ?? []),
    ...(old === undefined ? [] : (rules.validateUpdate?.(crd as ApiObject, old, ruleContext()) ?? [])),
  ];
  assert.equal(found(errors), shape(row.v1Errors ?? row.errors));
};

const LENIENT = Object.fromEntries(Object.keys(STRICT).map((rule) => [rule, false])) as unknown as Strictness;
const STRICTNESS: Readonly<Record<string, Partial<Strictness>>> = {
  requireStructuralSchema: { structural: true },
  requireValidPropertyType: { validTypes: true },
  requireAtomicSetType: { atomicSets: true },
  requireMapListKeysMapSetValidation: { mapKeys: true },
  allowDefaults: { defaults: true },
  celEnvironmentGiven: {},
};

const runners: Readonly<Record<string, (row: Row) => void>> = {
  create: check,
  update: check,
  'selectable-fields': check,
  schema({ schema, options, statusEnabled, errors }) {
    const strictness = { ...LENIENT, ...Object.assign({}, ...Object.keys(options).map((option) => STRICTNESS[option])) };
    const at = '.validation.openAPIV3Schema';
    const all = schema === null ? [] : validateDefinitionSchema(schema, at, statusEnabled, strictness, ruleContext());
    assert.equal(found(all.map((error) => ({ ...error, field: `spec${error.field}` }))), shape(errors));
  },
  'stored-versions'({ versions, storedVersions: stored, storageVersion, errors }) {
    const spec = { versions: versions.map((name) => ({ name, served: true, storage: name === storageVersion })) };
    const definition = { spec, status: { storedVersions: stored } } as unknown as CustomResourceDefinition;
    assert.equal(found(storedVersions(definition).map((error) => ({ ...error, field: error.field.slice(1) }))), shape(errors));
  },
  'deprecation-warning'({ deprecated, warning, expected }) {
    const version = { name: 'v1', served: true, storage: true, deprecated, deprecationWarning: warning, schema: SCHEMA };
    const spec = { group: 'a.example.com', names: NAMES, scope: 'Cluster', versions: [version] };
    const made = { metadata: { name: 'things.a.example.com' }, spec, status: { storedVersions: ['v1'] } } as unknown as ApiObject;
    const details = (definitions.rules.validate?.(made, ruleContext()) ?? []).map(({ field, message }) => `${field}: ${message}`);
    const shown = `spec.versions[0].deprecationWarning: Invalid value: ${JSON.stringify(warning)}: `;
    assert.equal(
      details,
      expected.map((detail) => `${shown}${detail}`),
    );
  },
  'field-path'({ schema, fieldPath, error }) {
    const found = memberPath(schema as JSONSchemaProps, fieldPath);
    assert.is('problem' in found ? found.problem : null, error);
  },
};
const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
const SCHEMA = { openAPIV3Schema: { type: 'object' } };

const test = suite('tables of definitions');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const row of rows) {
  const run = runners[row.test];
  if (run !== undefined && !JSON.stringify(row).includes('x-kubernetes-validations')) test(row.name, () => run(row));
}
test.run();
