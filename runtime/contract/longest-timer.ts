/** The most milliseconds that a timer of Node can wait, 24.8 days: if it is given more, it fires at once, and an interval does so without end. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
