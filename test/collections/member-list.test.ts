import { array, assert as check, integer, property } from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Member, MemberList } from '../../runtime/collections/member-list.ts';

const test = suite('collections/member-list');

interface Named extends Member {
  readonly name: number;
}

const member = (name: number): Named => ({ name, place: undefined });
const names = (list: Iterable<Named>): number[] => [...list].map(({ name }) => name).sort((a, b) => a - b);

test('has what a Set has, whoever comes and goes', () => {
  check(
    property(array(integer({ min: 0, max: 9 })), (turns) => {
      const members = Array.from({ length: 10 }, (_, name) => member(name));
      const list = new MemberList<Named>();
      const set = new Set<number>();
      for (const name of turns) {
        const one = members[name] as Named;
        assert.is(list.remove(one), set.delete(name));
        if (one.name % 2 === turns.length % 2) continue;
        list.add(one);
        set.add(name);
        assert.is(list.size, set.size);
      }
      assert.equal(
        names(list),
        [...set].sort((a, b) => a - b),
      );
    }),
  );
});

test('members may be removed while they are given', () => {
  const list = new MemberList<Named>();
  const members = Array.from({ length: 5 }, (_, name) => member(name));
  for (const one of members) list.add(one);
  const given = new Set<number>();
  for (const one of list) {
    given.add(one.name);
    list.remove(one);
    if (one.name === 4) for (const name of [1, 3]) list.remove(members[name] as Named);
  }
  assert.equal([...given].sort(), [0, 2, 4]);
  assert.is(list.size, 0);
});

test('nothing is held of who has left', () => {
  const list = new MemberList<Named>();
  const [first, second] = [member(1), member(2)];
  list.add(first);
  list.add(second);
  assert.ok(list.remove(first));
  assert.not.ok(list.remove(first));
  assert.is(first.place, undefined);
  assert.is(second.place, 0);
  assert.equal(names(list), [2]);
});

test.run();
