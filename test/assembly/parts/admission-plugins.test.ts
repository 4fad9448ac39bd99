import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ORDERED_PLUGINS } from '../../../runtime/admission/ordered-plugins.ts';
import { chosenPlugins } from '../../../runtime/assembly/parts/admission-plugins.ts';

const test = suite('admission plugins that flags choose');
const choose = (only: string[], enabled: string[] = [], disabled: string[] = []) =>
  chosenPlugins({ 'admission-control': only, 'enable-admission-plugins': enabled, 'disable-admission-plugins': disabled });

test('are added to and taken from those that run by default', () =>
  assert.equal(choose([], ['NodeRestriction'], ['LimitRanger']), { enabled: ['NodeRestriction'], disabled: ['LimitRanger'] }));

test('are those of the older flag alone', () => {
  const { enabled, disabled } = choose(['NamespaceLifecycle', 'AlwaysPullImages']);
  assert.equal(enabled, ['NamespaceLifecycle', 'AlwaysPullImages']);
  assert.is(disabled.length, ORDERED_PLUGINS.length - 2);
  assert.not.ok(disabled.some((name) => enabled.includes(name)));
});

test('are not chosen in both ways, nor by names that nobody has', () => {
  for (const others of [[['NodeRestriction']], [[], ['LimitRanger']]])
    assert.throws(() => choose(['LimitRanger'], ...others), /^--admission-control goes neither with/);
  assert.throws(() => choose(['Nope']), /^--admission-control: no admission plugin is named "Nope"$/);
});

test.run();
