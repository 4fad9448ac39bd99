import { deploymentDefaults } from './template-defaults.ts';

export const rules = deploymentDefaults(1);
