import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LongRequestTurns, type Turn } from '../../../runtime/assembly/long-requests/long-request-turns.ts';

const test = suite('turns of long requests');
const MIB = 1024 * 1024;
const turn = (user: string, bytes = 20_000): Turn => ({ user, bytes });

/** @returns whose turns begin, one after the other, as long as some may */
function begun(turns: LongRequestTurns<Turn>): string[] {
  const users: string[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) users.push(next.user);
  return users;
}

test('go round the users, and through what each has sent in its order', () => {
  const turns = new LongRequestTurns<Turn>();
  for (const user of ['a', 'a', 'a', 'b', 'c', 'b']) turns.add(turn(user));
  assert.equal(begun(turns), ['a', 'b', 'c', 'a', 'b', 'a']);
  assert.not(turns.isAnyWaiting);
});

test('leave room for whoever comes, whatever one user has under way', () => {
  const turns = new LongRequestTurns<Turn>();
  for (let i = 0; i < 100; i++) turns.add(turn('a'));
  assert.is(begun(turns).length, 32);
  for (let i = 0; i < 100; i++) turns.add(turn('b'));
  assert.is(begun(turns).length, 16);
  turns.add(turn('c'));
  assert.equal(begun(turns), ['c']);
  assert.ok(turns.isAnyWaiting);
});

test('count bytes as well, and one alone may have as many as it has', () => {
  const turns = new LongRequestTurns<Turn>();
  turns.add(turn('a', 20 * MIB));
  turns.add(turn('a', 1));
  assert.equal(begun(turns), ['a']);
  const [first] = turns.underWay;
  assert.ok(turns.remove(first as Turn));
  for (let i = 0; i < 3; i++) turns.add(turn('a', 3 * MIB));
  turns.add(turn('b', MIB));
  // the short one of before, one of three MiB beside it, and who is another user
  assert.equal(begun(turns), ['a', 'b', 'a']);
});

test('are given back, and given up', () => {
  const turns = new LongRequestTurns<Turn>();
  const [first, second, third] = [turn('a'), turn('a'), turn('b')];
  for (const each of [first, second, third]) turns.add(each);
  assert.is(turns.next(), first);
  assert.not(turns.remove(second));
  assert.ok(turns.remove(first));
  assert.is(turns.next(), third);
  assert.is(turns.next(), undefined);
  turns.add(first);
  assert.equal(turns.removeUnderWay(), [third]);
  assert.equal(turns.removeWaiting(), [first]);
  assert.not(turns.isAnyWaiting);
});

test.run();
