import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('commands, terminals and ports of pods');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

test.before(async () => {
  await server.post(PODS, pod('waiting'));
  await server.post(PODS, pod('lost', { nodeName: 'gone' }));
});
const rows: readonly [path: string, status: number, message: RegExp][] = [
  ['none/exec?command=ls', 404, /^pods "none" not found$/],
  ['waiting/exec?command=ls', 400, /^pod waiting does not have a host assigned$/],
  ['waiting/exec?command=ls&container=x', 400, /^container x is not valid for pod waiting$/],
  ['lost/exec?command=ls', 404, /^pods "gone" not found$/],
  ['waiting/attach', 400, /does not have a host assigned$/],
  ['waiting/portforward?ports=x', 400, /^cannot convert to \[\]int32: strconv.ParseUint: parsing "x": invalid syntax$/],
  ['waiting/portforward?ports=80,-1', 400, /^cannot convert to \[\]int32: strconv.ParseUint: parsing "-1": invalid syntax$/],
  ['waiting/portforward?ports=80,', 400, /^cannot convert to \[\]int32: strconv.ParseUint: parsing "": invalid syntax$/],
  ['waiting/portforward?ports=80&ports=65536', 400, /parsing "65536": value out of range$/],
  ['waiting/portforward?ports=80,81&ports=65535', 400, /does not have a host assigned$/],
  ['waiting/portforward', 400, /does not have a host assigned$/],
];
for (const [path, status, message] of rows)
  for (const method of ['GET', 'POST'])
    test(`${method} ${path} is ${status}`, async () => {
      const answer = await server.ask(method, `${PODS}/${path}`);
      assert.is(answer.status, status);
      assert.match(answer.body.message, message);
    });
test('are connected to, and nothing else', async () => assert.is((await server.ask('DELETE', `${PODS}/waiting/exec`)).status, 405));

test.run();
