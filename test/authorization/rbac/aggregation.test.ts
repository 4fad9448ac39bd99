import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LabelSelector } from '../../../generated/meta/v1/types.ts';
import { aggregatedRules, type GatheredRole } from '../../../runtime/authorization/rbac/aggregation.ts';

const test = suite('rules that roles gather');

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, label: string, ...resources: string[]): GatheredRole => ({
  name,
  labels: { to: label },
  rules: resources.map(rule),
});

test('come in the order of selectors and then of names, each once', () => {
  const selectors = ['b', 'a'].map((to) => ({ matchLabels: { to } }));
  const roles = [role('y', 'a', 'pods', 'nodes'), role('x', 'a', 'secrets'), role('z', 'b', 'nodes')];
  assert.equal(aggregatedRules({ name: 'all', selectors }, roles), ['nodes', 'secrets', 'pods'].map(rule));
});

test('come of no selector that cannot be used', () => {
  const unusable = { matchExpressions: [{ key: 'to', operator: 'Like' }] };
  const selectors = [undefined, unusable, { matchLabels: { to: 'a' } }] as LabelSelector[];
  assert.equal(aggregatedRules({ name: 'all', selectors }, [role('x', 'a', 'pods')]), [rule('pods')]);
});

test('come of no role itself', () => {
  const selectors = [{ matchLabels: { to: 'a' } }];
  assert.equal(aggregatedRules({ name: 'x', selectors }, [role('x', 'a', 'pods'), role('y', 'a', 'nodes')]), [rule('nodes')]);
});

test('take no work for roles that are not gathered but a look at their labels', () => {
  let looks = 0;
  const others = Array.from({ length: 1_000 }, () => ({
    labels: { to: 'others' },
    get name(): string {
      looks++;
      return 'other';
    },
    rules: [],
  }));
  const gathered = aggregatedRules({ name: 'all', selectors: [{ matchLabels: { to: 'all' } }] }, [...others, role('x', 'all', 'pods')]);
  assert.equal(gathered, [rule('pods')]);
  assert.is(looks, 0);
});
test.run();
