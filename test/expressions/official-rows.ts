/** The official conformance tests of the language, but for those that name protobuf messages, which the API has none of. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import type { Library } from '../../runtime/expressions/environment/declarations.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  parameter,
  STRING,
  TIMESTAMP,
  type Type,
  typeOfType,
  UINT,
} from '../../runtime/expressions/types/type.ts';
import { parseDuration, parseTimestamp } from '../../runtime/expressions/values/texts-of-time.ts';
import { ArrayList, EntryMap, ErrorValue, TypeValue, Uint, type Value } from '../../runtime/expressions/values/value.ts';

export interface OfficialRow {
  readonly name: string;
  readonly expr: string;
  readonly value?: JsonValue;
  readonly evalError?: { readonly errors: readonly { readonly message: string }[] };
  readonly typedResult?: { readonly result: JsonValue; readonly deducedType: JsonType };
  readonly bindings?: Readonly<Record<string, { readonly value: JsonValue }>>;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: JsonType };
    readonly function?: { readonly overloads: readonly OverloadJson[] };
  }[];
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
}

interface OverloadJson {
  readonly overloadId: string;
  readonly params?: readonly JsonType[];
  readonly resultType: JsonType;
}

/** A value or a type as protobuf's JSON has it. */
type JsonValue = Readonly<Record<string, unknown>>;
type JsonType = Readonly<Record<string, unknown>>;

const MESSAGES =
  /TestAllTypes|cel\.expr\.conformance|google\.protobuf\.(?!Timestamp|Duration)|GlobalEnum|NestedEnum|enumValue|"container":"google\.protobuf"/;

/** @returns rows with the names of their suites before their own */
export function officialRows(): OfficialRow[] {
  const rows = (suite: SerializedIncrementalTestSuite, path: string): OfficialRow[] => [
    ...(suite.tests ?? []).map(({ original }) => ({
      ...(original as unknown as OfficialRow),
      name: `${path}/${(original as { name?: string }).name}`,
    })),
    ...(suite.suites ?? []).flatMap((inner) => rows(inner, `${path}/${inner.name}`)),
  ];
  return (tests.suites ?? []).flatMap((suite) => rows(suite, suite.name)).filter((row) => !MESSAGES.test(JSON.stringify(row)));
}

export function valueOfJson(json: JsonValue): Value {
  const [[kind, value] = ['nullValue', null]] = Object.entries(json) as [string, unknown][];
  switch (kind) {
    case 'int64Value':
      return BigInt(value as string);
    case 'uint64Value':
      return new Uint(BigInt(value as string));
    case 'doubleValue':
      return Number(value);
    case 'bytesValue':
      return Buffer.from(value as string, 'base64');
    case 'nullValue':
      return null;
    case 'listValue':
      return new ArrayList(((value as { values?: JsonValue[] }).values ?? []).map(valueOfJson));
    case 'mapValue':
      return EntryMap.of(
        ((value as { entries?: { key: JsonValue; value: JsonValue }[] }).entries ?? []).map((entry) => [
          valueOfJson(entry.key),
          valueOfJson(entry.value),
        ]),
      );
    case 'typeValue':
      return new TypeValue(value as string);
    case 'objectValue':
      return timeOf(value as { '@type': string; value: string });
    default:
      return value as Value;
  }
}

function timeOf({ '@type': type, value }: { '@type': string; value: string }): Value {
  return (type.endsWith('Duration') ? parseDuration(value) : parseTimestamp(value)) as Value;
}

const PRIMITIVES: Readonly<Record<string, Type>> = { BOOL, INT64: INT, UINT64: UINT, DOUBLE, STRING, BYTES };

export function typeOfJson(json: JsonType): Type {
  const [[kind, value] = ['dyn', {}]] = Object.entries(json) as [string, never][];
  switch (kind) {
    case 'primitive':
      return PRIMITIVES[value as string] as Type;
    case 'wellKnown':
      return value === 'TIMESTAMP' ? TIMESTAMP : DURATION;
    case 'null':
      return NULL;
    case 'listType':
      return listOf(typeOfJson((value as { elemType: JsonType }).elemType));
    case 'mapType':
      return mapOf(typeOfJson((value as { keyType: JsonType }).keyType), typeOfJson((value as { valueType: JsonType }).valueType));
    case 'type':
      return typeOfType(typeOfJson(value));
    case 'abstractType': {
      const { name, parameterTypes = [] } = value as { name: string; parameterTypes?: JsonType[] };
      return opaque(name, ...parameterTypes.map(typeOfJson));
    }
    case 'typeParam':
      return parameter(value as string);
    default:
      return DYN;
  }
}

/** Functions that a row declares without saying what they do. */
export function declaredFunctions({ typeEnv = [] }: OfficialRow): Library {
  const functions = typeEnv.flatMap(({ name, function: declared }) =>
    declared === undefined ? [] : [{ name, overloads: declared.overloads.map(overloadOf) }],
  );
  return { name: 'declared', since: 0, functions };
}

const overloadOf = ({ overloadId: id, params = [], resultType }: OverloadJson) => ({
  id,
  parameters: params.map(typeOfJson),
  result: typeOfJson(resultType),
  run: () => new ErrorValue('declared alone'),
});
