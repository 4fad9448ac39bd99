/** How this server connects to node agents, pods and services, as flags say. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { filePart } from '../files/file-part.ts';
import { readFlagFile } from '../files/flag-file.ts';
import type { Egress } from '../outbound/egress.ts';
import { type Dial, dial, dialThrough, type TargetTls } from './dial.ts';

/** How node agents are reached, as flags say. */
export interface NodeAgentOptions {
  readonly tls: TargetTls;
  /** types of node addresses, the preferred one first */
  readonly preferredAddressTypes: readonly string[];
  /** port for nodes that report none */
  readonly port: number;
  /** milliseconds for a connection */
  readonly connectLimit: number;
}

export interface Outbound {
  readonly dial: Dial;
  /** as of `ExchangeOptions` */
  readonly bytesPerSecond?: number;
  readonly nodeAgents: NodeAgentOptions;
  /** paths of the files that flags name */
  readonly files: readonly string[];
  /** Reads a file again, with the one that it is used with, for new connections to node agents. @throws Error that names the flag whose file cannot be read or used */
  reread(file: string): void;
}

/** The flags that `createOutbound` reads. */
export interface OutboundFlags {
  readonly 'kubelet-certificate-authority': string;
  readonly 'kubelet-client-certificate': string;
  readonly 'kubelet-client-key': string;
  readonly 'kubelet-port': number;
  readonly 'kubelet-preferred-address-types': readonly string[];
  readonly 'kubelet-timeout': number;
  readonly 'max-connection-bytes-per-sec': number;
}

/** @throws Error that names the flag whose file cannot be read or used */
export function createOutbound(flags: OutboundFlags, egress?: Egress): Outbound {
  let authority = filePart([flags['kubelet-certificate-authority']], () => read(flags, 'kubelet-certificate-authority', certificate));
  let own = filePart([flags['kubelet-client-certificate'], flags['kubelet-client-key']], () => clientCertificate(flags));
  const tunnel = egress?.tunnel('cluster');
  const bytesPerSecond = flags['max-connection-bytes-per-sec'];
  return {
    dial: tunnel === undefined ? dial : dialThrough(tunnel),
    ...(bytesPerSecond > 0 && { bytesPerSecond }),
    files: FILE_FLAGS.map((name) => flags[name]).filter((file) => file !== ''),
    reread(file) {
      authority = authority.reread(file);
      own = own.reread(file);
    },
    nodeAgents: {
      get tls() {
        return { authority: authority.value, ...own.value };
      },
      preferredAddressTypes: flags['kubelet-preferred-address-types'],
      port: flags['kubelet-port'],
      connectLimit: flags['kubelet-timeout'],
    },
  };
}

function clientCertificate(flags: OutboundFlags): { certificate?: string; key?: string } {
  const shown = read(flags, 'kubelet-client-certificate', certificate);
  const key = read(flags, 'kubelet-client-key', createPrivateKey);
  if ((shown === undefined) !== (key === undefined))
    throw new Error('--kubelet-client-certificate and --kubelet-client-key need each other');
  if (shown === undefined || key === undefined) return {};
  if (!certificate(shown).checkPrivateKey(createPrivateKey(key)))
    throw new Error('--kubelet-client-key: the key is not that of --kubelet-client-certificate');
  return { certificate: shown, key };
}

function certificate(text: string): X509Certificate {
  return new X509Certificate(text);
}

const FILE_FLAGS = ['kubelet-certificate-authority', 'kubelet-client-certificate', 'kubelet-client-key'] as const;

type FileFlag = (typeof FILE_FLAGS)[number];

/** Reads the file of a flag. @param check throws if the text is not of the right form. @returns undefined if the flag is not set */
function read(flags: OutboundFlags, name: FileFlag, check: (text: string) => unknown): string | undefined {
  const file = flags[name];
  if (file === '') return undefined;
  const text = readFlagFile(name, file);
  try {
    check(text);
    return text;
  } catch (error) {
    const what = name === 'kubelet-client-key' ? 'private key' : 'certificate';
    throw new Error(`--${name}: ${file} holds no ${what} in PEM form`, { cause: error });
  }
}
