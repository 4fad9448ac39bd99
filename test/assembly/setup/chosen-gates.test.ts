import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chosenGates } from '../../../runtime/assembly/setup/chosen-gates.ts';

const test = suite('feature gates of a server');
const chosen = (gates: Record<string, string>) =>
  chosenGates({ 'feature-gates': gates, 'emulated-release': '', 'emulated-version': [] } as unknown as Parameters<typeof chosenGates>[0]);

test('some need others', () => {
  assert.throws(
    () => chosen({ AuthorizeWithSelectors: 'false' }),
    /^AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled$/,
  );
  assert.is(chosen({ AuthorizeWithSelectors: 'false', AuthorizeNodeWithSelectors: 'false' }).isEnabled('AuthorizeWithSelectors'), false);
  assert.is(chosen({ AuthorizeNodeWithSelectors: 'false' }).isEnabled('AuthorizeWithSelectors'), true);
});

test('the proxy for unknown versions needs the versions that are stored', () => {
  const proxy = { UnknownVersionInteroperabilityProxy: 'true' };
  assert.throws(() => chosen(proxy), /^UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature to be enabled$/);
  assert.is(chosen({ ...proxy, StorageVersionAPI: 'true' }).isEnabled('UnknownVersionInteroperabilityProxy'), true);
});

test.run();
