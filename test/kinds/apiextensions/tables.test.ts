/**
 * What release 1.32 finds in definitions of custom resources. Rows of `crd-validation.json` in the folder that TABLES_DIR names, by default beside the
 * checkout.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import { goQuote } from '../../../runtime/contract/go-quote.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { BOOL } from '../../../runtime/expressions/types/type.ts';
import { validateDefinitionSchema } from '../../../runtime/kinds/apiextensions/definition-schema.ts';
import { storedVersions } from '../../../runtime/kinds/apiextensions/definition-status.ts';
import { validateKeywords } from '../../../runtime/kinds/apiextensions/schema-keywords.ts';
import { STRICT, type Strictness } from '../../../runtime/kinds/apiextensions/strictness.ts';
import { strictnessAfter } from '../../../runtime/kinds/apiextensions/strictness-after.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../runtime/kinds/metadata/object-meta.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import type { CustomSchema } from '../../../runtime/structural-schema/custom-schema.ts';
import { memberPath } from '../../../runtime/structural-schema/member-paths.ts';
import { SELF } from '../../../runtime/structural-schema/rules/declared-type.ts';
import { cardinalityBelow, ONCE, TotalCost } from '../../../runtime/structural-schema/rules/rule-costs.ts';
import { type EnvironmentOf, storedRules } from '../../../runtime/structural-schema/rules/rule-environments.ts';
import { tableRows } from '../../harness/tables.ts';
import { ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';

interface Expected {
  readonly type: string;
  readonly field: string;
  readonly text: string;
}

/** Numbers beyond 2^53 keep their digits. */
type Exact = number | { readonly rawJSON: string };

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
  readonly costs: readonly Exact[];
  readonly mostExpensive: readonly Exact[];
  readonly total: Exact;
  readonly nestedSchemas: readonly JSONSchemaProps[];
  readonly maxCardinality: Exact | null;
}

const rows = tableRows<Row>('crd-validation.json', 'spelled');
const definitions = await loadKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/** Structures that 1.32 shows in a notation of its own. */
const STRUCTURES = /Invalid value: (?:\[\][\w.]*\{?|\[\{|\{"|apiextensions\.).*: (?=[a-z])/;
/** 1.32 numbers the type of `self` by the time. */
const SELF_TYPE = /selfType\d+/g;
/** What 1.32 lacks: which part of an expression is expensive. */
const REMEDY = /(?<=strings are declared\)).*/;
/** 1.32 goes through maps in no order. */
const shape = (errors: readonly Expected[]) =>
  errors.map(({ type, text }) => `${type} ${text.replace(STRUCTURES, '').replace(REMEDY, '').replaceAll(SELF_TYPE, SELF)}`).sort();
const found = (errors: readonly FieldError[]) =>
  shape(errors.map(({ reason, field, message }) => ({ type: reason, field, text: `${field}: ${message}` })));

const check = (row: Row) => {
  const { rules } = definitions;
  const [crd, old] = [copyValue(row.crd), copyValue(row.old)];
  const own = rules.validate?.(crd, ruleContext(), old) ?? [];
  const isOfName = ({ field }: FieldError) => field === 'metadata.name';
  const metadata =
    old === undefined
      ? validateObjectMeta(crd.metadata, { namespaced: false, nameFormat: 'dnsSubdomain', nameFindings: own.filter(isOfName) })
      : validateObjectMetaUpdate(crd.metadata, old.metadata, false);
  const errors = [
    ...metadata,
    ...own.filter((error) => !isOfName(error)),
    ...(old === undefined ? [] : (rules.validateUpdate?.(crd, old, ruleContext()) ?? [])),
  ];
  assert.equal(found(errors), shape(row.v1Errors ?? row.errors));
};

const LENIENT = {
  ...Object.fromEntries(Object.keys(STRICT).map((rule) => [rule, false])),
  ruleEnvironment: STRICT.ruleEnvironment,
} as unknown as Strictness;
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
    const all =
      schema === null
        ? []
        : validateDefinitionSchema(
            schema,
            { path: at, above: 'spec', hasStatus: statusEnabled, isUnchanged: false },
            strictness,
            ruleContext(),
          );
    assert.equal(found(all.map((error) => ({ ...error, field: `spec${error.field}` }))), shape(errors));
  },
  'rule-compatibility'({ crd, old, errors }) {
    const [definition, before] = [crd, old] as unknown as (CustomResourceDefinition & { status?: unknown })[];
    const strictness = strictnessAfter(before, true);
    const environmentOf: EnvironmentOf = (source, member) => {
      const environment = strictness.ruleEnvironment(source, member);
      return environment === storedRules(source, member) ? environment.extend({ libraries: [LATER] }) : environment;
    };
    const rules = { ...LENIENT, ruleEnvironment: environmentOf };
    const schema = (definition as CustomResourceDefinition).spec.versions?.[0]?.schema?.openAPIV3Schema as JSONSchemaProps;
    const place = { path: '.validation.openAPIV3Schema', above: 'spec', hasStatus: false, isUnchanged: false };
    const all = validateKeywords(schema, place, rules, { areRulesChecked: true, context: { explainsCosts: false } });
    assert.equal(found(all.map((error) => ({ ...error, field: `spec${error.field}` }))), shape(errors));
  },
  'total-cost'({ costs, mostExpensive, total }) {
    const sum = new TotalCost(false);
    for (const cost of costs) sum.add('', exact(cost));
    assert.is(sum.total, exact(total));
    assert.equal(
      sum.expensive.map(({ cost }) => cost),
      mostExpensive.map(exact),
    );
  },
  cardinality({ nestedSchemas, maxCardinality }) {
    const nested = nestedSchemas.slice(0, -1).reduce((outer, schema) => cardinalityBelow(schema, outer, ''), ONCE);
    assert.is(nested.most, maxCardinality === null ? undefined : exact(maxCardinality));
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
    const shown = `spec.versions[0].deprecationWarning: Invalid value: ${goQuote(warning)}: `;
    assert.equal(
      details,
      expected.map((detail) => `${shown}${detail}`),
    );
  },
  'field-path'({ schema, fieldPath, error }) {
    const found = memberPath(schema as CustomSchema, fieldPath);
    assert.is('problem' in found ? found.problem : null, error);
  },
};
const exact = (value: Exact): bigint => BigInt(typeof value === 'number' ? value : value.rawJSON);
/** A function that a far later release brings, which stored rules alone may use. */
const LATER = {
  name: 'later',
  since: 99,
  functions: [{ name: 'test', overloads: [{ id: 'test', parameters: [], result: BOOL, run: () => true }] }],
};
const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
const SCHEMA = { openAPIV3Schema: { type: 'object' } };

const test = suite('tables of definitions');
const own = rows.filter((row) => runners[row.test] !== undefined);
if (own.length === 0) test.skip('no such rows beside the checkout', () => {});
for (const row of own) test(row.name, () => runners[row.test]?.(row));
test.run();
