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
  assert.throws(
    () => chosen({ UnknownVersionInteroperabilityProxy: 'true' }),
    /^UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature flag to be enabled$/,
  );
  assert.ok(chosen({ UnknownVersionInteroperabilityProxy: 'true', StorageVersionAPI: 'true' }).isEnabled('StorageVersionAPI'));
});

test.run();
