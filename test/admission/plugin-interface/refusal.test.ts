import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forbidden, isOf, isPod } from '../../../runtime/admission/plugin-interface/refusal.ts';
import { shownName } from '../../../runtime/admission/request/shown-name.ts';
import { type Asked, attributesOf } from '../asking.ts';

const test = suite('refusals of plugins');

const NAMES: readonly (readonly [name: string, asked: Asked, shown: string])[] = [
  ['of the path', { name: 'x' }, 'x'],
  ['of the object', { name: '', object: { metadata: { name: 'y' } } }, 'y'],
  ['that it begins with', { name: '', object: { metadata: { generateName: 'z-' } } }, 'z-'],
  ['none', { name: '' }, 'Unknown'],
];
for (const [name, asked, shown] of NAMES) test(`the name ${name}`, () => assert.is(shownName(attributesOf(asked)), shown));

test('name the resource with its group', () => {
  const { status } = forbidden(attributesOf({ group: 'apps', resource: 'deployments' }), 'so it is');
  assert.equal([status.code, status.message], [403, 'deployments.apps "x" is forbidden: so it is']);
});

test('a subresource is not the object itself', () => {
  assert.ok(isPod(attributesOf({})));
  assert.not(isPod(attributesOf({ subresource: 'status' })));
  assert.not(isOf(attributesOf({ group: 'e.com' }), '', 'pods'));
});

test.run();
