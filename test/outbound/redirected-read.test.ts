/** An address that leads elsewhere: who is asked, and who is told the credentials. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exchange, ExchangeError, LedOn } from '../../runtime/outbound/exchange.ts';
import { redirectedRead } from '../../runtime/outbound/redirected-read.ts';

const test = suite('reads that are led elsewhere');

/** @param ways where each address leads. @returns what was asked, each with the credentials that were sent, and the status of the answer */
async function read(ways: Readonly<Record<string, readonly [status: number, location?: string]>>): Promise<[string[], number]> {
  const asked: string[] = [];
  const exchange = async ({ url, authorization }: Exchange) => {
    asked.push(`${url} ${authorization ?? '-'}`);
    const [status, location] = ways[String(url)] ?? [200];
    return { status, headers: { ...(location !== undefined && { location }) }, body: Buffer.alloc(0) };
  };
  const { status } = await redirectedRead(
    { exchange },
    { url: new URL('https://idp.example/a'), authorization: 'Bearer x', timeout: 1_000, maxBytes: 1 },
  );
  return [asked, status];
}

test('send credentials to the same host on any port, and to hosts below it', async () => {
  assert.equal(
    await read({ 'https://idp.example/a': [302, '//idp.example:8443/b'], 'https://idp.example:8443/b': [307, 'https://eu.idp.example/c'] }),
    [['https://idp.example/a Bearer x', 'https://idp.example:8443/b Bearer x', 'https://eu.idp.example/c Bearer x'], 200],
  );
});
test('send them to no other host, nor again to the first one afterwards', async () => {
  assert.equal(
    await read({ 'https://idp.example/a': [308, 'https://notidp.example/b'], 'https://notidp.example/b': [303, 'https://idp.example/c'] }),
    [['https://idp.example/a Bearer x', 'https://notidp.example/b -', 'https://idp.example/c -'], 200],
  );
});
for (const status of [300, 304, 305, 306])
  test(`do not follow what ${status} says`, async () => {
    assert.equal(await read({ 'https://idp.example/a': [status, '/b'] }), [['https://idp.example/a Bearer x'], status]);
  });
test('give a redirect that leads nowhere as it is', async () => {
  assert.equal((await read({ 'https://idp.example/a': [302] }))[1], 302);
});

async function refusal(location: string): Promise<unknown> {
  return read({ 'https://idp.example/a': [302, location] }).catch((error: unknown) => error);
}
test('end where they go in a circle, or without TLS', async () => {
  assert.instance(await refusal('/a'), LedOn);
  const plain = await refusal('http://idp.example/b');
  assert.instance(plain, ExchangeError);
  assert.is((plain as Error).message, 'https://idp.example/a leads to no https address');
});
test.run();
