/** What servers of earlier releases say of their API in OpenAPI documents. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import type { OpenapiDocument, Schema } from '../../../runtime/openapi/document.ts';
import { type EmulatingServer, withServer } from './server.ts';

const documents = suite('OpenAPI of emulated releases');

interface Row {
  readonly name: string;
  readonly release: string;
  readonly dialect: Dialect;
  /** below /openapi/v3/ */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
  /** a document, a definition in it, and properties that it has or lacks */
  readonly properties: readonly (readonly [document: string, definition: string, has: readonly string[], lacks: readonly string[]])[];
}

const rows: readonly Row[] = [
  {
    name: 'versions that are gone have documents, those to come have none',
    release: '1.20',
    dialect: 'kubernetes',
    has: ['apis/extensions/v1beta1', 'apis/policy/v1beta1', 'apis/batch/v1beta1', 'apis/autoscaling/v2beta2', 'api/v1', 'version'],
    lacks: ['apis/policy/v1', 'apis/autoscaling/v2', 'apis/resource.k8s.io/v1beta1'],
    properties: [
      ['api/v1', 'io.k8s.api.core.v1.PodSpec', ['containers', 'ephemeralContainers'], ['os', 'schedulingGates', 'resourceClaims']],
      ['apis/policy/v1beta1', 'io.k8s.api.policy.v1beta1.PodSecurityPolicySpec', ['runAsUser', 'seLinux'], []],
      ['apis/batch/v1', 'io.k8s.api.batch.v1.JobSpec', ['template', 'backoffLimit'], ['suspend', 'completionMode', 'podFailurePolicy']],
    ],
  },
  {
    name: 'groups of the other dialect have its names',
    release: '1.26',
    dialect: 'cluster',
    has: ['apis/policy/v1', 'apis/storage.cluster.io/v1beta1', 'apis/flowcontrol.apiserver.cluster.io/v1beta3'],
    lacks: ['apis/policy/v1beta1', 'apis/autoscaling/v2beta2', 'apis/flowcontrol.apiserver.cluster.io/v1'],
    properties: [
      ['api/v1', 'io.k8s.api.core.v1.PodSpec', ['os', 'schedulingGates', 'resourceClaims'], []],
      ['api/v1', 'io.k8s.api.core.v1.Container', ['livenessProbe'], ['resizePolicy', 'restartPolicy']],
    ],
  },
];

for (const { name, release, dialect, has, lacks, properties } of rows)
  documents(`${name} (${release}, ${dialect})`, () =>
    withServer(release, { dialect }, async (server) => {
      const { body: list } = await server.call('GET', '/openapi/v3');
      const paths = Object.keys(list.paths);
      for (const path of has) assert.ok(paths.includes(path), `${path} is among ${paths.join(' ')}`);
      for (const path of lacks) assert.not(paths.includes(path), path);
      for (const [path, definition, there, absent] of properties) {
        const { schemas } = (await documentOf(server, path)).components;
        const found = Object.keys(schemas[definition]?.properties ?? {});
        for (const each of there) assert.ok(found.includes(each), `${definition} has ${each}`);
        for (const each of absent) assert.not(found.includes(each), `${definition} has no ${each}`);
      }
      const { body: swagger } = await server.call('GET', '/openapi/v2');
      assert.is(swagger.info.version, `v${release}.0`);
      assert.not('parameters' in swagger, 'operations state their parameters themselves, as clients of that time expect');
      for (const [path, definition] of properties) {
        const { schemas } = (await documentOf(server, path)).components;
        assert.equal(
          Object.keys(swagger.definitions[definition].properties),
          Object.keys((schemas[definition] as Schema).properties ?? {}),
          definition,
        );
      }
    }),
  );

documents('the binary form has what the other has', () =>
  withServer('1.18', {}, async ({ call }) => {
    const { body } = await call('GET', '/openapi/v2', undefined, { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' });
    assert.ok(String(body).includes('/apis/extensions/v1beta1/namespaces/{namespace}/ingresses'));
    assert.not(String(body).includes('/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses'));
  }),
);

documents('custom resources stand beside them', () =>
  withServer('1.20', {}, async (server) => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'toys.example.com' },
      spec: {
        group: 'example.com',
        version: 'v1',
        scope: 'Namespaced',
        names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
        validation: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } } },
        },
        preserveUnknownFields: false,
      },
    };
    const { status, body } = await server.call('POST', '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions', definition);
    assert.is(status, 201, JSON.stringify(body));
    const { schemas } = (await eventually(() => documentOf(server, 'apis/example.com/v1'))).components;
    assert.equal(schemas['com.example.v1.Toy']?.properties?.spec?.properties, { colour: { type: 'string' } });
  }),
);
documents.run();

async function documentOf(server: EmulatingServer, path: string): Promise<OpenapiDocument> {
  const { status, body } = await server.call('GET', `/openapi/v3/${path}`);
  assert.is(status, 200, path);
  return body;
}

const PATIENCE = 10_000;

/** @returns what `ask` gives once it does not fail */
async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
