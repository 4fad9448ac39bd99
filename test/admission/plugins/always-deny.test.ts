import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { alwaysDeny } from '../../../runtime/admission/plugins/always-deny.ts';
import { asked } from '../asking.ts';

const test = suite('denying everything');

for (const operation of ['create', 'update', 'delete', 'connect'] as const)
  test(operation, async () => {
    const message = await asked(alwaysDeny(), { operation, resource: 'secrets' });
    assert.is(message, 'secrets "x" is forbidden: admission control is denying all modifications');
  });

test.run();
