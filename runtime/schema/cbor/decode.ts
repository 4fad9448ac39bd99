/**
 * Decodes CBOR to JSON values by the rules of 1.32. Texts and keys are strings of either type; integers have 64 bits; a floating-point
 * number becomes the nearest JSON number; values that JSON cannot express are refused. A Go type decides which members are known, which
 * strings are bytes, and where a fraction is an error.
 */
import { list, string, struct } from '../../contract/descriptor.ts';
import type { Identity } from '../../contract/identity.ts';
import {
  Code,
  CompiledList,
  type CompiledMap,
  CompiledScalar,
  type CompiledStruct,
  type CompiledType,
  type CompiledUnion,
  compileType,
} from '../compile.ts';
import { type JsonObject, setMember } from '../json/member.ts';
import { canonicalBase64 } from '../scalar/bytes.ts';
import { ScalarError } from '../scalar/scalar-error.ts';
import { typeName } from '../type-name.ts';
import { CborError } from './error.ts';
import { ARRAY, BYTES, MAP, NEGATIVE, nameOf, POSITIVE, PRIMITIVE, TAG, TEXT } from './head.ts';
import { INT64_END, OtherKeys, repeated, UntypedDecoder } from './untyped-decoder.ts';
import { type CborLimits, OF_CLIENTS, requireWellFormed } from './well-formed.ts';

export interface DecodedCbor {
  readonly value: unknown;
  /** the index in its map of the first unknown member, which is all that 1.32 reports of it */
  readonly unknownAt: number | undefined;
}

/** The error of strict validation for an unknown member. */
export const unknownField = (unknownAt: number): string => `cbor: found unknown field at map element index ${unknownAt}`;

/**
 * @param type a Go type; absent: values are decoded without a type
 * @throws CborError for bytes that are not well-formed, and for the first value that does not fit the type
 */
export function decodeCbor(bytes: Buffer, type?: CompiledType, limits: CborLimits = OF_CLIENTS): DecodedCbor {
  try {
    requireWellFormed(bytes, limits);
    const decoder = new Decoder(bytes);
    const value = decoder.value(type);
    if (decoder.untranscoded !== undefined) throw decoder.untranscoded;
    return { value, unknownAt: decoder.unknownAt };
  } catch (error) {
    // without a limit of levels, the stack ends the recursion
    if (error instanceof RangeError) throw new CborError('exceeded max depth');
    throw error;
  }
}

/** The type of an object of which only kind and version are read. */
const NAMES = struct('io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta', () => [
  { name: 'kind', type: string },
  { name: 'apiVersion', type: string },
]);

export interface CborNames {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** Reads the kind and version of an object, which 1.32 does before anything else. @throws CborError */
export function namesOfCbor(bytes: Buffer, identity: Identity): CborNames {
  return (decodeCbor(bytes, compileType(NAMES, identity)).value ?? {}) as CborNames;
}

/** Types whose values are texts. */
const TEXTS: ReadonlySet<number> = new Set([Code.time, Code.microTime, Code.duration, Code.quantity]);
const TEXT_VALUE = new CompiledScalar('string');
const BOOLEAN_VALUE = new CompiledScalar('boolean');
const INTEGER_VALUE = new CompiledScalar('int32');
/** The type of one byte, if bytes are written as an array. */
const BYTE_VALUE = new CompiledScalar('int32', 'uint8');
const TEXT_LIST = new CompiledList(list(string), TEXT_VALUE);
const INT32_END = 2 ** 31;
const UINT8_END = 256;

/** Whether anything is known of values of the type; a structural type is ignored here, so its values are decoded without one. */
const isKnown = (type: CompiledType): boolean => type.code !== Code.struct || (type as CompiledStruct).isGo;

/** Whether Go decodes values of the type by their own method, which starts without the context of the outer value. */
const isApart = (code: number): boolean => code >= Code.time && code < Code.list;

/** The bytes must be well-formed, so nothing is read past their end. */
class Decoder extends UntypedDecoder<CompiledType> {
  unknownAt: number | undefined;
  /** the error of an item that cannot become JSON, which is thrown only if there is no other error */
  untranscoded: CborError | undefined;

  value(of: CompiledType | undefined): unknown {
    const type = of !== undefined && isKnown(of) ? of : undefined;
    if (type !== undefined && isApart(type.code)) return this.#apart(type);
    if (this.major === TAG) return this.tagged(type);
    if (this.isNull) {
      this.at++;
      return null;
    }
    return type === undefined ? this.any() : this.#typed(type);
  }

  protected name(): string | null {
    return this.value(TEXT_VALUE) as string | null;
  }

  #typed(type: CompiledType): unknown {
    const { code } = type;
    switch (code) {
      case Code.string:
        this.#require(this.isText, type);
        return this.text();
      case Code.boolean:
        this.#require(this.major === PRIMITIVE && !this.isFloat, type);
        return this.primitive();
      case Code.int32:
      case Code.int64:
        this.#require(this.isInteger, type);
        return this.integer(code === Code.int32 ? INT32_END : INT64_END, typeName(type));
      case Code.double:
        this.#require(this.isInteger || this.isFloat, type);
        return this.any();
      case Code.bytes:
        return this.#typedBytes(type);
      case Code.list:
        this.#require(this.major === ARRAY, type);
        return this.list((type as CompiledList).element);
      case Code.map:
        this.#require(this.major === MAP, type);
        return this.map((type as CompiledMap).value);
      default:
        this.#require(this.major === MAP, type, 'cannot decode CBOR array to struct without toarray option');
        return this.#members(type as CompiledStruct);
    }
  }

  #apart(type: CompiledType): unknown {
    const textTag = this.textTag;
    const unknownAt = this.unknownAt;
    this.textTag = undefined;
    this.unknownAt = undefined;
    const value = this.isNull ? this.value(undefined) : this.#valueApart(type);
    // Go's methods do not know the level of validation, so an unknown member is always an error
    if (this.unknownAt !== undefined) throw new CborError(unknownField(this.unknownAt));
    this.textTag = textTag;
    this.unknownAt = unknownAt;
    return value;
  }

  /** @throws CborError, also for an unknown member of a struct that is decoded on its own; otherwise sets `unknownAt` */
  #valueApart(type: CompiledType): unknown {
    const { code } = type;
    if (TEXTS.has(code)) return this.value(TEXT_VALUE);
    switch (code) {
      case Code.intOrString:
        return this.#either(TEXT_VALUE, INTEGER_VALUE);
      case Code.structOrBoolean:
        return this.#either(BOOLEAN_VALUE, (type as CompiledUnion).struct);
      case Code.structOrNames:
        return this.#either(TEXT_LIST, (type as CompiledUnion).struct);
      case Code.structOrList: {
        const { struct: element } = type as CompiledUnion;
        return this.#either(element, new CompiledList(list(element.type), element));
      }
      case Code.rawExtension:
        return this.#transcoded('RawExtension to JSON: failed to parse RawExtension bytes as CBOR');
      case Code.fieldsV1:
        return this.#transcoded('FieldsV1 to JSON: metav1.FieldsV1 cbor invalid');
      default:
        return this.value(undefined);
    }
  }

  /** Tries two types. If neither fits, the error is that of the second. */
  #either(first: CompiledType, second: CompiledType): unknown {
    const start = this.at;
    const untranscoded = this.untranscoded;
    try {
      const value = this.value(first);
      if (this.unknownAt === undefined) return value;
    } catch (error) {
      if (!(error instanceof CborError)) throw error;
    }
    this.at = start;
    this.textTag = undefined;
    this.unknownAt = undefined;
    this.untranscoded = untranscoded;
    return this.value(second);
  }

  /** Decodes a value that Go converts to JSON after everything else was read. @param problem how the error begins */
  #transcoded(problem: string): unknown {
    const start = this.at;
    const field = this.field;
    this.field = undefined;
    try {
      return this.value(undefined);
    } catch (error) {
      if (!(error instanceof CborError)) throw error;
      this.untranscoded ??= new CborError(`failed to transcode ${problem}: ${error.message}`);
      this.at = start;
      this.#pass();
      return null;
    } finally {
      this.field = field;
    }
  }

  /** @param ofArrays detail of the error, if the item is an array */
  #require(fits: boolean, type: CompiledType, ofArrays?: string): void {
    if (fits) return;
    this.#requireRecognized();
    throw this.mismatch(typeName(type), this.major === ARRAY ? ofArrays : this.#beyondInt64());
  }

  /** An item that is no value at all is reported before a mismatch of types. */
  #requireRecognized(): void {
    const start = this.at;
    if (this.major === PRIMITIVE) this.primitive();
    this.at = start;
  }

  /** A byte string without a tag contains the base64 text, as in JSON; an array has the bytes as integers. */
  #typedBytes(type: CompiledType): string {
    if (this.major === ARRAY) {
      const bytes: number[] = [];
      this.each(() => bytes.push(this.#byte()));
      return Buffer.from(bytes).toString('base64');
    }
    this.#require(this.major === BYTES, type);
    if (this.textTag !== undefined) return this.string().toString('base64');
    try {
      return canonicalBase64(this.text());
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      throw new CborError(`cbor: failed to decode base64 from byte string: ${error.message}`);
    }
  }

  #byte(): number {
    if (this.isNull) {
      this.at++;
      return 0;
    }
    this.#require(this.major === POSITIVE, BYTE_VALUE);
    return this.integer(UINT8_END, 'uint8') as number;
  }

  /** Unknown members are skipped, whatever they contain. */
  #members(type: CompiledStruct): JsonObject {
    const object: JsonObject = {};
    const others = new OtherKeys();
    const isOutermost = this.field === undefined;
    const { unknownAt } = this;
    let ownUnknownAt: number | undefined;
    this.each((index) => {
      const key = this.isText ? this.#structName() : this.#structNumber();
      const member = typeof key === 'string' ? type.byName.get(key) : undefined;
      if (member === undefined) {
        if (others.has(this.identityOf(key))) throw repeated(key, index);
        ownUnknownAt ??= index;
        this.#pass();
        return;
      }
      const { name } = member;
      if (Object.hasOwn(object, name)) throw repeated(name, index);
      if (isOutermost) this.field = `${typeName(type)}.${name}`;
      setMember(object, name, this.value(member.type));
      if (isOutermost) this.field = undefined;
    });
    // a struct reports its own unknown member before those of structs within it; the first one wins
    this.unknownAt = unknownAt ?? ownUnknownAt ?? this.unknownAt;
    return object;
  }

  /** @returns the detail of the error for an integer below the range of int64; undefined for anything else */
  #beyondInt64(): string | undefined {
    if (this.major !== NEGATIVE) return undefined;
    const start = this.at;
    const given = this.head() as number | bigint;
    this.at = start;
    return given < INT64_END ? undefined : `${-1n - BigInt(given)} overflows Go's int64`;
  }

  #structName(): string {
    const textTag = this.textTag;
    this.textTag = undefined;
    const name = this.text();
    this.textTag = textTag;
    return name;
  }

  /** Reads a number in place of a name. No member has such a key. */
  #structNumber(): number | bigint {
    if (!this.isInteger) {
      const detail = `map key is of type ${nameOf(this.major)} and cannot be used to match struct field name`;
      throw this.mismatch('string', detail);
    }
    const start = this.at;
    const isNegative = this.major === NEGATIVE;
    const given = this.head() as number | bigint;
    if (!isNegative) return given < INT64_END ? given : BigInt.asIntN(64, given as bigint);
    if (given < INT64_END) return -1n - BigInt(given);
    this.at = start;
    throw this.mismatch('int64', `-1-${given} overflows Go's int64`);
  }

  /** Skips the next item. */
  #pass(): void {
    const major = this.major;
    if (major === BYTES || major === TEXT) this.string();
    else if (major === ARRAY) this.each(() => this.#pass());
    else if (major === MAP) this.each(() => this.#passPair());
    else {
      this.head();
      if (major === TAG) this.#pass();
    }
  }

  #passPair(): void {
    this.#pass();
    this.#pass();
  }
}
