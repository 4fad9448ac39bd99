/** A server with mutating policies, for the tests of one file. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, type ServerOptions, startServer } from '../../../runtime/embedded/start-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
export type Answer = any;

let server: EmbeddedServer;
let domain = 'k8s.io';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const group = () => `admissionregistration.${domain}`;
const path = (resource: string) => `/apis/${group()}/v1alpha1/${resource}`;

export const policyFlags = (of: string) => ({
  controllers: ['-*'],
  'feature-gates': { MutatingAdmissionPolicy: true },
  'runtime-config': { [`admissionregistration.${of}/v1alpha1`]: true },
});

/** Starts it before the first test; each test leaves neither policies nor config maps. */
export function withPolicies(test: Test, dialect: 'kubernetes' | 'cluster' = 'kubernetes', flags: ServerOptions['flags'] = {}): void {
  test.before(async () => {
    domain = dialect === 'kubernetes' ? 'k8s.io' : 'cluster.io';
    server = await startServer({ dialect, flags: { ...policyFlags(domain), ...flags } });
  });
  test.after.each(async () => {
    for (const resource of ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies']) await request('DELETE', path(resource));
    await request('DELETE', CONFIG_MAPS);
  });
  test.after(() => server.stop());
}

/** @param user who it is for; the administrator without one */
export async function request(method: string, to: string, body?: object, type = 'application/json', user?: string) {
  const headers = { ...(body && { 'content-type': type }), ...(user && { 'impersonate-user': user }) };
  const answer = await server.client.fetch(to, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text) as Answer, warnings: answer.headers.get('warning') };
}

export const configuration = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
export const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
/** Sets a label. @param value an expression */
export const label = (name: string, value: string) =>
  configuration(`Object{metadata: Object.metadata{labels: {${JSON.stringify(name)}: ${value}}}}`);

export const rule = (others: object = {}) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
  ...others,
});

export interface Said {
  /** default: config maps */
  readonly rules?: readonly object[];
  readonly mutations: readonly object[];
  /** more of the policy */
  readonly spec?: object;
  /** more of its binding */
  readonly bound?: object;
}

/** A policy with a binding of its name. */
export async function policy(name: string, { rules = [rule()], mutations, spec = {}, bound = {} }: Said): Promise<void> {
  const full = { matchConstraints: { resourceRules: rules }, reinvocationPolicy: 'Never', mutations, ...spec };
  await create('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', name, full);
  await create('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', name, { policyName: name, ...bound });
}

export async function create(resource: string, kind: string, name: string, spec: object): Promise<void> {
  const answer = await request('POST', path(resource), { apiVersion: `${group()}/v1alpha1`, kind, metadata: { name }, spec });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  assert.is(answer.warnings, null);
}

export const remove = (resource: string, name: string) => request('DELETE', `${path(resource)}/${name}`);

export const configMap = (name: string, others: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...others });
export const createMap = (name: string, others: object = {}, query = '') => request('POST', CONFIG_MAPS + query, configMap(name, others));
