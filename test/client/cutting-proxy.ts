/** A way to a server that can be cut: all connections through it end at once. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly port: number;
  /** Ends all connections, as a network does that fails. @returns how many there were */
  cut(): number;
  /** Ends all connections and takes no new ones until `open`. */
  shut(): void;
  open(): void;
  /** Passes nothing on any more, in either direction; connections stay open. */
  silence(): void;
  close(): void;
}

export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isOpen = true;
  const proxy = createServer((inward) => {
    if (!isOpen) return void inward.resetAndDestroy();
    const outward = connect(port, '127.0.0.1');
    const pair = [inward, outward] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
    inward.pipe(outward).pipe(inward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = (): number => {
    const { size } = pairs;
    for (const [inward, outward] of pairs) {
      inward.resetAndDestroy();
      outward.destroy();
    }
    return size;
  };
  return {
    port: (proxy.address() as AddressInfo).port,
    cut,
    shut() {
      isOpen = false;
      cut();
    },
    open() {
      isOpen = true;
    },
    silence() {
      for (const [inward, outward] of pairs) {
        inward.unpipe();
        outward.unpipe();
        outward.pause();
      }
    },
    close() {
      cut();
      proxy.close();
    },
  };
}
