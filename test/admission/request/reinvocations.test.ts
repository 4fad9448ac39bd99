import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Reinvocations } from '../../../runtime/admission/request/reinvocations.ts';
import { Rounds } from '../../../runtime/admission/request/rounds.ts';

const test = suite('who sees a request again');
const PLUGIN = {};
const object = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });

test('there is a second round where somebody asks for it, and no third', () => {
  const rounds = new Rounds();
  assert.is(rounds.next(), false);
  rounds.askAgain();
  assert.is(rounds.isSecond, false);
  assert.is(rounds.next(), true);
  assert.is(rounds.isSecond, true);
  rounds.askAgain();
  assert.is(rounds.next(), false);
});

test('are those that saw the object before it changed', () => {
  const reinvocations = Reinvocations.of(new Rounds(), PLUGIN);
  reinvocations.invoked('before');
  reinvocations.changed();
  reinvocations.invoked('after');
  assert.equal([reinvocations.isDue('before'), reinvocations.isDue('after'), reinvocations.isDue('never')], [true, false, false]);
});

test('are all others as well where another plugin changes the object meanwhile', () => {
  const rounds = new Rounds();
  const changing = object({ k: '1' });
  const reinvocations = Reinvocations.of(rounds, PLUGIN);
  reinvocations.invoked('one');
  reinvocations.end(changing);
  reinvocations.beginAgain(changing);
  assert.is(reinvocations.isDue('one'), false);
  changing.data = { k: '2' };
  Reinvocations.of(rounds, PLUGIN).beginAgain(changing);
  assert.is(reinvocations.isDue('one'), true);
});

test('each plugin has its own', () => {
  const rounds = new Rounds();
  const reinvocations = Reinvocations.of(rounds, PLUGIN);
  reinvocations.invoked('one');
  Reinvocations.of(rounds, {}).changed();
  assert.is(reinvocations.isDue('one'), false);
});

test.run();
