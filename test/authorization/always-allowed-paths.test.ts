import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AlwaysAllowedPaths } from '../../runtime/authorization/always-allowed-paths.ts';
import { action, path, user } from './attributes.ts';

const test = suite('paths that everybody may have');
const USER = user('alice');
const rows: [paths: string[], asked: string, allowed: boolean][] = [
  [['/healthz'], '/healthz', true],
  [['/healthz'], '/healthz/ping', false],
  [['healthz'], '/healthz', true],
  [['/healthz*'], '/healthz/ping', true],
  [['/healthz*'], '/healthz', true],
  [['/healthz/*'], '/healthz', false],
  [['/'], '/', true],
  [['/'], '/metrics', false],
  [['*'], '/metrics', true],
  [[], '/', false],
];
for (const [paths, asked, allowed] of rows)
  test(`${JSON.stringify(paths)} allow ${asked}: ${allowed}`, () =>
    assert.is(new AlwaysAllowedPaths(paths).authorize(path(USER, `get ${asked}`)).decision, allowed ? 'allow' : 'noOpinion'));
test('are no resources', () => assert.is(new AlwaysAllowedPaths(['*']).authorize(action(USER, 'list pods in a')).decision, 'noOpinion'));
for (const wrong of ['/a*b', '/*/b', '**'])
  test(`have no * within ${wrong}`, () =>
    assert.throws(() => new AlwaysAllowedPaths(['/healthz', wrong]), `only a * at the end is allowed in ${JSON.stringify(wrong)}`));
test.run();
