/** Which plugins may be asked for by name. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../runtime/embedded/start-server.ts';

const test = suite('chosen admission plugins');

test('a plugin may be turned off, and one asked for that denies nothing', async () => {
  assert.is(await failure({ 'disable-admission-plugins': ['ResourceQuota'], 'enable-admission-plugins': ['DefaultStorageClass'] }), '');
});

test('a name that no plugin has is refused', async () => {
  assert.match(await failure({ 'enable-admission-plugins': ['PodSecurty'] }), 'no admission plugin is named "PodSecurty"');
});

/** @returns why no server starts with the flags; '' where one does */
async function failure(flags: Record<string, string[]>): Promise<string> {
  try {
    const server = await startServer({ flags });
    await server.stop();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test.run();
