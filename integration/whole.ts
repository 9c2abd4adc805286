/** Whether all is tried at its full size, as every night (`node scripts/run.mjs test:nightly`): a change tries a part of it. */
export const isWhole: boolean = process.env['PRECIS_WHOLE'] === '1'
