/** An aggregated server beside the one that delegates to it, each a process, with an account that has the rights it needs and no others. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { authority, Client, type Json } from './client.ts';
import { startServer, type TestServer } from './server.ts';

export interface AggregatedOptions {
  /** custom resource definitions; those of lamps by default */
  readonly definitions?: readonly object[];
  /** after the ones that the harness gives */
  readonly flags?: readonly string[];
  /** namespace of the account and its name; `default` by default */
  readonly account?: string;
}

export const LAMPS_GROUP = 'lights.example.com';

/** Lamps in two versions, of which v1 is stored; with a default, a status, a column and a short name. */
export function lampsDefinition(text: (template: string) => string): object {
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { colour: { type: 'string', enum: ['Amber', 'White'], default: 'White' } } },
          status: { type: 'object', properties: { lit: { type: 'boolean' } } },
        },
      },
    },
  });
  return {
    apiVersion: text('apiextensions.${groupDomain}/v1'),
    kind: 'CustomResourceDefinition',
    metadata: { name: `lamps.${LAMPS_GROUP}` },
    spec: {
      group: LAMPS_GROUP,
      scope: 'Namespaced',
      names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList', shortNames: ['lp'] },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  };
}

/** Makes an account for the aggregated server, unless it is there. @returns a client configuration that has its token */
export async function delegatedAccount(delegating: TestServer, name = 'lights'): Promise<object> {
  const client = new Client(delegating);
  const { name: text } = { name: (template: string) => client.name(template) };
  const rbac = text('/apis/rbac.authorization.${groupDomain}/v1');
  const group = text('rbac.authorization.${groupDomain}');
  const system = text('${systemNamespace}');
  const role = (kind: string, role: string): object => ({
    roleRef: { apiGroup: group, kind, name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  });
  const reads = { verbs: ['get', 'list', 'watch'] };
  const objects: [path: string, object: object][] = [
    ['/api/v1/namespaces/default/serviceaccounts', { metadata: { name } }],
    [
      `${rbac}/clusterroles`,
      {
        metadata: { name },
        rules: [
          { ...reads, apiGroups: [''], resources: ['namespaces'] },
          {
            ...reads,
            apiGroups: [text('admissionregistration.${groupDomain}')],
            resources: [
              'mutatingwebhookconfigurations',
              'validatingwebhookconfigurations',
              'validatingadmissionpolicies',
              'validatingadmissionpolicybindings',
            ],
          },
        ],
      },
    ],
    [`${rbac}/clusterrolebindings`, { metadata: { name }, ...role('ClusterRole', name) }],
    [`${rbac}/clusterrolebindings`, { metadata: { name: `${name}-delegator` }, ...role('ClusterRole', 'system:auth-delegator') }],
    [
      `${rbac}/namespaces/${system}/rolebindings`,
      { metadata: { name: `${name}-reader` }, ...role('Role', 'extension-apiserver-authentication-reader') },
    ],
  ];
  for (const [at, object] of objects) {
    const { status, text: answer } = await client.post(at, object);
    if (status >= 300 && status !== 409) throw new Error(`${at}: ${answer}`);
  }
  const token = await accountToken(client, name);
  client.close();
  return {
    kind: 'Config',
    apiVersion: 'v1',
    clusters: [
      {
        name: 'delegating',
        cluster: { server: delegating.url, 'certificate-authority-data': Buffer.from(authority(delegating)).toString('base64') },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name: 'delegating', context: { cluster: 'delegating', user: name } }],
    'current-context': 'delegating',
  };
}

/** A token of an account in the namespace `default`. */
export async function accountToken(client: Client, name: string): Promise<string> {
  const { body, text }: Json = await client.post(`/api/v1/namespaces/default/serviceaccounts/${name}/token`, { spec: {} });
  if (body?.status?.token === undefined) throw new Error(text);
  return body.status.token;
}

/** Its `tokens` are not known to it: those of the delegating server are. */
export async function startAggregatedServer(delegating: TestServer, options: AggregatedOptions = {}): Promise<TestServer> {
  const client = new Client(delegating);
  const { definitions = [lampsDefinition((template) => client.name(template))], flags = [], account } = options;
  client.close();
  const folder = delegating.directory;
  const kubeconfig = path.join(folder, `aggregated-${account ?? 'lights'}.conf`);
  const file = path.join(folder, `definitions-${account ?? 'lights'}.yaml`);
  await writeFile(kubeconfig, JSON.stringify(await delegatedAccount(delegating, account)), { mode: 0o600 });
  await writeFile(file, definitions.map((each) => JSON.stringify(each)).join('\n---\n'));
  return startServer({
    dialect: delegating.dialect,
    tokenFile: false,
    flags: [
      '--delegated-authentication',
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--served-definitions=${file}`,
      ...flags,
    ],
  });
}
