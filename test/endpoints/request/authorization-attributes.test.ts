/** What authorizers are asked about a request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authorizationAttributes } from '../../../runtime/endpoints/request/authorization-attributes.ts';
import { resolveRequestInfo } from '../../../runtime/endpoints/request/request-info.ts';

const test = suite('attributes for authorization');
const USER = { name: 'alice', uid: '', groups: [], extra: {} };
const MAPS = '/api/v1/namespaces/default/configmaps';
const nameOf = (query: string, method = 'GET', path = MAPS): string =>
  authorizationAttributes(resolveRequestInfo(method, `${path}?${query}`), USER, false).name;

const names: readonly [query: string, name: string][] = [
  ['fieldSelector=metadata.name%3Da', 'a'],
  ['fieldSelector=metadata.name%3D%3Da&watch=1', 'a'],
  ['fieldSelector=metadata.name%3Da&limit=5&timeoutSeconds=-1&labelSelector=x', 'a'],
  ['fieldSelector=metadata.name!%3Da', ''],
  ['fieldSelector=metadata.name%3Da%2Fb', ''],
  ['', ''],
  // what cannot be read names nothing
  ['fieldSelector=metadata.name%3Da&limit=x', ''],
  ['fieldSelector=metadata.name%3Da&limit=', ''],
  ['fieldSelector=metadata.name%3Da&timeoutSeconds=1.5&watch=1', ''],
  ['fieldSelector=metadata.name%3Da&labelSelector=%3D%3D', ''],
  ['fieldSelector=metadata.name%3Da,%3D%3D%3D,b', ''],
];
for (const [query, name] of names)
  test(`a list with ${decodeURIComponent(query)} is one of ${JSON.stringify(name)}`, () => assert.is(nameOf(query), name));
test('a deletion of a collection is never one of a name', () => assert.is(nameOf('fieldSelector=metadata.name%3Da', 'DELETE'), ''));
test('a path below /watch/ names what it watches', () =>
  assert.is(nameOf('fieldSelector=metadata.name%3Db', 'GET', '/api/v1/watch/namespaces/default/configmaps/a'), 'a'));

const FIELDS = [{ field: 'spec.nodeName', operator: '=', value: 'n' }];
const LABELS = [{ key: 'a', operator: '=', values: ['b'] }];
const SELECTED = 'fieldSelector=spec.nodeName%3Dn&labelSelector=a%3Db';
const selectors: readonly [name: string, request: [method: string, url: string], fields: unknown, labels: unknown][] = [
  ['a list', ['GET', `${MAPS}?${SELECTED}`], FIELDS, LABELS],
  ['a watch', ['GET', `${MAPS}?watch=1&${SELECTED}`], FIELDS, LABELS],
  ['a deletion of a collection', ['DELETE', `${MAPS}?${SELECTED}`], FIELDS, LABELS],
  ['one object', ['GET', `${MAPS}/a?${SELECTED}`], undefined, undefined],
  ['a new object', ['POST', `${MAPS}?${SELECTED}`], undefined, undefined],
  ['a path below /watch/', ['GET', `/api/v1/watch/configmaps?${SELECTED}`], undefined, undefined],
  ['a path of no resource', ['GET', `/healthz?${SELECTED}`], undefined, undefined],
  ['selectors of which one cannot be read', ['GET', `${MAPS}?fieldSelector=spec.nodeName%3Dn&labelSelector=%3D%3D`], FIELDS, undefined],
  ['empty selectors', ['GET', `${MAPS}?fieldSelector=&labelSelector=`], undefined, undefined],
];
for (const [name, [method, url], fields, labels] of selectors)
  test(`selectors of ${name}`, () => {
    const shown = authorizationAttributes(resolveRequestInfo(method, url), USER, true);
    assert.equal([shown.fieldSelector, shown.labelSelector], [fields, labels]);
    const hidden = authorizationAttributes(resolveRequestInfo(method, url), USER, false);
    assert.equal([hidden.fieldSelector, hidden.labelSelector], [undefined, undefined], 'where authorizers see none');
  });
test.run();
