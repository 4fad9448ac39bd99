/** Writes `default-policy.ts`: the roles and bindings of a new cluster as data. */
import { createHash } from 'node:crypto';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import type { IdentityData } from '../../runtime/contract/identity.ts';
import { formProblem } from '../read/form-problem.ts';
import { header, literal, quote, render } from './typescript.ts';

export const DEFAULT_POLICY_FILE = 'schemas/default-policy.yaml';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text, minItems: 1 };
const closed = (properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const rule = {
  oneOf: [
    closed(
      {
        verbs: texts,
        apiGroups: { type: 'array', items: { type: 'string' }, minItems: 1 },
        resources: texts,
        resourceNames: texts,
        featureGates: texts,
      },
      ['verbs', 'apiGroups', 'resources'],
    ),
    closed({ verbs: texts, nonResourceURLs: texts, featureGates: texts }, ['verbs', 'nonResourceURLs']),
  ],
};
const subject = {
  oneOf: [
    closed({ user: text }, ['user']),
    closed({ group: text }, ['group']),
    closed({ serviceAccount: text, namespace: text }, ['serviceAccount', 'namespace']),
  ],
};
const rules = { type: 'array', items: rule };
// A role of a namespace is always the same: what makes it knows no gates.
const ungatedRules = { type: 'array', items: { ...rule, type: 'object', properties: { featureGates: false } } };
const subjects = { type: 'array', items: subject };
const list = (item: object) => ({ type: 'array', items: item });

const wellFormed = new Ajv({ allErrors: true }).compile<Record<string, readonly Record<string, unknown>[]>>(
  closed(
    {
      clusterRoles: list({
        oneOf: [
          closed({ name: text, aggregateTo: text, featureGates: texts, rules }, ['name', 'rules']),
          closed({ name: text, aggregateTo: text, aggregate: text }, ['name', 'aggregate']),
        ],
      }),
      roles: list(closed({ name: text, namespace: text, rules: ungatedRules }, ['name', 'namespace', 'rules'])),
      clusterRoleBindings: list(closed({ name: text, clusterRole: text, like: text, subjects }, ['name', 'clusterRole', 'subjects'])),
      roleBindings: list({
        oneOf: [
          closed({ name: text, namespace: text, clusterRole: text, subjects }, ['name', 'namespace', 'clusterRole', 'subjects']),
          closed({ name: text, namespace: text, role: text, subjects }, ['name', 'namespace', 'role', 'subjects']),
        ],
      }),
    },
    ['clusterRoles', 'roles', 'clusterRoleBindings', 'roleBindings'],
  ),
);

/**
 * @param yaml the text of `schemas/default-policy.yaml`
 * @param gates names of all feature gates
 * @returns the source of a module that exports `defaultPolicy`, in the order of the file
 * @throws Error that lists everything that is wrong with the file
 */
export function emitDefaultPolicy(yaml: string, identity: IdentityData, gates: ReadonlySet<string>): string {
  const file: unknown = parse(yaml);
  const problems = wellFormed(file)
    ? [...inconsistencies(file, yaml, identity), ...unknownGates(file, gates)]
    : (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${formProblem(e)}`);
  if (problems.length > 0) throw new Error(`${DEFAULT_POLICY_FILE}:\n  ${problems.join('\n  ')}`);
  const sections = Object.entries(file as Record<string, readonly object[]>);
  return render('default-policy.ts.hbs', {
    header: header(DEFAULT_POLICY_FILE),
    sections: sections.map(([name, rows]) => ({ name, rows: rows.map(literal) })),
  });
}

/** @returns the source of a module that exports `defaultPolicyHash`, which changes with the content of the table, and the feature gates that the table names */
export function emitDefaultPolicyHash(yaml: string): string {
  const file = parse(yaml);
  const hash = createHash('sha256').update(JSON.stringify(file)).digest('hex').slice(0, 32);
  const gates = literal([...new Set(gatesOf(file))].sort());
  return render('default-policy-hash.ts.hbs', { header: header(DEFAULT_POLICY_FILE), hash: quote(hash), gates });
}

const gatesOf = ({ clusterRoles = [] }: { readonly clusterRoles?: readonly (Gated & { readonly rules?: readonly Gated[] })[] }): string[] =>
  clusterRoles.flatMap((role) => [role, ...(role.rules ?? [])]).flatMap(({ featureGates = [] }) => featureGates);

interface Gated {
  readonly featureGates?: readonly string[];
}

const unknownGates = (file: object, gates: ReadonlySet<string>): string[] =>
  gatesOf(file)
    .filter((gate) => !gates.has(gate))
    .map((gate) => `${gate} is no feature gate`);

function inconsistencies(file: Record<string, readonly Record<string, unknown>[]>, yaml: string, identity: IdentityData): string[] {
  const problems = [...yaml.matchAll(/\$\{(\w+)\}/g)]
    .filter(([, name]) => !Object.hasOwn(identity.names, name as string))
    .map(([placeholder]) => `${placeholder} is no name of identity.yaml`);
  const keys = new Set<string>();
  for (const [section, rows] of Object.entries(file))
    for (const { namespace = '', name } of rows) {
      const key = `${section} ${namespace}/${name}`;
      if (keys.has(key)) problems.push(`${key} stands there twice`);
      keys.add(key);
    }
  for (const [section, rows] of Object.entries(file))
    for (const { name, namespace, role, clusterRole } of rows) {
      const bound =
        clusterRole !== undefined ? `clusterRoles /${clusterRole}` : role !== undefined ? `roles ${namespace}/${role}` : undefined;
      if (bound !== undefined && !keys.has(bound)) problems.push(`${section} ${name}: there is no ${bound}`);
    }
  return problems;
}
