/** What TLS to etcd needs. Files change while a client runs: a function is asked again for each connection that is made. */

/** PEM, or a function that gives it as it is now, such as one that reads a file. */
export type PemSource = string | Buffer | (() => string | Buffer);

export interface TlsSources {
  /** authorities by which members are known; those of Node where it is absent */
  readonly ca?: PemSource;
  /** what the client shows, with its key; both or none */
  readonly certificate?: PemSource;
  readonly key?: PemSource;
}

export interface TlsMaterial {
  readonly ca: Buffer | null;
  readonly certificate: Buffer | null;
  readonly key: Buffer | null;
}

/** @throws what a function throws */
export function readMaterial({ ca, certificate, key }: TlsSources): TlsMaterial {
  return { ca: read(ca), certificate: read(certificate), key: read(key) };
}

function read(source: PemSource | undefined): Buffer | null {
  if (source === undefined) return null;
  const pem = typeof source === 'function' ? source() : source;
  return typeof pem === 'string' ? Buffer.from(pem) : pem;
}

export function sameMaterial(one: TlsMaterial, other: TlsMaterial): boolean {
  const same = (a: Buffer | null, b: Buffer | null) => a === b || (a !== null && b?.equals(a) === true);
  return same(one.ca, other.ca) && same(one.certificate, other.certificate) && same(one.key, other.key);
}
