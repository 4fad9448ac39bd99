import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Rounds } from '../../../runtime/admission/request/rounds.ts';
import { Reinvocations } from '../../../runtime/admission/webhooks/reinvocations.ts';

const test = suite('webhooks that are asked again');
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
  const reinvocations = Reinvocations.of(new Rounds());
  reinvocations.invoked('before');
  reinvocations.changed();
  reinvocations.invoked('after');
  assert.equal([reinvocations.isDue('before'), reinvocations.isDue('after'), reinvocations.isDue('never')], [true, false, false]);
});

test('are all others as well where another plugin changes the object meanwhile', () => {
  const rounds = new Rounds();
  const changing = object({ k: '1' });
  const reinvocations = Reinvocations.of(rounds);
  reinvocations.invoked('one');
  reinvocations.end(changing);
  reinvocations.beginAgain(changing);
  assert.is(reinvocations.isDue('one'), false);
  changing.data = { k: '2' };
  Reinvocations.of(rounds).beginAgain(changing);
  assert.is(reinvocations.isDue('one'), true);
});

test.run();
