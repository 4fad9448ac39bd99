/** Much that a server may say of itself, each in a form that is much work for some part of who reads it. */
import { AGGREGATED } from './lamp-cluster.ts';

/** Bytes: all that are read of a list of documents, and half of what is read of others. */
const LONGEST = 4 * 1024 * 1024;
/** Bytes that stand around what is repeated. */
const AROUND = 1024;

export const GROUP = 'lamps.example';
export const VERSION = `apis/${GROUP}/v1`;
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export interface LongDescription {
  readonly name: string;
  /** where it is asked for */
  readonly path: string;
  readonly type: string;
  /** what is found of it in the answer to a client; absent: nothing may be */
  readonly told?: string;
  readonly body: () => Buffer;
}

/** As many of some members or elements as fit. */
function filled(before: string, each: (index: number) => string, after: string): Buffer {
  const parts: string[] = [];
  let size = before.length + after.length + AROUND;
  for (let index = 0; ; index++) {
    const part = each(index);
    size += Buffer.byteLength(part) + 1;
    if (size > LONGEST) return Buffer.from(`${before}${parts.join(',')}${after}`);
    parts.push(part);
  }
}

const PATH = `"/${VERSION}/lamps":{"get":{"operationId":"listLamps","responses":{"200":{"description":"OK"}}}}`;
const swagger = (members: string): string => `{"swagger":"2.0","info":{"title":"Lamps","version":"1"},${members}`;

const swaggers: readonly Omit<LongDescription, 'path' | 'type'>[] = [
  {
    name: 'many paths',
    told: 'listLamps',
    body: () =>
      filled(
        `${swagger(`"paths":{${PATH}`)},`,
        (i) => `"/${VERSION}/lamps/${i}":{"get":{"produces":["application/json"],"responses":{"200":{"description":"OK"}}}}`,
        '}}',
      ),
  },
  {
    name: 'a path of many parameters',
    told: 'listLamps',
    body: () =>
      filled(
        `${swagger(`"paths":{${PATH}`)},"/${VERSION}/bulbs":{"parameters":[`,
        (i) => `{"name":"p${i}","in":"query","type":"string"}`,
        ']}}}',
      ),
  },
  {
    name: 'many definitions that nothing uses',
    told: 'example.Lamp7"',
    body: () => filled(`${swagger(`"paths":{${PATH}},"definitions":{`)}`, (i) => `"example.Lamp${i}":{"type":"object"}`, '}}'),
  },
  {
    name: 'a definition that is another than this server’s, which many use',
    told: `${META}_v2`,
    body: () =>
      filled(
        `${swagger(`"paths":{${PATH}},"definitions":{"${META}":{"type":"string"},"example.Lamp":{"properties":{`)}`,
        (i) => `"p${i}":{"$ref":"#/definitions/${META}"}`,
        '}}}}',
      ),
  },
  {
    name: 'one value of many elements',
    told: 'listLamps',
    body: () => filled(`${swagger(`"paths":{${PATH}},"definitions":{"example.Lamp":{"type":"object","enum":[`)}`, (i) => `${i}`, ']}}}'),
  },
  { name: 'much that is cut off', body: () => filled(`${swagger(`"paths":{${PATH}},"definitions":{`)}`, (i) => `"d${i}":{}`, '') },
];

const resource = (i: number): string =>
  `{"resource":"lamps${i}","responseKind":{"group":"","version":"","kind":"Lamp"},"scope":"Namespaced","singularResource":"lamp","verbs":["get"]}`;
const group = (versions: string): string => `{"metadata":{"name":"${GROUP}"},"versions":[${versions}`;
const GROUPS = '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[';

export const longDescriptions: readonly LongDescription[] = [
  ...swaggers.map((each): LongDescription => ({ ...each, path: '/openapi/v2', type: 'application/json' })),
  {
    name: 'a list of many documents',
    path: '/openapi/v3',
    type: 'application/json',
    told: `${VERSION}?hash=AB`,
    body: () =>
      filled(
        `{"paths":{"${VERSION}":{"serverRelativeURL":"/openapi/v3/${VERSION}?hash=AB"},`,
        (i) => `"apis/lamps${i}.example/v1":{"serverRelativeURL":"?hash=${i}"}`,
        '}}',
      ),
  },
  {
    name: 'many resources in all groups',
    path: '/apis',
    type: AGGREGATED,
    told: '"lamps7"',
    body: () => filled(`${GROUPS}${group('{"version":"v1","resources":[')}`, resource, ']}]}]}'),
  },
  {
    name: 'many groups',
    path: '/apis',
    type: AGGREGATED,
    told: '"lamps7"',
    body: () =>
      filled(
        `${GROUPS}${group(`{"version":"v1","resources":[${resource(7)}]}]}`)},`,
        (i) => `{"metadata":{"name":"g${i}"},"versions":[{}]}`,
        ']}',
      ),
  },
  {
    name: 'many resources of one version',
    path: `/${VERSION}`,
    type: 'application/json',
    told: '"lamps7"',
    body: () =>
      filled(
        `{"kind":"APIResourceList","groupVersion":"${GROUP}/v1","resources":[`,
        (i) => `{"name":"lamps${i}","singularName":"","namespaced":true,"kind":"Lamp","verbs":["get","list"]}`,
        ']}',
      ),
  },
  {
    name: 'many subresources of one resource',
    path: `/${VERSION}`,
    type: 'application/json',
    told: '"sub7"',
    body: () =>
      filled(
        `{"kind":"APIResourceList","groupVersion":"${GROUP}/v1","resources":[{"name":"lamps","namespaced":true},`,
        (i) => `{"name":"lamps/sub${i}","namespaced":true,"kind":"Lamp","verbs":["get"]}`,
        ']}',
      ),
  },
];
