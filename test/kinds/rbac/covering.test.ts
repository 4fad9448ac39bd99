import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GrantedRule } from '../../../runtime/contract/write-access.ts';
import { compactRights, missingRights, ruleText } from '../../../runtime/kinds/rbac/covering.ts';
import { grantsOnName, grantsOnResource } from '../../../runtime/kinds/rbac/rule-matching.ts';

const on = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): GrantedRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames && { resourceNames }),
});
const paths = (nonResourceURLs: string[], verbs: string[]): GrantedRule => ({ verbs, nonResourceURLs });

const rows: [what: string, held: GrantedRule[], wanted: GrantedRule[], missing: string[]][] = [
  ['the same', [on([''], ['pods'], ['get'])], [on([''], ['pods'], ['get'])], []],
  [
    'one more verb',
    [on([''], ['pods'], ['get'])],
    [on([''], ['pods'], ['get', 'list', 'watch'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}'],
  ],
  ['verbs of two rules', [on([''], ['pods'], ['get']), on([''], ['pods'], ['list'])], [on([''], ['pods'], ['get', 'list'])], []],
  [
    'all verbs where each is held',
    [on([''], ['pods'], ['get', 'list'])],
    [on([''], ['pods'], ['*'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
  ],
  ['a star covers all', [on(['*'], ['*'], ['*'])], [on(['x'], ['pods', '*', 'pods/log'], ['get', '*'], ['n'])], []],
  [
    'a star on resources is none on paths',
    [on(['*'], ['*'], ['*'])],
    [paths(['/x'], ['get'])],
    ['{NonResourceURLs:["/x"], Verbs:["get"]}'],
  ],
  ['names within all', [on([''], ['pods'], ['get'])], [on([''], ['pods'], ['get'], ['a'])], []],
  [
    'all within names',
    [on([''], ['pods'], ['get'], ['a'])],
    [on([''], ['pods'], ['get'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  [
    'another name',
    [on([''], ['pods'], ['get'], ['a'])],
    [on([''], ['pods'], ['get'], ['a', 'b'])],
    ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  ['a subresource by a star', [on([''], ['*/log'], ['get'])], [on([''], ['pods/log'], ['get'])], []],
  [
    'a subresource by its resource',
    [on([''], ['pods'], ['get'])],
    [on([''], ['pods/log'], ['get'])],
    ['{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'],
  ],
  ['paths below', [paths(['/logs/*'], ['get'])], [paths(['/logs/a', '/logs/b*'], ['get'])], []],
  [
    'paths beside',
    [paths(['/logs/*'], ['get'])],
    [paths(['/logs', '/*'], ['get'])],
    ['{NonResourceURLs:["/logs"], Verbs:["get"]}', '{NonResourceURLs:["/*"], Verbs:["get"]}'],
  ],
  ['no rules', [], [], []],
];
const covering = suite('rights that are missing');
for (const [what, held, wanted, missing] of rows)
  covering(what, () => assert.equal(compactRights(missingRights(held, wanted)).map(ruleText), missing));

covering('are those that some action shows', () => {
  const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
  const rule = fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  });
  const actions = ['get', 'list', 'other'].flatMap((verb) =>
    ['', 'apps', 'other'].flatMap((group) =>
      ['pods', 'nodes'].flatMap((resource) =>
        ['', 'log', 'x'].flatMap((sub) => ['a', 'b', 'c'].map((name) => ({ verb, group, resource, sub, name }))),
      ),
    ),
  );
  const allowed = (rules: readonly GrantedRule[], { verb, group, resource, sub, name }: (typeof actions)[number]): boolean =>
    rules.some((each) => grantsOnResource(each, verb, group, resource, sub) && grantsOnName(each, name));
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), fc.array(rule, { maxLength: 2 }), (held, wanted) => {
      if (missingRights(held, wanted).length > 0) return;
      for (const action of actions) if (allowed(wanted, action)) assert.ok(allowed(held, action), JSON.stringify(action));
    }),
    { numRuns: 300 },
  );
});
covering('of rules that combine more than anybody means are refused, not listed', () => {
  const many = Array.from({ length: 300 }, (_, index) => `x${index}`);
  assert.throws(() => missingRights([], [on(many, many, many)]), /more than 100000 rights/);
  assert.equal(missingRights([on(['*'], ['*'], ['*'])], [on(many, many, many)]), []);
});
covering.run();
