/** Cipher suites of TLS: their names for flags are those of IANA, for the listener those of OpenSSL, which differ before TLS 1.3. */

/**
 * Of TLS 1.3, the most wanted first, as servers of Go have them: AES with 128 bits takes two thirds of the time that it takes with 256, which is
 * a tenth of a long list.
 */
const MODERN = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The cipher suites of TLS 1.2 that are offered by default: those with forward secrecy and authenticated encryption. IANA's names lead to those of OpenSSL. */
const SOUND: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};

const KNOWN: Readonly<Record<string, string>> = {
  ...SOUND,
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  // those that 1.32 calls insecure, and has for who names them; OpenSSL has none of its suites with RC4 or 3DES
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
};

/**
 * What the listener offers, in OpenSSL's form.
 * @param names of suites for TLS 1.2, the most wanted first; none: the sound ones. Those of TLS 1.3 may be named and are offered in any case.
 * @throws Error for a name that is not known
 */
export function cipherList(names: readonly string[]): string {
  const unknown = names.filter((name) => !Object.hasOwn(KNOWN, name) && !MODERN.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not among ${[...MODERN, ...Object.keys(KNOWN)].join(', ')}`);
  const wanted = names.length === 0 ? Object.values(SOUND) : names.flatMap((name) => KNOWN[name] ?? []);
  return [...MODERN, ...wanted].join(':');
}
