/** What a start says of flags and feature gates that go, and how it refuses gates that cannot be set (specification: Deprecation rules 5 to 10). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServerStartError, startServer } from '../../harness/server.ts';

const GIVEN = [
  '--apiserver-count=2',
  '--enable-logs-handler=false',
  '--feature-gates=APIListChunking=true,kube:AllowDNSOnlyNodeCSR=1,AllAlpha=false',
];
const SAID = [
  'Flag --apiserver-count has been deprecated, apiserver-count is deprecated and will be removed in a future version.',
  'Flag --enable-logs-handler has been deprecated, This flag will be removed in v1.19',
  'Setting GA feature gate APIListChunking=true. It will be removed in a future release. It is non-operational.',
  'Setting deprecated feature gate AllowDNSOnlyNodeCSR=true. It will be removed in a future release.',
];

const test = suite('flags and gates that go');

/** @returns messages of the log, in order */
async function saidBy(...flags: string[]): Promise<string[]> {
  const server = await startServer({ dialect: 'kubernetes', flags });
  // the log is whole once the process has ended
  await server.stop();
  return server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).msg)
    .filter((message: string) => /deprecated|feature gate/.test(message));
}

test('are told of once', async () => assert.equal(await saidBy(...GIVEN), SAID));
test('are told of once by several processes', async () => assert.equal(await saidBy(...GIVEN, '--workers=2'), SAID));
test('are not told of where nobody wants that', async () => assert.equal(await saidBy(...GIVEN, '--deprecation-warnings=false'), []));

for (const [name, flags, problem] of [
  [
    'a locked gate',
    ['--feature-gates=APIListChunking=false'],
    'cannot set feature gate APIListChunking to false, feature is locked to true',
  ],
  ['a gate that nobody knows', ['--feature-gates=Nope=true'], 'unrecognized feature gate: Nope'],
  [
    'a gate that the release did not have yet',
    ['--feature-gates=AllowUnsafeMalformedObjectDeletion=true', '--emulated-release=1.31'],
    'cannot set feature gate AllowUnsafeMalformedObjectDeletion to true, feature is PreAlpha at emulated version 1.31',
  ],
  [
    'metrics of another release',
    ['--show-hidden-metrics-for-version=1.30'],
    "--show-hidden-metrics-for-version must be omitted or have the value '1.31'. Only the previous minor version is allowed",
  ],
] as const)
  test(`${name} cannot be set`, async () => {
    try {
      const server = await startServer({ dialect: 'kubernetes', flags });
      await server.stop();
      assert.unreachable('it started');
    } catch (error) {
      assert.instance(error, ServerStartError);
      assert.is((error as ServerStartError).exitCode, 1);
      assert.ok((error as ServerStartError).output.includes(problem), (error as ServerStartError).output);
    }
  });
test.run();
