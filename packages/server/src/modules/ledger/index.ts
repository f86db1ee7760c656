export { post } from "./post.ts";
export {
  type Debt,
  type Posting,
  postEntries,
  postPayment,
  postRefund,
  reversePayments,
  reverseRefunds,
} from "./receivables.ts";
export { countOpened, findUnfinishedOpenings, finishOpening } from "./store.ts";
