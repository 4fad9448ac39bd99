/** A server with admission policies, for the tests of one file. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { jsonRequest } from './json-request.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
/** Path of the bindings of validating policies. */
export const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Answer = any;

let server: EmbeddedServer;

/** Starts a server before the first test; each test leaves neither policies nor config maps. */
export function policing(test: Test): void {
  test.before(async () => {
    server = await startServer({ dialect: 'kubernetes', flags: { controllers: ['-*'], 'disable-admission-plugins': ['ServiceAccount'] } });
  });
  test.after.each(async () => {
    for (const resource of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
      await request('DELETE', `${GROUP}/${resource}`);
    await request('DELETE', CONFIG_MAPS);
  });
  test.after(() => server.stop());
}

export const request = (method: string, path: string, body?: object, type?: string) =>
  jsonRequest<Answer>(server, method, path, body, type);

export const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

/** A policy about config maps, unless its specification says otherwise. */
export async function define(name: string, spec: object): Promise<void> {
  await put('ValidatingAdmissionPolicy', `${GROUP}/validatingadmissionpolicies`, name, {
    matchConstraints: { resourceRules: [RULE] },
    ...spec,
  });
}

export async function bind(name: string, spec: object): Promise<void> {
  await put('ValidatingAdmissionPolicyBinding', `${GROUP}/validatingadmissionpolicybindings`, name, {
    validationActions: ['Deny'],
    ...spec,
  });
}

async function put(kind: string, path: string, name: string, spec: object): Promise<void> {
  const answer = await request('POST', path, { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec });
  assert.is(answer.status, 201, JSON.stringify(answer.body));
  assert.is(answer.warnings, null);
}

export const configMap = (name: string, others: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...others });
export const create = (name: string, others: object = {}) => request('POST', CONFIG_MAPS, configMap(name, others));
