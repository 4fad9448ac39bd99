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
test.run();
