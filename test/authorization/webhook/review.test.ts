/** What a service that decides is told of a request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reviewSpec } from '../../../runtime/authorization/webhook/review.ts';
import { parseLabelSelector } from '../../../runtime/selectors/label-selector-text.ts';
import { action, user } from '../attributes.ts';

const test = suite('authorization/webhook/review');
const asked = (selector: string): unknown => {
  const { resourceAttributes } = reviewSpec({
    ...action(user('alice'), 'list pods in a'),
    fieldSelector: [],
    labelSelector: parseLabelSelector(selector).requirements,
  });
  return resourceAttributes;
};
const LIST = { namespace: 'a', verb: 'list', version: 'v1', resource: 'pods' };

test('a selector that cannot be said in a review is none, and so is an empty one', () => {
  assert.equal(asked('a>1'), LIST);
  assert.equal(asked(''), LIST);
});
test('of a selector what can be said is said', () => {
  assert.equal(asked('a>1,b'), { ...LIST, labelSelector: { requirements: [{ key: 'b', operator: 'Exists' }] } });
});
test.run();
