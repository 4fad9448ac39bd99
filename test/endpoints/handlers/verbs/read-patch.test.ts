import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, JSON_PATCH, MERGE, STRATEGIC } from '../asked-server.ts';

const test = suite('reading of patches');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

const IGNORING = `${MAPS}/a?fieldValidation=Ignore`;
const send = (type: string, body: unknown, of = `${MAPS}/a`) => server.ask('PATCH', of, { body, type });
test.before(() => server.post(MAPS, map('a')).then(() => undefined));
const wrong: readonly [what: string, type: string, body: unknown, status: number, message: RegExp][] = [
  ['no JSON', MERGE, '{', 400, /error decoding patch: unexpected end of JSON input|unexpected EOF/],
  ['a merge patch that is a list', MERGE, [], 400, /cannot|json/],
  ['a merge patch of nothing', MERGE, 'null', 400, /^Invalid JSON Patch$/],
  [
    'a number beyond the doubles',
    MERGE,
    '{"x":1e400}',
    400,
    /^error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64$/,
  ],
  [
    'such a number in a strategic patch',
    STRATEGIC,
    '{"x":-1e400}',
    400,
    /^json: cannot unmarshal number -1e400 into Go value of type float64$/,
  ],
  ['an operation that is none', JSON_PATCH, [{ op: 'jump', path: '/a' }], 422, /./],
  ['a place that is not there', JSON_PATCH, [{ op: 'replace', path: '/data/none/x', value: 1 }], 422, /./],
];
for (const [what, type, body, status, message] of wrong)
  test(`refuses ${what}`, async () => {
    const answer = await send(type, body);
    assert.is(answer.status, status);
    assert.match(answer.body.message, message);
  });
const unvalidated: readonly [what: string, type: string, body: string, status: number, message: RegExp][] = [
  ['no JSON', MERGE, '{', 400, /^Invalid JSON Patch$/],
  ['a merge patch of nothing', MERGE, 'null', 400, /^Invalid JSON Patch$/],
  ['a merge patch that is a text', MERGE, '"a"', 400, /^Invalid JSON Patch$/],
  [
    'a merge patch that is a list',
    MERGE,
    '[]',
    422,
    /^ "" is invalid: patch: Invalid value: "\[\]": couldn't get version\/kind; json parse error: json: cannot/,
  ],
  ['operations that are none', JSON_PATCH, '{}', 400, /^json: cannot unmarshal object into Go value of type jsonpatch\.Patch$/],
  ['an operation that is a number', JSON_PATCH, '[1]', 400, /^json: cannot unmarshal number into Go value of type jsonpatch\.Operation$/],
  ['an operation whose kind is a number', JSON_PATCH, '[{"op":1,"path":"/a"}]', 422, /^the server rejected our request/],
];
for (const [what, type, body, status, message] of unvalidated)
  test(`refuses ${what} where fields are not validated`, async () => {
    const answer = await send(type, body, IGNORING);
    assert.is(answer.status, status);
    assert.match(answer.body.message, message);
  });
test('says what is wrong with a patch once there is an object to patch', async () =>
  assert.is((await send(MERGE, '{', `${MAPS}/none`)).status, 404));
test('changes nothing by a strategic patch of nothing', async () => assert.is((await send(STRATEGIC, 'null')).status, 200));
test('refuses a patch of too many operations', async () => {
  const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
  assert.is((await send(JSON_PATCH, operations)).status, 413);
});

test.run();
