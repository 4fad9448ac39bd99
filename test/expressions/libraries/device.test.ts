import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import { estimateCost } from '../../../runtime/expressions/costs/estimate.ts';
import { deviceEnvironment, deviceSizes } from '../../../runtime/expressions/libraries/device.ts';

const test = suite('conditions on devices');
const environment = deviceEnvironment();
const DOMAIN = '"d.example.com"';
const IN_DOMAIN = `device.attributes[${DOMAIN}]`;
const TEN = `[${Array.from({ length: 10 }, (_, index) => index)}]`;

/** What 1.32 estimates for such conditions. */
const costs: [string, number][] = [
  ['true', 0],
  [`${DOMAIN} in device.attributes`, 3],
  [`device.attributes["no"].absent.isGreaterThan(quantity("0"))`, 6],
  [`device.driver == ""`, 2],
  [`device.driver == "dra.example.com"`, 4],
  [`${IN_DOMAIN}.name`, 4],
  [`${IN_DOMAIN}["name"]`, 4],
  [`cel.bind(d, ${IN_DOMAIN}, d.name)`, 15],
  [`${IN_DOMAIN}.name == "fish"`, 5],
  [`${IN_DOMAIN}.name.isGreaterThan(semver("0.0.1"))`, 6],
  [`device.capacity[${DOMAIN}].name.isGreaterThan(quantity("1Ki"))`, 6],
  [`device.attributes.exists_one(x, x == "dra.example.com")`, 164],
  [`${IN_DOMAIN}.exists_one(x, x == "services")`, 133],
  [`${IN_DOMAIN}.services.split("example").size() >= 2`, 19],
  [`${IN_DOMAIN}.services.matches("[^a]?sym")`, 18],
  [`device.capacity.exists_one(x, x == "dra.example.com")`, 164],
  [`device.capacity[${DOMAIN}].exists_one(x, x == "memory")`, 133],
  [
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].reduceRight((inner, name) => `${TEN}.all(${name}, ${inner})`, `int('1'.find('[0-9]*')) < 100`),
    85_555_551,
  ],
];
for (const [source, cost] of costs)
  test(`cost of ${source.slice(0, 80)}`, () => assert.is(Number(estimateCost(compile(source, environment), deviceSizes).cost.max), cost));

test.run();
