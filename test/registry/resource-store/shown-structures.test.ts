import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ResourceQuota } from '../../../generated/core/v1/descriptors.ts';
import { invalid } from '../../../runtime/contract/field-error.ts';
import { withGoStructures } from '../../../runtime/registry/resource-store/shown-structures.ts';

const test = suite('lists and structures in messages');
const EXPRESSIONS = 'spec.scopeSelector.matchExpressions';

test('have the type of the member, be it of an element that is not named', () => {
  for (const path of [`${EXPRESSIONS}[0].values`, `${EXPRESSIONS}.values`]) {
    const [shown] = withGoStructures(ResourceQuota, [invalid(path, ['a'], 'too many')]);
    assert.is(shown?.message, 'Invalid value: []string{"a"}: too many', path);
  }
});
test('have the type of the list, where an element is at fault', () => {
  const [shown] = withGoStructures(ResourceQuota, [invalid(`${EXPRESSIONS}[0]`, [{ scopeName: 'x', operator: 'y' }], 'wrong')]);
  assert.match(shown?.message ?? '', /^Invalid value: \[\]core\.ScopedResourceSelectorRequirement\{.*ScopeName:"x", Operator:"y"/);
});
test.run();
