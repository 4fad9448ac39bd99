/** Whose rights requests have, by headers that 1.32 reads as UTF-8. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Impersonation } from '../../../runtime/client/transport/connection-settings.ts';
import { serverAndClient } from '../client-of.ts';

const test = suite('impersonation by a client');
const rows: readonly [name: string, impersonate: Impersonation][] = [
  ['a name of ASCII', { user: 'alice', uid: '7', groups: ['a', 'b'], extra: { 'example.com/scope': ['x', 'y'] } }],
  ['a name of Latin-1', { user: 'Jürgen', groups: ['Größe'] }],
  ['a name of other letters', { user: 'Łukasz 猫', uid: 'ł', groups: ['ł', 'ß'], extra: { scope: ['ł'] } }],
  ['a key that no header can have', { user: 'alice', extra: { 'a(b) 100%/ł': ['x'] } }],
];
for (const [name, impersonate] of rows)
  test(`with ${name}`, async () => {
    await using given = await serverAndClient('kubernetes', {}, { impersonate });
    const body = { type: 'application/json', text: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }) };
    const { status } = await given.client.request<{ status: { userInfo: object } }>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body,
    });
    const { user, uid, groups = [], extra } = impersonate;
    assert.equal(status.userInfo, {
      username: user,
      ...(uid !== undefined && { uid }),
      groups: [...groups, 'system:authenticated'],
      ...(extra !== undefined && { extra }),
    });
    const refused = await given.client.request({ method: 'GET', path: '/api/v1/nodes' }).catch((error: Error) => error.message);
    assert.match(String(refused), `User "${user}" cannot list resource`);
  });
test.run();
