/** The functions of quantities that Kubernetes adds to CEL. */
import type { Library } from '../../environment/declarations.ts';
import { BOOL, DOUBLE, INT, STRING } from '../../types/type.ts';
import { ErrorValue, type Value } from '../../values/value.ts';
import { declared, member, plain } from '../overloads.ts';
import { traversalUnits } from '../standard/costs.ts';
import { QUANTITY, QuantityValue } from './quantity-value.ts';

const NO_INTEGER = new ErrorValue('cannot convert value to integer');

const sign = (of: number | bigint): Value => (of > 0 ? 1n : of < 0 ? -1n : 0n);

export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  since: 28,
  functions: [
    declared('quantity', [plain('string_to_quantity', [STRING], QUANTITY, QuantityValue.parse)], ([text]) => traversalUnits(text)),
    declared(
      'isQuantity',
      [plain('is_quantity_string', [STRING], BOOL, (text: string) => QuantityValue.parse(text) instanceof QuantityValue)],
      ([text]) => traversalUnits(text),
    ),
    // 1.32 declares it without a target, unlike the others
    declared('sign', [plain('quantity_sign', [QUANTITY], INT, ({ quantity }: QuantityValue) => sign(quantity.unscaled))]),
    declared('isGreaterThan', [
      member('quantity_is_greater_than', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => a.compare(b) > 0),
    ]),
    declared('isLessThan', [
      member('quantity_is_less_than', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => a.compare(b) < 0),
    ]),
    declared('compareTo', [
      member('quantity_compare_to', [QUANTITY, QUANTITY], INT, (a: QuantityValue, b: QuantityValue) => sign(a.compare(b))),
    ]),
    declared('asApproximateFloat', [member('quantity_get_float', [QUANTITY], DOUBLE, (of: QuantityValue) => of.approximate())]),
    declared('asInteger', [member('quantity_get_int', [QUANTITY], INT, (of: QuantityValue) => of.integer() ?? NO_INTEGER)]),
    declared('isInteger', [member('quantity_is_integer', [QUANTITY], BOOL, (of: QuantityValue) => of.integer() !== undefined)]),
    declared('add', [
      member('quantity_add', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) => a.plus(b)),
      member('quantity_add_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) => a.plus(QuantityValue.ofInteger(b))),
    ]),
    declared('sub', [
      member('quantity_sub', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) => a.minus(b)),
      member('quantity_sub_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) => a.minus(QuantityValue.ofInteger(b))),
    ]),
  ],
};
