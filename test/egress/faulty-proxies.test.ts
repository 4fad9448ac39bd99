/** Proxies of KEP-1281 that do not keep to it, and what is left of tunnels through them: nothing. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Packet, PacketType } from '../../generated/node-interfaces/network-proxy.ts';
import type { Sparse } from '../../runtime/contract/node-interface.ts';
import { KonnectivityProxy } from '../../runtime/egress/konnectivity-proxy.ts';
import { eventually } from '../harness/eventually.ts';
import { type Call, ID, servePackets, socketPath } from './proxies.ts';

const TARGET = { host: '10.1.2.3', port: 443 };
const MINUTE = 60_000;
type Answer = (call: Call, packet: Packet) => void;

/** A proxy that the test speaks for, and its client. */
class Faulty {
  /** types of packets that came */
  readonly heard: number[] = [];
  /** calls that have not ended */
  readonly open = new Set<Call>();
  readonly #at = socketPath();
  readonly proxy = new KonnectivityProxy(this.#at);
  #server: Awaited<ReturnType<typeof servePackets>> | undefined;

  async serve(answer: Answer): Promise<this> {
    this.#server = await servePackets(this.#at, (call) => {
      this.open.add(call);
      call.on('error', () => {}).once('cancelled', () => this.open.delete(call));
      call.once('finish', () => this.open.delete(call));
      call.on('data', (packet: Packet) => {
        this.heard.push(packet.type);
        answer(call, packet);
      });
    });
    return this;
  }

  dial(signal = AbortSignal.timeout(MINUTE)): Promise<Duplex> {
    return this.proxy.dial(TARGET, signal, () => {});
  }

  stop(): void {
    this.proxy.close();
    this.#server?.forceShutdown();
  }
}

const answered = ({ dialRequest }: Packet): Sparse<Packet> => ({
  type: PacketType.DIAL_RSP,
  dialResponse: { random: dialRequest?.random ?? 0n, connectID: ID },
});
const data = (text: string): Sparse<Packet> => ({ type: PacketType.DATA, data: { connectID: ID, data: Buffer.from(text) } });
const reset: Sparse<Packet> = { type: PacketType.DATA, data: { connectID: ID, error: 'connection reset' } };
const closed: Sparse<Packet> = { type: PacketType.CLOSE_RSP, closeResponse: { connectID: ID } };
/** Packets in turn, when it is asked for a connection. */
const says =
  (packets: (asked: Packet) => readonly (Sparse<Packet> | Buffer)[]): Answer =>
  (call, packet) => {
    if (packet.type !== PacketType.DIAL_REQ) return;
    call.cork();
    for (const each of packets(packet)) call.write(each as Sparse<Packet>);
    call.uncork();
  };
const problem = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing is wrong',
    (error: Error) => error.message,
  );

const test = suite('proxies that do not keep to the protocol');

test('may answer twice, and close twice', async () => {
  const faulty = await new Faulty().serve(
    says((asked) => [answered(asked), answered(asked), data('a'), data('b'), closed, closed, data('c')]),
  );
  for (let i = 0; i < 20; i++) {
    const connection = await faulty.dial();
    assert.is(String(await buffer(connection)), 'ab');
    if (!connection.closed) await once(connection, 'close');
  }
  faulty.stop();
});
test('may say at once that the connection has failed', async () => {
  const fails = says((asked) => [answered(asked), reset]);
  const faulty = await new Faulty().serve((call, packet) => (packet.type === PacketType.CLOSE_REQ ? void call.end() : fails(call, packet)));
  for (let i = 0; i < 20; i++) {
    const outcome = await faulty.dial().then(
      async (connection) => ((await once(connection, 'error')) as [Error])[0].message,
      (error: Error) => error.message,
    );
    assert.match(outcome, /connection reset$/);
  }
  await eventually('the calls have ended', () => faulty.open.size === 0);
  faulty.stop();
});
test('that send no packets are told so', async () => {
  const faulty = await new Faulty().serve(says(() => [Buffer.from([0xff, 0xff, 0xff])]));
  assert.match(await problem(faulty.dial()), /^proxy error from .* while dialing 10\.1\.2\.3:443: /);
  await eventually('the call has ended', () => faulty.open.size === 0);
  faulty.stop();
});
test('that leave out what a packet holds are not heard', async () => {
  const faulty = await new Faulty().serve(
    says((asked) => [{ type: PacketType.DIAL_RSP }, { type: PacketType.DATA }, { type: 99 }, answered(asked), data('a'), closed]),
  );
  assert.is(String(await buffer(await faulty.dial())), 'a');
  faulty.stop();
});
test('that do not end a call after its connection are left', async () => {
  const faulty = await new Faulty().serve((call, packet) => {
    if (packet.type === PacketType.DIAL_REQ) call.write(answered(packet));
    else if (packet.type === PacketType.DATA) call.write(closed);
  });
  const connection = await faulty.dial();
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    connection.write('x');
    assert.is(String(await buffer(connection)), '');
    mock.timers.tick(10_000);
  } finally {
    mock.timers.reset();
  }
  await eventually('the call has ended', () => faulty.open.size === 0);
  faulty.stop();
});
test('that take nothing any more keep no connection', async () => {
  let paused: Call | undefined;
  const faulty = await new Faulty().serve((call, packet) => {
    if (packet.type !== PacketType.DIAL_REQ) return;
    call.write(answered(packet));
    call.pause();
    paused = call;
  });
  const connection = await faulty.dial();
  connection.resume().write(Buffer.alloc(4_000_000));
  await eventually('no more is taken', () => connection.writableLength > 0);
  paused?.write(closed);
  if (!connection.closed) await once(connection, 'close');
  faulty.stop();
});
test('that come to nothing leave nothing behind, nor do those that fail', async () => {
  let refuses = true;
  const faulty = await new Faulty().serve((call, packet) => {
    if (packet.type === PacketType.CLOSE_REQ) {
      call.write(closed);
      call.end();
    } else if (packet.type !== PacketType.DIAL_REQ) return;
    else if (refuses) call.write({ type: PacketType.DIAL_RSP, dialResponse: { random: packet.dialRequest?.random ?? 0n, error: 'no' } });
    else call.write(answered(packet));
  });
  for (let i = 0; i < 50; i++) assert.match(await problem(faulty.dial()), /: no$/);
  refuses = false;
  const connections = await Promise.all(Array.from({ length: 50 }, () => faulty.dial()));
  for (const connection of connections.splice(0, 40)) connection.destroy();
  await eventually('the calls have ended', () => faulty.proxy.calls === 10);
  for (const connection of connections) connection.on('error', () => {});
  faulty.stop();
  await eventually('the calls have ended', () => faulty.proxy.calls === 0);
});
test('that say nothing at all are given up, and no call waits for them', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}).resume()));
  const at = socketPath();
  silent.listen(at);
  await once(silent, 'listening');
  const proxy = new KonnectivityProxy(at);
  const dials = Array.from({ length: 20 }, () => problem(proxy.dial(TARGET, AbortSignal.timeout(50), () => {})));
  for (const outcome of await Promise.all(dials)) assert.match(outcome, /^dialing proxy ".*" failed: context deadline exceeded$/);
  await eventually('the calls have ended', () => proxy.calls === 0);
  proxy.close();
  await eventually('the connection has ended', () => sockets.length > 0 && sockets.every((socket) => socket.closed));
  silent.close();
});
test.run();
