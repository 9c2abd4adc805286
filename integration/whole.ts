/** Whether all is tried at its full size, as every night (`npm run test:nightly`): a change tries a part of it. */
export const isWhole: boolean = process.env['PRECIS_WHOLE'] === '1'
