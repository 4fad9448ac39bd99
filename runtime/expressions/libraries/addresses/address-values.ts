/** IP addresses and CIDR ranges as values of expressions. */
import { addressText, masked, type ParsedAddress, parseAddress, parseRange } from '../../../formats/ip-text.ts';
import { goQuote } from '../../../go-text/quote.ts';
import { opaque } from '../../types/type.ts';
import { ErrorValue, OpaqueValue } from '../../values/value.ts';

export const IP = opaque('net.IP');
export const CIDR = opaque('net.CIDR');

type Bytes = readonly number[];

/** Whether a 16-byte address is an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
const isMapped = (bytes: Bytes): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

const sameBytes = (a: Bytes, b: Bytes): boolean => a.length === b.length && a.every((byte, index) => byte === b[index]);

export class IpValue extends OpaqueValue {
  readonly type = IP;
  readonly bytes: Bytes;

  constructor(bytes: Bytes) {
    super();
    this.bytes = bytes;
  }

  /** Refuses zones, leading zeros and IPv4-mapped IPv6 addresses. */
  static parse(text: string): IpValue | ErrorValue {
    const parsed = parseAddress(text);
    if (typeof parsed === 'string')
      return new ErrorValue(`IP Address ${goQuote(text)} parse error during conversion from string: ${parsed}`);
    if (parsed.zone !== '') return new ErrorValue(`IP address ${goQuote(text)} with zone value is not allowed`);
    return isMapped(parsed.bytes) ? mappedAddress(text) : new IpValue(parsed.bytes);
  }

  override get size(): number {
    return this.bytes.length;
  }

  get family(): 4 | 6 {
    return this.bytes.length === 4 ? 4 : 6;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && sameBytes(this.bytes, other.bytes);
  }

  override toString(): string {
    return addressText(withoutZone(this.bytes));
  }

  isUnspecified(): boolean {
    return this.bytes.every((byte) => byte === 0);
  }

  isLoopback(): boolean {
    if (this.family === 4) return this.bytes[0] === 127;
    return this.bytes[15] === 1 && this.bytes.slice(0, 15).every((byte) => byte === 0);
  }

  isMulticast(): boolean {
    const [first = 0] = this.bytes;
    return this.family === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
  }

  isLinkLocalMulticast(): boolean {
    const [first, second = 0, third] = this.bytes;
    return this.family === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2;
  }

  isLinkLocalUnicast(): boolean {
    const [first, second = 0] = this.bytes;
    return this.family === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
  }

  isGlobalUnicast(): boolean {
    const isBroadcast = this.family === 4 && this.bytes.every((byte) => byte === 0xff);
    return !isBroadcast && !this.isUnspecified() && !this.isLoopback() && !this.isMulticast() && !this.isLinkLocalUnicast();
  }
}

const withoutZone = (bytes: Bytes): ParsedAddress => ({ bytes, zone: '' });
const mappedAddress = (text: string): ErrorValue => new ErrorValue(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);

const UNREADABLE = 'network address parse error during conversion from string';

export class CidrValue extends OpaqueValue {
  readonly type = CIDR;
  readonly bytes: Bytes;
  readonly bits: number;

  constructor(bytes: Bytes, bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }

  static parse(text: string): CidrValue | ErrorValue {
    const parsed = parseRange(text);
    // 1.32 repeats this part of the message
    if (typeof parsed === 'string') return new ErrorValue(`${UNREADABLE}: ${UNREADABLE}: ${parsed}`);
    if (isMapped(parsed.address.bytes)) return new ErrorValue(`${UNREADABLE}: ${mappedAddress(text).message}`);
    return new CidrValue(parsed.address.bytes, parsed.bits);
  }

  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && this.bits === other.bits && sameBytes(this.bytes, other.bytes);
  }

  override toString(): string {
    return `${addressText(withoutZone(this.bytes))}/${this.bits}`;
  }

  masked(): CidrValue {
    return new CidrValue(masked(this.bytes, this.bits), this.bits);
  }

  containsIp({ bytes }: IpValue): boolean {
    return bytes.length === this.bytes.length && sameBytes(masked(bytes, this.bits), masked(this.bytes, this.bits));
  }

  containsCidr({ bytes, bits }: CidrValue): boolean {
    return this.bits <= bits && this.containsIp(new IpValue(bytes));
  }
}
