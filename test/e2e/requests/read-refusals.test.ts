/** What reads are refused for, and which refusal comes first (specification: Resource version semantics, Errors). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WATCHED = '/api/v1/watch/namespaces/default/configmaps';
const FUTURE = 900_000_000_000_000;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const STREAMING_LIST = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';

const test = suite('refusals of reads');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*'] });
  client = new Client(server);
  await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
});
test.after(async () => {
  client.close();
  await server.stop();
});

type Row = [name: string, target: string, accept: string, status: number, message: string];

const FORM = '406: Not Acceptable';
const NO_EXPORT = 'the export parameter, deprecated since v1.14, is no longer supported';
const TYPES = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS =
  'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const NOT_FOUND = 'the server could not find the requested resource';
const FIELD = '"x" is not a known field selector: only "metadata.name", "metadata.namespace"';
const ROWS: Row[] = [
  [
    'a limit of time that is none',
    `${CONFIGMAPS}?timeout=abc`,
    '',
    400,
    'invalid timeout specified in the request URL - time: invalid duration "abc"',
  ],
  ['a limit of time without a unit', `${CONFIGMAPS}?timeout=5`, '', 400, 'time: missing unit in duration "5"'],
  [
    'a watch of what is only listed',
    '/api/v1/componentstatuses?watch=1',
    '',
    405,
    'watch is not supported on resources of kind "componentstatuses"',
  ],
  ['the first of several fields that are not known', `${CONFIGMAPS}?fieldSelector=y%3D1,x%3D1`, '', 400, FIELD],
  ['the form before a field that is not known', `${CONFIGMAPS}?fieldSelector=x%3D1`, 'text/html', 406, FORM],
  [
    'a field that is not known before a form that does not stream',
    `${CONFIGMAPS}?watch=1&fieldSelector=x%3D1`,
    'application/yaml',
    400,
    FIELD,
  ],
  [
    'a version that is none before a form that does not stream',
    `${CONFIGMAPS}?watch=1&resourceVersion=x`,
    'application/yaml',
    400,
    'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  ['an object for another cluster', `${CONFIGMAPS}/none?export=1`, '', 400, NO_EXPORT],
  ['its scale', `${DEPLOYMENTS}/none/scale?export`, '', 400, NO_EXPORT],
  ['an object as it is', `${CONFIGMAPS}/none?export=false`, '', 404, 'configmaps "none" not found'],
  ['a form that does not stream', `${CONFIGMAPS}?watch=1&timeoutSeconds=1`, 'application/yaml', 406, STREAMS],
  ['a streaming list of Tables', `${CONFIGMAPS}?${STREAMING_LIST}`, TABLE, 406, TYPES],
  ['what is a streaming list without saying so, of Tables', `${CONFIGMAPS}?watch=1&allowWatchBookmarks=1`, TABLE, 406, TYPES],
  [
    'an exact version of the future',
    `${CONFIGMAPS}?resourceVersion=${FUTURE}&resourceVersionMatch=Exact`,
    '',
    410,
    `The resourceVersion for the provided list is not there: ${FUTURE}, current: `,
  ],
  [
    'a page of the future',
    `${CONFIGMAPS}?resourceVersion=${FUTURE}&limit=1`,
    '',
    410,
    'The resourceVersion for the provided list is not there',
  ],
  [
    'a version of the future',
    `/api/v1/events?resourceVersion=${FUTURE}`,
    '',
    504,
    `Timeout: Too large resource version: ${FUTURE}, current: `,
  ],
  ['the older path, checked as a list', `${WATCHED}?sendInitialEvents=true`, '', 422, 'sendInitialEvents is forbidden for list'],
  ['the older path that says it is a watch', `${WATCHED}?watch=1&resourceVersionMatch=NotOlderThan`, '', 422, 'forbidden for watch unless'],
  ['the older path of what cannot be watched', '/api/v1/watch/bindings', '', 404, NOT_FOUND],
  ['the older path of what is found out', '/api/v1/watch/componentstatuses', '', 404, NOT_FOUND],
  [
    'another name than that of the path',
    `${WATCHED}/a?fieldSelector=metadata.name%3Db`,
    '',
    400,
    "fieldSelector metadata.name doesn't match requested name",
  ],
];
for (const [name, target, accept, status, message] of ROWS)
  test(name, async () => {
    const answer = await client.get(target, accept === '' ? {} : { accept });
    const { message: seen } = accept === 'application/yaml' ? parse(answer.text) : answer.body;
    assert.equal([answer.status, seen.includes(message)], [status, true], `${answer.status} ${seen}`);
  });

const DELETIONS: [name: string, query: string, status: number, message: string][] = [
  ['options of the deletion before its token', 'propagationPolicy=x&continue=abc', 422, 'DeleteOptions.meta.k8s.io "" is invalid'],
  ['a field that is not known before options of the deletion', 'propagationPolicy=x&fieldSelector=x%3D1', 400, FIELD],
  ['options that are a watch of their own', 'watch=1&resourceVersionMatch=NotOlderThan', 422, 'forbidden for watch unless'],
  ['a token that is none', 'continue=abc', 400, 'invalid continue token'],
];
for (const [name, query, status, message] of DELETIONS)
  test(`of a collection: ${name}`, async () => {
    const answer = await client.delete(`${CONFIGMAPS}?labelSelector=none&${query}`);
    assert.equal([answer.status, answer.body.message.includes(message)], [status, true], answer.body.message);
  });

test('a Table of a streaming list is JSON for those who take that', async () => {
  const watch = await client.watch(`${CONFIGMAPS}?${STREAMING_LIST}`, { accept: `${TABLE}, application/json` });
  const types = (await Array.fromAsync(watch)).map(({ type, object }) => `${type} ${object.kind}`);
  assert.equal(types, ['ADDED ConfigMap', 'BOOKMARK ConfigMap']);
});

test('a Table of a watch without bookmarks is one', async () => {
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=0&timeoutSeconds=1`, { accept: TABLE });
  assert.equal(
    (await Array.fromAsync(watch)).map(({ type, object }) => `${type} ${object.kind}`),
    ['ADDED Table'],
  );
});

test.run();
