/**
 * Kinds of the schemas become definitions: the custom resources of these answer as the kinds do. Texts of findings differ, where a keyword of a schema says
 * what the kind says in words of its own; reasons and fields do not. What the command tells of is left out: generations, a status of zeros, names, owners of places that
 * a kind always has.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { run } from '../../../codegen/commands/crd.ts';
import { Client, type Json } from '../../harness/client.ts';
import { projectRoot, startServer } from '../../harness/server.ts';
import { type Answered, converse, define, type Request } from './conversation.ts';

const GROUP = 'moved.example.com';

/** A kind, where it is served, and an object of it without its name. */
interface Subject {
  /** as the command takes it */
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** below the group version, such as `namespaces/default/leases` */
  readonly place: string;
  readonly good: object;
  /** the kind takes names that a custom resource does not */
  readonly takesAnyName?: true;
  /** objects that break something, by what that is */
  readonly wrong: Readonly<Record<string, object>>;
  /** merge patches of the good object, by what they do */
  readonly patches: Readonly<Record<string, object>>;
  /** what one manager applies, and what another one then does */
  readonly applied: readonly [object, object];
}

const DELETED = { spec: { minAvailable: null } };
const subjects: readonly Subject[] = [
  {
    name: 'coordination.k8s.io/v1/Lease',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    place: 'namespaces/default/leases',
    good: { spec: { holderIdentity: 'a', leaseDurationSeconds: 10, renewTime: '2026-01-02T03:04:05.000006Z' } },
    wrong: {
      'a duration of zero': { spec: { leaseDurationSeconds: 0 } },
      'negative numbers': { spec: { leaseDurationSeconds: -1, leaseTransitions: -1 } },
    },
    patches: {
      'another holder': { spec: { holderIdentity: 'b', leaseTransitions: 1 } },
      'what is wrong': { spec: { leaseTransitions: -5 } },
    },
    applied: [{ spec: { holderIdentity: 'x' } }, { spec: { holderIdentity: 'y' } }],
  },
  {
    name: 'scheduling.k8s.io/v1/PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    place: 'priorityclasses',
    good: { value: 10, description: 'For all.' },
    wrong: { 'an unknown policy': { value: 1, preemptionPolicy: 'Sometimes' } },
    patches: {
      'another text': { description: 'For none.' },
      'another value': { value: 11 },
      'another policy': { preemptionPolicy: 'Never' },
    },
    applied: [{ value: 5, description: 'a' }, { description: 'b' }],
  },
  {
    name: 'policy/v1/PodDisruptionBudget',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    place: 'namespaces/default/poddisruptionbudgets',
    takesAnyName: true,
    good: { spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } },
    wrong: {
      'both limits': { spec: { minAvailable: 1, maxUnavailable: 1 } },
      'a negative number': { spec: { minAvailable: -1 } },
      'no percent': { spec: { maxUnavailable: 'many' } },
      'more than all': { spec: { maxUnavailable: '101%' } },
      'an unknown policy': { spec: { unhealthyPodEvictionPolicy: 'Never' } },
    },
    patches: {
      'a percent': { spec: { minAvailable: '20%' } },
      'the other limit': { spec: { ...DELETED.spec, maxUnavailable: 2 } },
      'what is wrong': { spec: { maxUnavailable: '200%' } },
    },
    applied: [
      { spec: { minAvailable: 1, selector: { matchLabels: { a: '1' } } } },
      { spec: { selector: { matchLabels: { a: '2', b: '3' } } } },
    ],
  },
  {
    name: 'node.k8s.io/v1/RuntimeClass',
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    place: 'runtimeclasses',
    good: { handler: 'fast', overhead: { podFixed: { cpu: '100m', memory: '1Gi' } } },
    wrong: { 'a handler of another form': { handler: 'Not A Name' }, 'no handler': {} },
    patches: { 'another handler': { handler: 'slow' }, 'a selector': { scheduling: { nodeSelector: { disk: 'ssd' } } } },
    applied: [{ handler: 'a' }, { handler: 'b' }],
  },
];

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function requestsOf({ apiVersion, kind, place, good, takesAnyName, wrong, patches, applied }: Subject): Request[] {
  const at = `/apis/${apiVersion}/${place}`;
  const object = (name: string, members: object): object => ({ apiVersion, kind, metadata: { name, labels: { of: 'test' } }, ...members });
  const patch = (name: string, target: string, body: unknown, type: string): Request => ({
    name,
    method: 'PATCH',
    path: target,
    body,
    headers: { 'content-type': `application/${type}` },
  });
  const apply = (name: string, manager: string, members: object, query = ''): Request =>
    patch(name, `${at}/applied?fieldManager=${manager}${query}`, JSON.stringify(object('applied', members)), 'apply-patch+yaml');
  const get = (name: string, target: string, accept?: string): Request => ({
    name,
    method: 'GET',
    path: target,
    ...(accept !== undefined && { headers: { accept } }),
  });
  return [
    { name: 'create', method: 'POST', path: at, body: object('good', good) },
    { name: 'create again', method: 'POST', path: at, body: object('good', good) },
    { name: 'create next to nothing', method: 'POST', path: `${at}?dryRun=All`, body: object('bare', {}) },
    { name: 'drop unknown members', method: 'POST', path: `${at}?dryRun=All`, body: object('more', { ...good, nope: { a: 1 } }) },
    { name: 'warn of them', method: 'POST', path: `${at}?dryRun=All&fieldValidation=Warn`, body: object('more', { ...good, nope: 1 }) },
    ...(takesAnyName ? [] : [{ name: 'a wrong name', method: 'POST', path: at, body: object('Not A Name', good) }]),
    ...Object.entries(wrong).map(
      ([name, members]): Request => ({ name: `create ${name}`, method: 'POST', path: at, body: object('wrong', members) }),
    ),
    ...Object.entries(patches).map(([name, body]) => patch(`patch: ${name}`, `${at}/good`, body, 'merge-patch+json')),
    patch('JSON patch', `${at}/good`, [{ op: 'add', path: '/metadata/labels/more', value: 'yes' }], 'json-patch+json'),
    apply('apply', 'first', applied[0]),
    apply('apply the same', 'first', applied[0]),
    apply('conflict', 'second', applied[1]),
    apply('force', 'second', applied[1], '&force=true'),
    get('get', `${at}/good`),
    get('get what is not there', `${at}/none`),
    get('list', `${at}?labelSelector=of%3Dtest`),
    get('table', `${at}?labelSelector=of%3Dtest`, TABLE),
    get('metadata', `${at}/good`, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'),
    get('resources', `/apis/${apiVersion}`),
    { name: 'delete', method: 'DELETE', path: `${at}/good` },
  ];
}

const folder = mkdtempSync(path.join(tmpdir(), 'cluster-exported-'));
const server = await startServer({ dialect: 'kubernetes' });
/** Answers of kinds and of their custom resources, by the names of the kinds. */
const answers = new Map<string, { readonly own: Map<string, Answered>; readonly custom: Map<string, Answered> }>();
const documents = new Map<string, { readonly own: Json; readonly custom: Json }>();
for (const subject of subjects) {
  const out = path.join(folder, 'crd.yaml');
  const { error } = console;
  console.error = () => {};
  try {
    assert.is(await run(projectRoot, [subject.name, '--group', GROUP, '--out', out]), 0);
  } finally {
    console.error = error;
  }
  const [definition] = parseAllDocuments(readFileSync(out, 'utf8')).map((document) => document.toJS() as Json);
  await define(server, definition);
  const moved = { ...subject, apiVersion: `${GROUP}/v1` };
  answers.set(subject.kind, { own: await converse(server, requestsOf(subject)), custom: await converse(server, requestsOf(moved)) });
  const document = async ({ apiVersion }: Subject): Promise<Json> => (await new Client(server).get(`/openapi/v3/apis/${apiVersion}`)).body;
  documents.set(subject.kind, { own: await document(subject), custom: await document(moved) });
}
rmSync(folder, { recursive: true, force: true });

/** What both say alike: findings by reason and field, objects and rows without the name of the group. */
function alike({ status, warning, body }: Answered, { apiVersion, kind }: Subject): unknown {
  const text = JSON.stringify({ status, warning, body }).replaceAll(`${GROUP}/v1`, '<version>').replaceAll(apiVersion, '<version>');
  const { body: said, ...others }: Json = JSON.parse(
    text.replaceAll(GROUP, '<group>').replaceAll(apiVersion.split('/')[0] as string, '<group>'),
  );
  if (said.kind === 'Status')
    return {
      ...others,
      reason: said.reason,
      // that rules were not looked at is said besides
      causes: said.details?.causes
        ?.filter(({ field }: Json) => field !== '<nil>')
        .map(({ reason, field }: Json) => `${reason} ${field}`)
        .sort(),
    };
  if (said.kind === 'Table')
    return {
      ...others,
      columns: said.columnDefinitions.filter(({ name }: Json) => isShown(name)).map(({ name, priority }: Json) => [name, priority]),
      rows: said.rows.map(({ cells }: Json) => cells.filter((_: unknown, index: number) => isShown(said.columnDefinitions[index].name))),
    };
  if (said.kind === 'PartialObjectMetadata') return { ...others, body: plain(said) };
  if (said.kind === 'APIResourceList')
    return said.resources
      .filter((each: Json) => each.kind === kind)
      .map(({ storageVersionHash: _, verbs, ...each }: Json) => ({ ...each, verbs: [...verbs].sort() }));
  return { ...others, body: said.items === undefined ? plain(said) : said.items.map(element) };
}

/** What appliers own is compared, and all that is neither told of nor the server's own. */
function plain({ metadata, status: _, ...object }: Json): Json {
  const { generation: __, managedFields = [], ...kept } = metadata;
  return { ...object, metadata: { ...kept, managedFields: managedFields.filter(({ operation }: Json) => operation === 'Apply') } };
}

/** Elements of lists name their kind where they are custom resources. */
const element = ({ kind: _, apiVersion: __, ...object }: Json): Json => plain(object);

/** Columns that are made of more than a member are none of a custom resource, and one of what is absent is empty. */
const MADE = new Set(['Min Available', 'Max Unavailable', 'Global-Default', 'Allowed Disruptions']);
const isShown = (name: string): boolean => !MADE.has(name);

const test = suite('a definition of a kind');
for (const subject of subjects)
  for (const { name } of requestsOf(subject))
    test(`answers as the kind does: ${subject.kind}, ${name}`, () => {
      const { own, custom } = answers.get(subject.kind) as { own: Map<string, Answered>; custom: Map<string, Answered> };
      assert.equal(alike(custom.get(name) as Answered, subject), alike(own.get(name) as Answered, subject));
    });
for (const subject of subjects)
  test(`describes the members of the kind: ${subject.kind}`, () => {
    const { own, custom } = documents.get(subject.kind) as { own: Json; custom: Json };
    const schemaIn = (document: Json) =>
      Object.values(document.components.schemas).find((schema: Json) =>
        schema['x-kubernetes-group-version-kind']?.some(({ kind }: Json) => kind === subject.kind),
      ) as Json;
    assert.equal(membersOf(schemaIn(custom), custom), membersOf(schemaIn(own), own));
  });
test.after(async () => {
  await server.stop();
});
test.run();

/** Names of members at every level, but for metadata and what stands behind feature gates. */
function membersOf(schema: Json, document: Json): unknown {
  const [reference] = [schema.$ref ?? schema.allOf?.[0]?.$ref].flat();
  if (reference !== undefined) return membersOf(document.components.schemas[reference.split('/').at(-1)], document);
  if (schema.items !== undefined) return [membersOf(schema.items, document)];
  if (schema.properties === undefined) return schema.additionalProperties === undefined ? 'value' : 'map';
  const members = Object.entries(schema.properties).filter(([name]) => !['metadata', 'strategy', 'preferredHolder'].includes(name));
  return Object.fromEntries(members.sort().map(([name, each]) => [name, membersOf(each, document)]));
}
