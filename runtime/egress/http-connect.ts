/** A proxy that makes tunnels by HTTP CONNECT (RFC 9110 section 9.3.6). It listens at an address, or on a Unix socket of this machine. */
import { once } from 'node:events';
import { request } from 'node:http';
import { isIP, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { TLSConfig, Transport } from '../../generated/apiserver/v1beta1/types.ts';
import { keyPairProblem } from '../certificates/key-pair.ts';
import { connectRequest } from '../client/transport/through-proxy.ts';
import { hostPort } from '../connections/connection-problem.ts';
import { checkServerIdentity } from '../connections/server-identity.ts';
import { FileError } from '../files/file-error.ts';
import { readOwnFile } from '../files/own-file.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** Milliseconds of silence before the system probes whether the proxy is still there (TCP keep-alive). */
const PROBE_AFTER = 15_000;

/** @param file the configuration, for errors. @throws FileError for certificate files that cannot be used */
export function httpConnectProxy({ tcp, uds }: Transport, file: string): EgressProxy {
  if (uds) {
    const { udsName: path = '' } = uds;
    return overSockets('uds', path, () => netConnect({ path }), 'connect');
  }
  const url = new URL(tcp?.url ?? '');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:') {
    const port = Number(url.port || 80);
    return overSockets('tcp', hostPort(host, port), () => netConnect({ host, port }), 'connect');
  }
  const port = Number(url.port || 443);
  const options = {
    host,
    port,
    minVersion: 'TLSv1.2' as const,
    ALPNProtocols: ['http/1.1'],
    checkServerIdentity,
    ...trust(tcp?.tlsConfig ?? {}, file),
    ...(isIP(host) === 0 && { servername: host }),
  };
  return overSockets('tcp', hostPort(host, port), () => tlsConnect(options), 'secureConnect');
}

/** @param connected the event that says that the connection is ready */
function overSockets(transport: EgressProxy['transport'], address: string, open: () => Socket, connected: string): EgressProxy {
  return {
    protocol: 'http_connect',
    transport,
    async dial(target, signal, reached) {
      // an error at a moment when nobody listens would end the process
      const socket = open().on('error', () => {});
      try {
        await once(socket, connected, { signal });
      } catch (error) {
        socket.destroy();
        throw new Error(`dialing proxy ${JSON.stringify(address)} failed: ${messageOf(signal, error)}`, { cause: error });
      }
      // without keep-alive nobody would notice that a silent proxy is gone
      socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER);
      reached();
      try {
        return await connectRequest(request, target, { createConnection: () => socket, headers: {}, signal });
      } catch (error) {
        socket.destroy();
        const place = hostPort(target.host, target.port);
        throw new Error(`proxy error from ${address} while dialing ${place}: ${messageOf(signal, error)}`, { cause: error });
      }
    },
  };
}

const messageOf = (signal: AbortSignal, error: unknown): string =>
  signal.aborted ? 'context deadline exceeded' : error instanceof Error ? error.message : String(error);

/** Reads the certificate files, once when the server starts, as 1.32 does. */
function trust({ caBundle, clientCert, clientKey }: TLSConfig, file: string): { ca?: string; cert?: string; key?: string } {
  const read = (path: string): string => {
    try {
      return readOwnFile(path);
    } catch (error) {
      throw new FileError(file, [(error as Error).message]);
    }
  };
  const ca = caBundle ? read(caBundle) : undefined;
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new FileError(file, [`${caBundle} holds no certificate in PEM form`]);
  if (!clientCert || !clientKey) return { ...(ca !== undefined && { ca }) };
  const [cert, key] = [read(clientCert), read(clientKey)];
  const problem = keyPairProblem(cert, key);
  if (problem !== undefined) throw new FileError(file, [`${clientCert} and ${clientKey}: ${problem}`]);
  return { ...(ca !== undefined && { ca }), cert, key };
}
