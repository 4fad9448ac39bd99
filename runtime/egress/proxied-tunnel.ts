/** Makes tunnels through a proxy, and counts them as 1.32 does. */
import type { Tunnel } from '../client/transport/tunnel.ts';
import type { DialFigures } from './dial-figures.ts';
import type { EgressProxy } from './egress-proxy.ts';

export function proxied(proxy: EgressProxy, figures: DialFigures): Tunnel {
  return async (target, signal) => {
    const dial = figures.begin(proxy);
    let stage: 'connect' | 'proxy' = 'connect';
    try {
      const tunnel = await proxy.dial(target, signal, () => {
        stage = 'proxy';
      });
      dial.done();
      return tunnel;
    } catch (error) {
      dial.failed(stage);
      throw error;
    }
  };
}
