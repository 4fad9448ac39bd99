/** Bodies of nearly 3 MiB that are much work for whoever reads them. */

/** Bytes; a little less than what is taken. */
const SIZE = 2_900_000;

export interface LongBody {
  readonly name: string;
  readonly path: string;
  readonly contentType?: string;
  /** makes the text of it */
  readonly text: () => string;
}

/** One that has held a server. */
export interface Attack extends LongBody {
  /** of its answer */
  readonly status: number;
}

/** As many elements as there is room for. */
export function many(element: (index: number) => string, size = SIZE): string {
  const one = element(100_000).length + 1;
  return Array.from({ length: Math.floor(size / one) }, (_, index) => element(index)).join(',');
}

const NAMESPACE = '/api/v1/namespaces/default';
const meta = '"metadata":{"generateName":"long-"}';
const configMap = (members: string): string => `{"apiVersion":"v1","kind":"ConfigMap",${meta},${members}}`;
const service = (spec: string): string => `{"apiVersion":"v1","kind":"Service",${meta},"spec":{${spec}}}`;
const pod = (spec: string): string => `{"apiVersion":"v1","kind":"Pod",${meta},"spec":{"containers":[{"name":"a","image":"b"}],${spec}}}`;
const definition = (schema: string): string =>
  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]}}`;
const policy = (spec: string): string =>
  `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",${meta},"spec":{${spec}}}`;

/** Those that have held a server. */
export const attacks: readonly Attack[] = [
  { name: 'empty ports', path: `${NAMESPACE}/services`, text: () => service(`"ports":[${many(() => '{}')}]`), status: 422 },
  {
    name: 'empty topology constraints',
    path: `${NAMESPACE}/pods`,
    text: () => pod(`"topologySpreadConstraints":[${many(() => '{}')}]`),
    status: 422,
  },
  {
    name: 'wrong keys of data',
    path: `${NAMESPACE}/configmaps`,
    text: () => configMap(`"data":{${many((i) => `"/${i}":""`)}}`),
    status: 422,
  },
  {
    name: 'wrong amounts of resources',
    path: `${NAMESPACE}/pods`,
    text: () =>
      `{"apiVersion":"v1","kind":"Pod",${meta},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{${many((i) => `"/${i}":"-1"`)}}}}]}}`,
    status: 422,
  },
  {
    name: 'values of a wrong type',
    path: `${NAMESPACE}/configmaps`,
    text: () => configMap(`"data":{${many((i) => `"k${i}":1`)}}`),
    status: 400,
  },
  {
    name: 'keys of data and of binary data',
    path: `${NAMESPACE}/configmaps`,
    text: () => configMap(`"data":{${many((i) => `"k${i}":""`, SIZE / 2)}},"binaryData":{${many((i) => `"k${i}":""`, SIZE / 2)}}`),
    status: 422,
  },
  {
    name: '180,000 right keys',
    path: `${NAMESPACE}/configmaps`,
    text: () => configMap(`"data":{${many((i) => `"key${i}":"v"`)}}`),
    status: 201,
  },
  { name: 'unknown members', path: `${NAMESPACE}/configmaps`, text: () => configMap(many((i) => `"x${i}":1`)), status: 201 },
  {
    name: 'an access review of many requirements',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    text: () =>
      `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"labelSelector":{"requirements":[${many(() => '{}')}]}}}}`,
    status: 422,
  },
  {
    name: 'lines of directives',
    path: `${NAMESPACE}/configmaps`,
    contentType: 'application/yaml',
    text: () => `${'%FOO x\n'.repeat(SIZE / 7)}---\nkind: ConfigMap\n`,
    status: 400,
  },
  {
    name: 'a long pattern',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    text: () => definition(`{"type":"object","properties":{"a":{"type":"string","pattern":"${'(a|b)*'.repeat(SIZE / 6)}"}}}`),
    status: 422,
  },
  {
    name: 'empty audit annotations',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    text: () =>
      policy(
        `"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["*"]}]},"auditAnnotations":[${many(() => '{}')}]`,
      ),
    status: 422,
  },
];
